import { readFile } from 'node:fs/promises';
import { type Clock, type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager, type Permissions } from '../../src/controller/index.ts';
import {
  findObject,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  serviceAccountUser,
} from '../../src/kube/index.ts';
import type { PolicyRule } from '../../src/rbac/index.ts';
import { type BareCluster, openBareCluster } from './bare-cluster.ts';
import { eventually } from './eventually.ts';

const user = { fieldManager: 'test' };
const plurals = ['clusterserviceversions', 'olmconfigs', 'operatorgroups'] as const;

async function isEstablished(kube: KubeClient, plural: string): Promise<void> {
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const { status } = await kube.get({ ...kind, name: `${plural}.operators.coreos.com` });
  const { conditions = [] } = (status ?? {}) as { conditions?: JsonObject[] };
  if (!conditions.some((one) => one['type'] === 'Established' && one['status'] === 'True')) throw new Error(plural);
}

/** A bare cluster with kinds of OLM: the most used, and further ones by their plural names. */
export async function openOlmCluster(further: readonly string[] = []): Promise<BareCluster> {
  const cluster = await openBareCluster();
  for (const plural of [...plurals, ...further]) {
    const file = `crds/olm/operators.coreos.com_${plural}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    await eventually(() => isEstablished(cluster.kube, plural));
  }
  return cluster;
}

const account = { namespace: 'default', name: 'controllers' };
const eventRules: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['create', 'get', 'patch'] };

interface Permitted {
  readonly permissions: Permissions;
}

/** Gives the service account of the controllers the permissions of their definitions. */
async function allow(kube: KubeClient, definitions: readonly Permitted[]): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const kind = { apiVersion: `${apiGroup}/v1`, metadata: { name: account.name } };
  const rules = [...definitions.flatMap(({ permissions }) => permissions.cluster ?? []), eventRules];
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: account.name };
  await kube.apply({ ...kind, kind: 'ClusterRole', rules: rules as never }, user);
  await kube.apply({ ...kind, kind: 'ClusterRoleBinding', roleRef, subjects }, user);
}

/** Runs controllers whose time is that of `clock`, with the permissions of the client. */
export async function runByClock(
  kube: KubeClient,
  clock: Clock,
  add: (manager: Manager) => void,
): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const manager = createManager({ kube, clock, log: silentLogger(), signal: stop.signal });
  add(manager);
  await manager.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await manager.whenStopped();
    },
  };
}

/** Controllers that run until they are disposed of, with the permissions of `definitions` and no others; by default as an administrator. */
export async function runControllers(
  admin: KubeClient,
  add: (manager: Manager) => void,
  definitions?: readonly Permitted[],
): Promise<AsyncDisposable> {
  if (definitions !== undefined) await allow(admin, definitions);
  const kube = definitions === undefined ? admin : admin.actingAs(serviceAccountUser(account));
  return await runByClock(kube, systemClock, add);
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

/** Creates a Namespace, until it is disposed of with everything in it. */
export async function temporaryNamespace(kube: KubeClient, name: string): Promise<AsyncDisposable> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name };
  await createNamespace(kube, name);
  return {
    [Symbol.asyncDispose]: async () => {
      await kube.delete(ref);
      await eventually(async () => {
        if ((await findObject(kube, ref)) !== undefined) throw new Error(`namespace ${name} is being deleted`);
      });
    },
  };
}
