import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { Manager } from '../../src/controller/index.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { addCopiedCsvs, copiedCsvController } from '../../src/olm/copied-csv/controller.ts';
import { addOperatorGroups, operatorGroupController } from '../../src/olm/operator-group/controller.ts';
import { type BareCluster, eventually } from './index.ts';
import { createNamespace, openOlmCluster, runControllers } from './olm-cluster.ts';

export const user = { fieldManager: 'test' };
export const rbac = 'rbac.authorization.k8s.io/v1';
export const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
export const versionKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
/** The status of an operator that is installed. */
export const succeeded = {
  phase: 'Succeeded',
  reason: 'InstallSucceeded',
  message: 'install strategy completed with no errors',
};
const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
/** What operators request. */
export const rules: JsonObject[] = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'] }];

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
export let running: AsyncDisposable;
let count = 0;

/** Starts the controllers. */
export async function run(): Promise<void> {
  const add = (manager: Manager): void => {
    addOperatorGroups(manager);
    addCopiedCsvs(manager, { protectedNamespaces: ['protected'] });
  };
  running = await runControllers(cluster.kube, add, [operatorGroupController, copiedCsvController]);
}

/** Namespaces of one test. */
export async function namespaces(number: number): Promise<readonly string[]> {
  count += 1;
  const names = Array.from({ length: number }, (_, index) => `c${count}-${index}`);
  for (const name of names) await createNamespace(cluster.kube, name);
  return names;
}

/** Creates an OperatorGroup, without targets one of all namespaces. */
export async function createGroup(
  namespace: string,
  targetNamespaces: readonly string[],
  name = 'group',
): Promise<void> {
  const spec = targetNamespaces.length === 0 ? {} : { targetNamespaces: [...targetNamespaces] };
  await cluster.kube.create({ ...groupKind, metadata: { namespace, name }, spec }, user);
}

/** Changes the targets of an OperatorGroup. */
export async function setTargets(namespace: string, spec: JsonObject): Promise<void> {
  await cluster.kube.patch({ ...groupKind, namespace, name: 'group' }, { spec }, user);
}

/** Refers to a ClusterServiceVersion. */
export const versionRef = (namespace: string, name = 'boat'): ObjectRef => ({ ...versionKind, namespace, name });
/** A ClusterServiceVersion as it is, or undefined. */
export const version = (namespace: string, name = 'boat'): Promise<KubeObject | undefined> =>
  findObject(cluster.kube, versionRef(namespace, name));

interface Version {
  readonly name?: string;
  readonly permissions?: readonly JsonObject[];
  readonly clusterPermissions?: readonly JsonObject[];
  readonly status?: JsonObject;
}

/** An operator as its controller would leave it. */
export async function createOperator(namespace: string, options: Version = {}): Promise<KubeObject> {
  const { name = 'boat', permissions = [], clusterPermissions = [], status = succeeded } = options;
  const created = await cluster.kube.create(
    {
      ...versionKind,
      metadata: {
        namespace,
        name,
        finalizers: ['operators.coreos.com/csv-cleanup'],
        labels: { 'operators.coreos.com/boat.x': '', kept: 'yes' },
        annotations: {
          'olm.operatorGroup': 'group',
          'olm.operatorNamespace': namespace,
          'olm.targetNamespaces': 'something',
          kept: 'yes',
        },
      },
      spec: {
        displayName: 'Boat',
        installModes: modes.map((type) => ({ type, supported: true })),
        install: {
          strategy: 'deployment',
          spec: { deployments: [], permissions: [...permissions], clusterPermissions: [...clusterPermissions] },
        },
      },
    },
    user,
  );
  await setStatus(namespace, status, name);
  return created;
}

/** Sets the status of a ClusterServiceVersion. */
export async function setStatus(namespace: string, status: JsonObject, name = 'boat'): Promise<void> {
  await cluster.kube.patch(versionRef(namespace, name), { status }, { ...user, subresource: 'status' });
}

/** Deletes an operator, as its controller would let it go. */
export async function deleteOperator(namespace: string, name = 'boat'): Promise<void> {
  await cluster.kube.patch(versionRef(namespace, name), { metadata: { finalizers: [] } }, user);
  await cluster.kube.delete(versionRef(namespace, name));
}

/** Waits until a namespace has the copy of an operator. */
export async function expectCopy(
  namespace: string,
  from: string,
  check: (copy: KubeObject) => void = () => undefined,
): Promise<KubeObject> {
  return await eventually(async () => {
    const copy = await cluster.kube.get(versionRef(namespace));
    expect(copy.metadata.labels?.['olm.copiedFrom']).toBe(from);
    expect((copy['status'] as JsonObject | undefined)?.['reason']).toBe('Copied');
    check(copy);
    return copy;
  });
}

/** Waits until a namespace does not have a ClusterServiceVersion. */
export async function expectNone(namespace: string, name = 'boat'): Promise<void> {
  await eventually(async () => expect(await version(namespace, name)).toBeUndefined());
}

/** A Role and its binding as an InstallPlan makes them. */
export async function createAccess(
  csv: KubeObject,
  changes: {
    name?: string;
    uid?: string;
    rules?: JsonObject[];
    subjects?: JsonObject[];
    roleRef?: JsonObject;
    labels?: Record<string, string>;
  } = {},
): Promise<void> {
  const { namespace = '', name: owner = '', uid = '' } = csv.metadata;
  const { name = 'boat-role' } = changes;
  const labels = {
    'olm.managed': 'true',
    'olm.owner': owner,
    'olm.owner.namespace': namespace,
    'olm.owner.kind': 'ClusterServiceVersion',
    ...changes.labels,
  };
  const ownerReferences = [{ ...versionKind, name: owner, uid: changes.uid ?? uid }];
  const metadata = { namespace, name, labels, ownerReferences };
  await cluster.kube.create({ apiVersion: rbac, kind: 'Role', metadata, rules: changes.rules ?? rules }, user);
  const subjects = changes.subjects ?? [{ kind: 'ServiceAccount', name: 'sailor', namespace }];
  const roleRef = changes.roleRef ?? { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  await cluster.kube.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects }, user);
}

/** An operator that requests permissions. */
export const requesting = (more: JsonObject[] = rules): Version => ({
  permissions: [{ serviceAccountName: 'sailor', rules: more }],
});
/** An object of RBAC in a namespace as it is, or undefined. */
export const inNamespace = (kind: string, namespace: string, name = 'boat-role'): Promise<KubeObject | undefined> =>
  findObject(cluster.kube, { apiVersion: rbac, kind, namespace, name });
/** An object of RBAC of the cluster as it is, or undefined. */
export const inCluster = (kind: string, name = 'boat-role'): Promise<KubeObject | undefined> =>
  findObject(cluster.kube, { apiVersion: rbac, kind, name });

/** The reasons of the Events of a namespace. */
export async function eventsOf(namespace: string): Promise<readonly unknown[]> {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace });
  return items.map((event) => event['reason']);
}

/** Runs the controllers of copies and of OperatorGroups on one cluster for the tests of a file. */
export function runCopiedCsvs(): void {
  beforeAll(async () => {
    cluster = await openOlmCluster();
    await createNamespace(cluster.kube, 'protected');
    await run();
  });

  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });
}
