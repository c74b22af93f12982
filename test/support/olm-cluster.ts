import { readFile } from 'node:fs/promises';
import { type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from './bare-cluster.ts';
import { eventually } from './eventually.ts';

const user = { fieldManager: 'test' };
const plurals = ['clusterserviceversions', 'olmconfigs', 'operatorgroups'] as const;

/** A bare cluster with the kinds of OLM. */
export async function openOlmCluster(): Promise<BareCluster> {
  const cluster = await openBareCluster();
  for (const plural of plurals) {
    const file = `crds/olm/operators.coreos.com_${plural}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  }
  const kinds = [
    { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
    { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig' },
    { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
  ];
  for (const kind of kinds) await eventually(() => cluster.kube.list(kind));
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
