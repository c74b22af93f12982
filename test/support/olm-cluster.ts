import { readFile } from 'node:fs/promises';
import { type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from './bare-cluster.ts';
import { eventually } from './eventually.ts';

const user = { fieldManager: 'test' };
const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' };
const usualPlurals: readonly string[] = ['clusterserviceversions', 'olmconfigs', 'operatorgroups'];

/** A bare cluster with kinds of OLM, by their plural names. */
export async function openOlmCluster(plurals: readonly string[] = usualPlurals): Promise<BareCluster> {
  const cluster = await openBareCluster();
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  for (const plural of plurals) {
    const file = `crds/olm/operators.coreos.com_${plural}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    await eventually(async () => {
      const live = await cluster.kube.get({ ...definition, name: `${plural}.operators.coreos.com` });
      const { conditions = [] } = (live['status'] ?? {}) as { conditions?: JsonObject[] };
      if (!conditions.some(({ type, status }) => type === 'Established' && status === 'True')) throw new Error(plural);
    });
  }
  return cluster;
}

/** Controllers that run until they are disposed of. */
export async function runControllers(kube: KubeClient, add: (manager: Manager) => void): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
  add(manager);
  await manager.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await manager.whenStopped();
    },
  };
}

/** The object, undefined if it does not exist. */
export async function find(kube: KubeClient, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await kube.get(ref);
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** Waits until an object has these members. */
export async function expectObject(
  kube: KubeClient,
  ref: ObjectRef,
  check: (object: KubeObject) => void,
): Promise<KubeObject> {
  return await eventually(async () => {
    const object = await kube.get(ref);
    check(object);
    return object;
  });
}

/** Creates a Namespace with labels. */
export async function createNamespace(kube: KubeClient, name: string, labels: JsonObject = {}): Promise<void> {
  const metadata = { name, labels: labels as Record<string, string> };
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata }, user);
}

/** Creates a Namespace, until it is disposed with everything in it. */
export async function openNamespace({ kube }: BareCluster, name: string): Promise<AsyncDisposable> {
  await createNamespace(kube, name);
  return {
    [Symbol.asyncDispose]: async () => {
      await kube.delete({ ...namespaceKind, name });
      await eventually(async () => {
        const { items } = await kube.list(namespaceKind);
        if (items.some(({ metadata }) => metadata.name === name)) throw new Error(`namespace ${name} is being deleted`);
      });
    },
  };
}
