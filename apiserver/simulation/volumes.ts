import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type Controller, ignoreNotFound, NamespaceTurns, specOf, statusOf, typeOf } from '../controllers/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  type KubeObject,
  matchesLabelSelector,
  type ResourceType,
} from '../core/index.ts';
import { compareQuantities } from '../schema/index.ts';
import { keyOf, keyText, type SimulationContext, writeStatus } from './simulated.ts';

const as = 'system:serviceaccount:kube-system:persistent-volume-binder';
/** After so many claims the volumes are read again. */
const maxBound = 200;
const boundByController = 'pv.kubernetes.io/bound-by-controller';

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function part(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}

function sizeOf(claim: KubeObject): string {
  return text(part(part(specOf(claim), 'resources'), 'requests')['storage']) || '1Gi';
}

function capacityOf(volume: KubeObject): string {
  return text(part(specOf(volume), 'capacity')['storage']) || '0';
}

function claimReference(claim: KubeObject): JsonObject {
  const { namespace = '', name = '', uid = '' } = claim.metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
}

function isOf(volume: KubeObject, claim: KubeObject): boolean {
  const { namespace, name, uid } = part(specOf(volume), 'claimRef');
  const { metadata } = claim;
  return namespace === metadata.namespace && name === metadata.name && (uid === undefined || uid === metadata.uid);
}

function modesOf(object: KubeObject): string[] {
  const { accessModes } = specOf(object);
  return Array.isArray(accessModes) ? accessModes.map((mode) => text(mode)) : [];
}

function isPending(claim: KubeObject): boolean {
  return claim.metadata.deletionTimestamp === undefined && statusOf(claim)['phase'] !== 'Bound';
}

/** Whether an unbound volume satisfies a claim. */
function fits(volume: KubeObject, claim: KubeObject): boolean {
  const [own, requested] = [specOf(volume), specOf(claim)];
  const isFree = own['claimRef'] === undefined;
  const isAlike =
    text(own['storageClassName']) === text(requested['storageClassName']) &&
    (own['volumeMode'] ?? 'Filesystem') === (requested['volumeMode'] ?? 'Filesystem');
  const { selector } = requested;
  const modes = new Set(modesOf(volume));
  return (
    isFree &&
    isAlike &&
    modesOf(claim).every((mode) => modes.has(mode)) &&
    compareQuantities(capacityOf(volume), sizeOf(claim)) >= 0 &&
    (selector === undefined || matchesLabelSelector(selector, volume.metadata.labels))
  );
}

/** A volume made to measure, as a provisioner would. */
function provisioned(claim: KubeObject): KubeObject {
  const name = `pvc-${claim.metadata.uid}`;
  const { storageClassName, volumeMode } = specOf(claim);
  const spec: JsonObject = {
    capacity: { storage: sizeOf(claim) },
    accessModes: modesOf(claim),
    claimRef: claimReference(claim),
    persistentVolumeReclaimPolicy: 'Delete',
    hostPath: { path: `/simulated/${name}` },
    ...(storageClassName === undefined ? {} : { storageClassName }),
    ...(volumeMode === undefined ? {} : { volumeMode }),
  };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

/** The volumes that claims can have: read once, as there may be many claims as well. */
interface Candidates {
  /** Names of those that are reserved, by the key of the claim. */
  readonly reserved: ReadonlyMap<string, readonly string[]>;
  /** Without a claim, smallest first. */
  readonly free: readonly KubeObject[];
}

async function candidatesOf(volumes: AsyncIterable<KubeObject>): Promise<Candidates> {
  const reserved = new Map<string, string[]>();
  const free: KubeObject[] = [];
  for await (const volume of volumes) {
    const { claimRef } = specOf(volume);
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (!isJsonObject(claimRef)) {
      free.push(volume);
      continue;
    }
    const key = `${text(claimRef['namespace'])}/${text(claimRef['name'])}`;
    const names = reserved.get(key) ?? [];
    names.push(volume.metadata.name ?? '');
    reserved.set(key, names);
  }
  return { reserved, free: free.toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b))) };
}

class Volumes implements Controller {
  readonly name = 'simulated-volumes';
  readonly #cluster: Cluster;
  readonly #claims: ResourceType;
  readonly #volumes: ResourceType;
  /** Claims that wait for a volume, also what is created while others are bound: of a namespace there may be very many. */
  readonly #waiting = new NamespaceTurns();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#claims = typeOf(cluster, 'persistentvolumeclaims');
    this.#volumes = typeOf(cluster, 'persistentvolumes');
  }

  /** Binding is for one worker at a time, so that no volume is taken twice: there is one key. */
  keysOf({ resource, type, object }: ClusterEvent): Iterable<string> {
    if (resource.storageKey === 'persistentvolumeclaims' && type !== 'DELETED') this.#addClaim(object);
    const isOurs = ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io'];
    return isOurs.includes(resource.storageKey) ? ['all'] : [];
  }

  async work(): Promise<void> {
    for await (const volume of this.#cluster.eachInTurns(this.#volumes)) await this.#keepVolume(volume);
    const candidates = await candidatesOf(this.#cluster.eachInTurns(this.#volumes));
    for await (const claim of this.#cluster.eachInTurns(this.#claims)) this.#addClaim(claim);
    let bound = 0;
    const failures: unknown[] = [];
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      await this.#cluster.takeTurn();
      const claim = this.#cluster.get(this.#claims, keyOf(next.key));
      if (claim === undefined || !isPending(claim)) continue;
      try {
        if (await this.#keepClaim(claim, candidates)) bound += 1;
      } catch (thrown) {
        // A claim that cannot be written, such as for the size of its annotations, is in the way of no other.
        failures.push(thrown);
      }
      // What was bound has this called again.
      if (bound === maxBound) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  #addClaim(claim: KubeObject): void {
    if (isPending(claim)) this.#waiting.add(claim.metadata.namespace ?? '', keyText(claim));
  }

  async #keepVolume(volume: KubeObject): Promise<void> {
    const { claimRef, persistentVolumeReclaimPolicy } = specOf(volume);
    if (!isJsonObject(claimRef)) return await this.#setPhase(volume, 'Available');
    const key = { namespace: text(claimRef['namespace']), name: text(claimRef['name']) };
    const claim = this.#cluster.get(this.#claims, key);
    if (claim !== undefined && isOf(volume, claim)) return;
    const wasBound = claimRef['uid'] !== undefined;
    await this.#setPhase(volume, wasBound ? 'Released' : 'Available');
    const isBeingDeleted = volume.metadata.deletionTimestamp !== undefined;
    if (!wasBound || isBeingDeleted || persistentVolumeReclaimPolicy !== 'Delete') return;
    const volumeKey = { namespace: '', name: volume.metadata.name ?? '' };
    await ignoreNotFound(this.#cluster.delete(this.#volumes, volumeKey, { as }));
  }

  /** Whether it has a volume now. */
  async #keepClaim(claim: KubeObject, candidates: Candidates): Promise<boolean> {
    const volume = await this.#volumeFor(claim, candidates);
    if (volume !== undefined) await this.#bind(claim, volume);
    return volume !== undefined;
  }

  async #volumeFor(claim: KubeObject, candidates: Candidates): Promise<KubeObject | undefined> {
    const requested = text(specOf(claim)['volumeName']);
    if (requested !== '') {
      const named = this.#current(requested);
      return named !== undefined && (specOf(named)['claimRef'] === undefined || isOf(named, claim)) ? named : undefined;
    }
    const found = this.#fitting(claim, candidates);
    if (found !== undefined || !this.#isProvisioned(claim)) return found;
    return await this.#cluster.create(this.#volumes, provisioned(claim), { as });
  }

  #fitting(claim: KubeObject, { reserved, free }: Candidates): KubeObject | undefined {
    const fitting = free.filter((volume) => fits(volume, claim)).map(({ metadata }) => metadata.name ?? '');
    for (const name of [...(reserved.get(keyText(claim)) ?? []), ...fitting]) {
      // Another claim may have it since it was read.
      const volume = this.#current(name);
      if (volume !== undefined && (isOf(volume, claim) || fits(volume, claim))) return volume;
    }
    return undefined;
  }

  #current(name: string): KubeObject | undefined {
    const volume = this.#cluster.get(this.#volumes, { namespace: '', name });
    return volume?.metadata.deletionTimestamp === undefined ? volume : undefined;
  }

  /** Claims without a class are served as by a default class; those of a class that is not there wait, and so do those that choose among
   *  volumes, which no provisioner makes to measure. */
  #isProvisioned(claim: KubeObject): boolean {
    const { storageClassName, selector } = specOf(claim);
    if (selector !== undefined) return false;
    if (typeof storageClassName !== 'string') return true;
    const type = this.#cluster.resource('storage.k8s.io', 'storageclasses');
    if (storageClassName === '' || type === undefined) return false;
    const found = this.#cluster.get(type, { namespace: '', name: storageClassName });
    return found !== undefined && found['provisioner'] !== 'kubernetes.io/no-provisioner';
  }

  async #bind(claim: KubeObject, volume: KubeObject): Promise<void> {
    const taken = await this.#take(volume, claim);
    await this.#setPhase(taken, 'Bound');
    const { name = '' } = volume.metadata;
    const isOwnChoice = text(specOf(claim)['volumeName']) !== name;
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      ...(isOwnChoice ? { [boundByController]: 'yes' } : {}),
    };
    const change = { metadata: { annotations }, spec: { volumeName: name } };
    const bound = await this.#cluster.patch(this.#claims, keyOf(keyText(claim)), change, { as });
    const status = { phase: 'Bound', accessModes: modesOf(volume), capacity: part(specOf(volume), 'capacity') };
    await writeStatus(this.#cluster, { type: this.#claims, object: bound, as }, status);
  }

  async #take(volume: KubeObject, claim: KubeObject): Promise<KubeObject> {
    const claimRef = claimReference(claim);
    if (isJsonEqual(part(specOf(volume), 'claimRef'), claimRef)) return volume;
    const change = { metadata: { annotations: { [boundByController]: 'yes' } }, spec: { claimRef } };
    return await this.#cluster.patch(this.#volumes, { namespace: '', name: volume.metadata.name ?? '' }, change, {
      as,
    });
  }

  async #setPhase(volume: KubeObject, phase: string): Promise<void> {
    if (statusOf(volume)['phase'] === phase) return;
    await writeStatus(this.#cluster, { type: this.#volumes, object: volume, as }, { ...statusOf(volume), phase });
  }
}

/** Binds claims to volumes that fit, and provisions where a class, or none, is named. */
export function volumeSimulation({ cluster }: SimulationContext): Controller {
  return new Volumes(cluster);
}
