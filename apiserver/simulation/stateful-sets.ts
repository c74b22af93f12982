import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf } from '../controllers/controller.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { createPod, deletePod, passOnFailure } from './pod-set.ts';
import {
  childrenOf,
  countOf,
  isPodReady,
  keyOf,
  keysOfKind,
  type SimulationContext,
  shortHash,
  templateOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:statefulset-controller';
const revisionLabel = 'controller-revision-hash';

function claimName(template: JsonObject, podName: string): string {
  const { metadata } = template;
  const name = isJsonObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
  return `${name}-${podName}`;
}

async function ensureClaims(cluster: Cluster, set: KubeObject, podName: string): Promise<void> {
  const type = typeOf(cluster, 'persistentvolumeclaims');
  const { namespace = '' } = set.metadata;
  for (const template of objectsIn(specOf(set).volumeClaimTemplates)) {
    const name = claimName(template, podName);
    if (cluster.get(type, { namespace, name }) !== undefined) continue;
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace } };
    await cluster.create(type, { ...claim, spec: isJsonObject(template.spec) ? template.spec : {} }, { as });
  }
}

/** The volumes of the template, with those of the claims put in. */
function volumesFor(set: KubeObject, podName: string): JsonObject[] {
  const { spec } = templateOf(set);
  const claims = objectsIn(specOf(set).volumeClaimTemplates).map((template): JsonObject => {
    const { metadata } = template;
    const name = isJsonObject(metadata) ? metadata.name : '';
    return { name, persistentVolumeClaim: { claimName: claimName(template, podName) } };
  });
  const taken = new Set(claims.map(({ name }) => name));
  return [
    ...objectsIn(isJsonObject(spec) ? spec.volumes : undefined).filter(({ name }) => !taken.has(name)),
    ...claims,
  ];
}

async function createMember(cluster: Cluster, set: KubeObject, ordinal: number): Promise<void> {
  const name = `${set.metadata.name}-${ordinal}`;
  await ensureClaims(cluster, set, name);
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [revisionLabel]: revisionOf(set),
  };
  const { serviceName } = specOf(set);
  const subdomain = typeof serviceName === 'string' && serviceName !== '' ? { subdomain: serviceName } : {};
  const volumes = volumesFor(set, name);
  const spec = { hostname: name, ...subdomain, ...(volumes.length === 0 ? {} : { volumes }) };
  await createPod(cluster, set, { as, name, labels, spec });
}

function revisionOf(set: KubeObject): string {
  return `${set.metadata.name}-${shortHash(templateOf(set))}`;
}

function ordinalOf({ metadata }: KubeObject): number {
  const { name = '' } = metadata;
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function isCurrent(set: KubeObject, { metadata }: KubeObject): boolean {
  return metadata.labels?.[revisionLabel] === revisionOf(set);
}

/** The next step: one pod made or removed at a time, as long as all others are ready (or at once with Parallel). */
async function step(cluster: Cluster, set: KubeObject, pods: readonly KubeObject[]): Promise<void> {
  const wanted = countOf(specOf(set).replicas, 1);
  const isParallel = specOf(set).podManagementPolicy === 'Parallel';
  const surplus = pods.filter((pod) => ordinalOf(pod) >= wanted);
  for (const pod of surplus) await deletePod(cluster, pod, as);
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = pods.find((candidate) => ordinalOf(candidate) === ordinal);
    if (pod === undefined) await createMember(cluster, set, ordinal);
    if (!isParallel && (pod === undefined || !isPodReady(pod))) return;
  }
  const outdated = pods.filter((pod) => ordinalOf(pod) < wanted && !isCurrent(set, pod));
  const last = outdated.toSorted((a, b) => ordinalOf(b) - ordinalOf(a))[0];
  if (last !== undefined && last.metadata.deletionTimestamp === undefined) await deletePod(cluster, last, as);
}

function statusFor(set: KubeObject, pods: readonly KubeObject[]): JsonObject {
  const ready = pods.filter(isPodReady).length;
  const updated = pods.filter((pod) => isCurrent(set, pod)).length;
  const updateRevision = revisionOf(set);
  const isFinished = updated === pods.length && ready === countOf(specOf(set).replicas, 1);
  const { currentRevision = updateRevision } = statusOf(set);
  const revision = isFinished ? updateRevision : currentRevision;
  const current = pods.filter(({ metadata }) => metadata.labels?.[revisionLabel] === revision).length;
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready === 0 ? undefined : ready,
    availableReplicas: ready,
    currentReplicas: current === 0 ? undefined : current,
    updatedReplicas: updated === 0 ? undefined : updated,
    currentRevision: revision,
    updateRevision,
    collisionCount: 0,
  };
}

/** Keeps the numbered pods of a StatefulSet and their claims. */
export function statefulSetSimulation({ cluster }: SimulationContext): Controller {
  const type = typeOf(cluster, 'statefulsets', 'apps');
  const pods = typeOf(cluster, 'pods');
  return {
    name: 'simulated-statefulsets',
    keysOf: keysOfKind(type),
    work: async (text) => {
      const set = cluster.get(type, keyOf(text));
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      await step(cluster, set, childrenOf(cluster, pods, set));
      const now = childrenOf(cluster, pods, set);
      await passOnFailure(cluster, set, { pods: now, as });
      await writeStatus(cluster, { type, object: cluster.get(type, keyOf(text)) ?? set, as }, statusFor(set, now));
    },
  };
}
