import { expect } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import type { ClusterServiceVersion } from '../../src/api/index.ts';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { group } from '../olm/objects.ts';
import { eventually } from './eventually.ts';

const user = { fieldManager: 'test' };

/** Kinds that tests of operators write. */
export const operatorKinds = {
  csv: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
  group: { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
  subscription: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  condition: { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  definition: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
} as const;

type Kind = { readonly apiVersion: string; readonly kind: string };

/** A cluster with the kinds of OLM, on which some of its controllers run. */
export interface OperatorCluster extends AsyncDisposable {
  /** Of the test, not counted. */
  readonly kube: KubeClient;
  readonly metrics: Metrics;
  /** An empty namespace, and names of its own. */
  world(id: string, ...more: readonly string[]): Promise<World>;
  /** Requests of the controllers, without watches. */
  requests(): Promise<number>;
}

/** Starts one; `add` adds the controllers, `prepare` creates what they find when they start. */
export async function startOperatorCluster(
  add: (manager: Manager) => void,
  prepare: (kube: KubeClient) => Promise<void> = () => Promise.resolve(),
): Promise<OperatorCluster> {
  const server: ApiServer = await startApiServer({ crds: ['crds/olm'] });
  const access = await loadClusterAccess({ text: server.kubeconfig });
  const metrics = createMetrics();
  const kube = createKubeClient({ access, clock: systemClock });
  const own = createKubeClient({ access, clock: systemClock, metrics });
  await prepare(kube);
  const stop = new AbortController();
  const manager = createManager({ kube: own, clock: systemClock, log: silentLogger(), metrics, signal: stop.signal });
  add(manager);
  await manager.start();
  return {
    kube,
    metrics,
    world: async (id, ...more) => {
      const world = new World(kube, id);
      for (const name of ['a', ...more]) await world.namespace(name);
      return world;
    },
    requests: async () => {
      const lines = (await metrics.show()).text.split('\n');
      const counted = lines.filter(
        (line) => line.startsWith('longshore_api_requests_total{') && !line.includes('watch'),
      );
      return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await manager.whenStopped();
      own.close();
      kube.close();
      await server.stop();
    },
  };
}

/** Objects of a test have names of their own. */
export class World {
  readonly #kube: KubeClient;
  readonly #id: string;

  constructor(kube: KubeClient, id: string) {
    this.#kube = kube;
    this.#id = id;
  }

  place(namespace = 'a'): string {
    return `${this.#id}-${namespace}`;
  }

  #local(object: JsonObject): KubeObject {
    return JSON.parse(JSON.stringify(object).replaceAll('$id', this.#id)) as KubeObject;
  }

  async namespace(name: string): Promise<void> {
    await this.#kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.place(name) } }, user);
  }

  async create(...objects: readonly JsonObject[]): Promise<void> {
    for (const object of objects) await this.#kube.create(this.#local(object), user);
  }

  /** A group whose targets are resolved. */
  async group(object: JsonObject = group(), targets: readonly string[] = ['a']): Promise<void> {
    const { metadata } = await this.#kube.create(this.#local(object), user);
    const ref = { ...operatorKinds.group, name: metadata.name ?? '', namespace: metadata.namespace };
    const namespaces = targets.map((target) => (target === '' ? '' : this.place(target)));
    const status = { lastUpdated: new Date().toISOString().replace(/\.\d+/, ''), namespaces };
    await this.#kube.patch(ref, { status }, { ...user, subresource: 'status' });
  }

  async csv(name = 'boat.v0.1.0', namespace = 'a'): Promise<ClusterServiceVersion> {
    return (await this.#kube.get({
      ...operatorKinds.csv,
      name,
      namespace: this.place(namespace),
    })) as unknown as ClusterServiceVersion;
  }

  async patch(kind: Kind, name: string, patch: JsonObject): Promise<void> {
    await this.#kube.patch({ ...kind, name, namespace: this.place() }, patch, user);
  }

  async delete(kind: Kind, name: string, namespace: string | undefined = 'a'): Promise<void> {
    await this.#kube.delete({ ...kind, name, ...(namespace === '' ? {} : { namespace: this.place(namespace) }) });
  }

  async deployment(name = 'boat', namespace = 'a'): Promise<KubeObject> {
    return await this.#kube.get({ ...operatorKinds.deployment, name, namespace: this.place(namespace) });
  }

  async reaches(phase: string, name = 'boat.v0.1.0', namespace = 'a'): Promise<ClusterServiceVersion> {
    return await eventually(async () => {
      const found = await this.csv(name, namespace);
      expect(`${found.status?.phase}/${found.status?.reason}`, found.status?.message).toBe(phase);
      return found;
    });
  }

  async isDeleted(name: string): Promise<void> {
    await eventually(async () => {
      await expect(this.csv(name)).rejects.toSatisfy(isNotFound);
    });
  }
}

/** Entries of the history as `phase/reason`. */
export function historyOf({ status }: ClusterServiceVersion): string[] {
  return (status?.conditions ?? []).map(({ phase, reason }) => `${phase}/${reason}`);
}

/** The history without what depends on how quickly Deployments become ready. */
export function stepsOf(found: ClusterServiceVersion): string[] {
  return historyOf(found).filter((entry) => entry !== 'Installing/InstallWaiting');
}
