import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { createNamespace, openOlmCluster, runControllers } from '../../../test/support/olm-cluster.ts';
import { formatTimestamp, type JsonObject } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../kube/index.ts';
import { addOperatorGroups, operatorGroupController } from '../operator-group/controller.ts';
import { addCopiedCsvs, copiedCsvController } from './controller.ts';

const user = { fieldManager: 'test' };
const rbac = 'rbac.authorization.k8s.io/v1';
const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const versionKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const succeeded = {
  phase: 'Succeeded',
  reason: 'InstallSucceeded',
  message: 'install strategy completed with no errors',
};
const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'] }];

let cluster: BareCluster;
let running: AsyncDisposable;
let count = 0;

async function run(): Promise<void> {
  const add = (manager: Manager): void => {
    addOperatorGroups(manager);
    addCopiedCsvs(manager, { protectedNamespaces: ['protected'] });
  };
  running = await runControllers(cluster.kube, add, [operatorGroupController, copiedCsvController]);
}

beforeAll(async () => {
  cluster = await openOlmCluster();
  await createNamespace(cluster.kube, 'protected');
  await run();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Namespaces of one test. */
async function namespaces(number: number): Promise<readonly string[]> {
  count += 1;
  const names = Array.from({ length: number }, (_, index) => `c${count}-${index}`);
  for (const name of names) await createNamespace(cluster.kube, name);
  return names;
}

async function createGroup(namespace: string, targetNamespaces: readonly string[], name = 'group'): Promise<void> {
  const spec = targetNamespaces.length === 0 ? {} : { targetNamespaces: [...targetNamespaces] };
  await cluster.kube.create({ ...groupKind, metadata: { namespace, name }, spec }, user);
}

async function setTargets(namespace: string, spec: JsonObject): Promise<void> {
  await cluster.kube.patch({ ...groupKind, namespace, name: 'group' }, { spec }, user);
}

const versionRef = (namespace: string, name = 'boat'): ObjectRef => ({ ...versionKind, namespace, name });
const version = (namespace: string, name = 'boat') => findObject(cluster.kube, versionRef(namespace, name));

interface Version {
  readonly name?: string;
  readonly permissions?: readonly JsonObject[];
  readonly clusterPermissions?: readonly JsonObject[];
  readonly status?: JsonObject;
}

/** An operator as its controller would leave it. */
async function createOperator(namespace: string, options: Version = {}): Promise<KubeObject> {
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

async function setStatus(namespace: string, status: JsonObject, name = 'boat'): Promise<void> {
  await cluster.kube.patch(versionRef(namespace, name), { status }, { ...user, subresource: 'status' });
}

async function deleteOperator(namespace: string, name = 'boat'): Promise<void> {
  await cluster.kube.patch(versionRef(namespace, name), { metadata: { finalizers: [] } }, user);
  await cluster.kube.delete(versionRef(namespace, name));
}

async function expectCopy(
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

async function expectNone(namespace: string, name = 'boat'): Promise<void> {
  await eventually(async () => expect(await version(namespace, name)).toBeUndefined());
}

/** A Role and its binding as an InstallPlan makes them. */
async function createAccess(
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

const requesting = (more: JsonObject[] = rules): Version => ({
  permissions: [{ serviceAccountName: 'sailor', rules: more }],
});
const inNamespace = (kind: string, namespace: string, name = 'boat-role') =>
  findObject(cluster.kube, { apiVersion: rbac, kind, namespace, name });
const inCluster = (kind: string, name = 'boat-role') => findObject(cluster.kube, { apiVersion: rbac, kind, name });

async function eventsOf(namespace: string): Promise<readonly unknown[]> {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace });
  return items.map((event) => event['reason']);
}

test('an operator is copied to its targets, and the copies follow its status, its spec and its end', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [own, target]);
  const original = await createOperator(own);
  const copy = await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Succeeded' }));
  expect(copy['spec']).toEqual(original['spec']);
  expect(copy['status']).toEqual({
    ...succeeded,
    reason: 'Copied',
    message: `The operator is running in ${own} but is managing this namespace`,
  });
  expect(copy.metadata.labels).toEqual({ 'olm.copiedFrom': own, kept: 'yes' });
  expect(copy.metadata.annotations).toEqual({
    'olm.operatorGroup': 'group',
    'olm.operatorNamespace': own,
    kept: 'yes',
  });
  expect(copy.metadata.finalizers).toBeUndefined();
  await setStatus(own, { phase: 'Failed', reason: 'ComponentUnhealthy', message: 'x' });
  await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Failed' }));
  await cluster.kube.patch(versionRef(own), { spec: { displayName: 'Ship' } }, user);
  await expectCopy(target, own, ({ spec }) => expect(spec).toMatchObject({ displayName: 'Ship' }));
  await deleteOperator(own);
  await expectNone(target);
});

test('copies follow the targets of the group; where it selects nothing, or there is no group, none remain', async () => {
  const [own = '', first = '', second = ''] = await namespaces(3);
  await createGroup(own, [first]);
  await createOperator(own);
  await expectCopy(first, own);
  await setTargets(own, { targetNamespaces: [second] });
  await expectCopy(second, own);
  await expectNone(first);
  await setTargets(own, { targetNamespaces: null, selector: { matchLabels: { none: 'none' } } });
  await expectNone(second);
  await setTargets(own, { targetNamespaces: [second] });
  await expectCopy(second, own);
  await createGroup(own, [first], 'other');
  await setStatus(own, { phase: 'Failed', reason: 'TooManyOperatorGroups' });
  await eventually(async () => {
    const { status } = await cluster.kube.get({ ...groupKind, namespace: own, name: 'group' });
    expect((status as JsonObject)['conditions']).toHaveLength(1);
  });
  await expectCopy(second, own);
  for (const name of ['group', 'other']) await cluster.kube.delete({ ...groupKind, namespace: own, name });
  await expectNone(second);
});

test.each([
  { reason: 'InterOperatorGroupOwnerConflict', spec: {} },
  { reason: 'ComponentUnhealthy', spec: { installModes: [] } },
])('an operator that is not an active member any more ($reason) loses its copies', async ({ reason, spec }) => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  await expectCopy(target, own);
  await cluster.kube.patch(versionRef(own), { spec }, user);
  await setStatus(own, { phase: 'Failed', reason });
  await expectNone(target);
});

test('copies of a global operator wait while it is being installed', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, []);
  const lastUpdateTime = formatTimestamp(Date.now() + 60_000);
  await createOperator(own, {
    name: 'ship',
    status: { phase: 'Installing', reason: 'InstallSucceeded', lastUpdateTime },
  });
  await createOperator(own);
  await expectCopy(target, own);
  // A time that is to come does not count.
  await eventually(async () => expect(await version(target, 'ship')).toBeDefined());
  await createOperator(own, {
    name: 'raft',
    status: { phase: 'Installing', reason: 'InstallSucceeded', lastUpdateTime: formatTimestamp(Date.now()) },
  });
  await createOperator(own, { name: 'ferry' });
  await eventually(async () => expect(await version(target, 'ferry')).toBeDefined());
  const early = await version(target, 'raft');
  await setStatus(own, succeeded, 'raft');
  await eventually(async () => expect(await version(target, 'raft')).toBeDefined());
  expect(early).toBeUndefined();
  // Its copies would be in the namespaces of all other tests.
  await cluster.kube.delete({ ...groupKind, namespace: own, name: 'group' });
  await expectNone(target);
});

test('what is changed in a copy by hand is reverted', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  const { metadata } = await expectCopy(target, own);
  await setStatus(target, { phase: 'Failed', message: 'forged' });
  await expectCopy(target, own, ({ status }) =>
    expect(status).toMatchObject({ phase: 'Succeeded', message: expect.stringContaining('managing') as string }),
  );
  await cluster.kube.patch(versionRef(target), { spec: { displayName: 'forged' } }, user);
  await expectCopy(target, own, ({ spec }) => expect(spec).toMatchObject({ displayName: 'Boat' }));
  await cluster.kube.patch(versionRef(target), { metadata: { labels: { 'olm.copiedFrom': null } } }, user);
  await expectCopy(target, own, (copy) => expect(copy.metadata.uid).toBe(metadata.uid));
  await cluster.kube.patch(
    versionRef(target),
    { metadata: { annotations: { 'olm.operatorNamespace': 'forged' } } },
    user,
  );
  await expectCopy(target, own, (copy) => expect(copy.metadata.uid).not.toBe(metadata.uid));
  await cluster.kube.delete(versionRef(target));
  await expectCopy(target, own);
});

test('what is changed while no process runs is reverted as well', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  await expectCopy(target, own);
  await running[Symbol.asyncDispose]();
  await setStatus(target, { phase: 'Failed' });
  await run();
  await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Succeeded' }));
});

test('a ClusterServiceVersion with the label of copies that nothing is copied to is deleted, unless it was an operator', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const label = { metadata: { labels: { 'olm.copiedFrom': own } } };
  const spec = { displayName: 'Forged', install: { strategy: 'deployment' } };
  await createOperator(target, { name: 'real' });
  await cluster.kube.patch(versionRef(target, 'real'), label, user);
  await cluster.kube.create(
    { ...versionKind, metadata: { namespace: target, name: 'forged', ...label.metadata }, spec },
    user,
  );
  await expectNone(target, 'forged');
  await createGroup(own, [target]);
  await createOperator(own, { name: 'real' });
  await createOperator(own);
  await expectCopy(target, own);
  const real = await version(target, 'real');
  expect(real?.metadata.deletionTimestamp).toBeUndefined();
  expect(real?.['status']).toEqual(succeeded);
});

test('an operator that gets the label of copies by mistake keeps its copies', async () => {
  const [own = '', target = '', other = ''] = await namespaces(3);
  await createGroup(own, [target]);
  await createOperator(own);
  const { metadata } = await expectCopy(target, own);
  await cluster.kube.patch(versionRef(own), { metadata: { labels: { 'olm.copiedFrom': other } } }, user);
  await createGroup(other, [target]);
  await createOperator(other, { name: 'later' });
  await eventually(async () => expect(await version(target, 'later')).toBeDefined());
  expect((await version(target))?.metadata.uid).toBe(metadata.uid);
  expect(await version(own)).toBeDefined();
  await cluster.kube.patch(versionRef(own), { metadata: { labels: { 'olm.copiedFrom': null } } }, user);
  await deleteOperator(own);
  await expectNone(target);
});

test('an operator is not copied over one of its name', async () => {
  const [own = '', target = '', free = ''] = await namespaces(3);
  await createOperator(target);
  await createGroup(own, [target, free]);
  await createOperator(own);
  await expectCopy(free, own);
  expect((await version(target))?.['status']).toEqual(succeeded);
  await deleteOperator(target);
  await expectCopy(target, own);
});

test('permissions are copied to the targets, follow those of the operator, and leave with its targets', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [own, target]);
  const wider = [...rules, { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const csv = await createOperator(own, requesting(wider));
  await createAccess(csv);
  const { metadata } = await expectCopy(target, own);
  await eventually(async () => expect((await inNamespace('Role', target))?.['rules']).toEqual(rules));
  await eventually(async () => {
    const binding = await inNamespace('RoleBinding', target);
    expect(binding?.['subjects']).toEqual([{ kind: 'ServiceAccount', name: 'sailor', namespace: own }]);
    expect(binding?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    expect(binding?.metadata.labels).toEqual({
      'olm.managed': 'true',
      'olm.owner': 'boat',
      'olm.owner.namespace': target,
      'olm.owner.kind': 'ClusterServiceVersion',
      'olm.copiedFrom': own,
    });
  });
  const role = { apiVersion: rbac, kind: 'Role', name: 'boat-role' };
  await cluster.kube.patch({ ...role, namespace: own }, { rules: wider }, user);
  await eventually(async () => expect((await inNamespace('Role', target))?.['rules']).toEqual(wider));
  await cluster.kube.patch({ ...role, namespace: target }, { rules: [] }, user);
  await eventually(async () => expect((await inNamespace('Role', target))?.['rules']).toEqual(wider));
  await cluster.kube.delete({ ...role, namespace: own });
  await eventually(async () => expect(await inNamespace('Role', target)).toBeUndefined());
  await eventually(async () => expect(await inNamespace('RoleBinding', target)).toBeUndefined());
  await createAccess(csv, { name: 'again' });
  await eventually(async () => expect(await inNamespace('RoleBinding', target, 'again')).toBeDefined());
  await setTargets(own, { targetNamespaces: [own] });
  await eventually(async () => expect(await inNamespace('Role', target, 'again')).toBeUndefined());
});

test.each(['example.com/retain', 'operators.coreos.com/csv-cleanup'])(
  'a finalizer (%s) that a tenant sets on a copy does not keep the permissions of an operator that has left',
  async (finalizer) => {
    const [own = '', target = ''] = await namespaces(2);
    await createGroup(own, [target]);
    await createAccess(await createOperator(own, requesting()));
    await eventually(async () => expect(await inNamespace('RoleBinding', target)).toBeDefined());
    await cluster.kube.patch(versionRef(target), { metadata: { finalizers: [finalizer] } }, user);
    await setTargets(own, { targetNamespaces: [own] });
    await eventually(async () => expect(await inNamespace('RoleBinding', target)).toBeUndefined());
    await eventually(async () => expect(await inNamespace('Role', target)).toBeUndefined());
  },
);

test('an operator with wider cluster permissions gets no others', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const clusterPermissions = [{ serviceAccountName: 'sailor', rules: everything }];
  await createAccess(await createOperator(own, { ...requesting(), clusterPermissions }));
  await expectCopy(target, own);
  await createOperator(own, { name: 'later' });
  await eventually(async () => expect(await version(target, 'later')).toBeDefined());
  expect(await inNamespace('Role', target)).toBeUndefined();
});

test('a Role of another owner in a target stays as it is, which is reported', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const foreign = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  await cluster.kube.create(
    { apiVersion: rbac, kind: 'Role', metadata: { namespace: target, name: 'boat-role' }, rules: foreign },
    user,
  );
  await createGroup(own, [target]);
  await createAccess(await createOperator(own, requesting()));
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotCopied'));
  expect((await inNamespace('Role', target))?.['rules']).toEqual(foreign);
  // It would give the operator what that Role allows.
  expect(await inNamespace('RoleBinding', target)).toBeUndefined();
});

test('an operator of a group with a service account gets beyond its namespace what that account may give', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: own, name: 'limited' } };
  await cluster.kube.create(account, user);
  const spec = { targetNamespaces: [target], serviceAccountName: 'limited' };
  await cluster.kube.create({ ...groupKind, metadata: { namespace: own, name: 'group' }, spec }, user);
  await createAccess(await createOperator(own, requesting()));
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotCopied'));
  expect(await inNamespace('Role', target)).toBeUndefined();
  expect(await inNamespace('RoleBinding', target)).toBeUndefined();
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' };
  const subjects = [{ kind: 'ServiceAccount', name: 'limited', namespace: own }];
  const metadata = { namespace: target, name: 'limited' };
  await cluster.kube.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects }, user);
  const role = { apiVersion: rbac, kind: 'Role', namespace: own, name: 'boat-role' };
  await cluster.kube.patch(role, { metadata: { labels: { seen: 'again' } } }, user);
  await eventually(async () => expect(await inNamespace('RoleBinding', target)).toBeDefined());
  await cluster.kube.patch({ ...groupKind, namespace: own, name: 'group' }, { spec: { targetNamespaces: null } }, user);
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotLifted'));
  expect(await inCluster('ClusterRole')).toBeUndefined();
  expect(await inCluster('ClusterRoleBinding')).toBeUndefined();
  await deleteOperator(own);
});

test('an operator gets nothing from a service account that does not exist, whatever its bindings allow', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' };
  const subjects = [{ kind: 'ServiceAccount', name: 'deleted', namespace: own }];
  const metadata = { namespace: target, name: 'deleted' };
  await cluster.kube.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects }, user);
  const spec = { targetNamespaces: [target], serviceAccountName: 'deleted' };
  await cluster.kube.create({ ...groupKind, metadata: { namespace: own, name: 'group' }, spec }, user);
  await createAccess(await createOperator(own, requesting()));
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotCopied'));
  expect(await inNamespace('Role', target)).toBeUndefined();
  expect(await inNamespace('RoleBinding', target)).toBeUndefined();
  await deleteOperator(own);
});

test('permissions of a global operator are lifted, follow its own, and end when it is not global any more', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, []);
  const csv = await createOperator(own, requesting());
  await createAccess(csv, { name: 'lifted', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } });
  const namespaceRule = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] };
  await eventually(async () => {
    const role = await inCluster('ClusterRole', 'lifted');
    expect(role?.['rules']).toEqual([...rules, namespaceRule]);
    expect(role?.metadata.labels).toEqual({
      'olm.managed': 'true',
      'olm.owner': 'boat',
      'olm.owner.namespace': own,
      'olm.owner.kind': 'ClusterServiceVersion',
    });
  });
  await eventually(async () => {
    const binding = await inCluster('ClusterRoleBinding', 'lifted');
    expect(binding?.['subjects']).toEqual([{ kind: 'ServiceAccount', name: 'sailor', namespace: own }]);
    expect(binding?.['roleRef']).toMatchObject({ kind: 'ClusterRole', name: 'lifted' });
  });
  await expectCopy(target, own);
  expect(await inNamespace('Role', target, 'lifted')).toBeUndefined();
  await cluster.kube.delete({ apiVersion: rbac, kind: 'ClusterRoleBinding', name: 'lifted' });
  await eventually(async () => expect(await inCluster('ClusterRoleBinding', 'lifted')).toBeDefined());
  await setTargets(own, { targetNamespaces: [target] });
  await eventually(async () => expect(await inCluster('ClusterRole', 'lifted')).toBeUndefined());
  await eventually(async () => expect(await inCluster('ClusterRoleBinding', 'lifted')).toBeUndefined());
  await eventually(async () => expect(await inNamespace('Role', target, 'lifted')).toBeDefined());
});

test('what a tenant writes into the namespace of a global operator is not lifted beyond what that requests', async () => {
  const [own = ''] = await namespaces(1);
  await createGroup(own, []);
  const csv = await createOperator(own, requesting());
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const tenant = [{ kind: 'User', name: 'tenant', apiGroup: 'rbac.authorization.k8s.io' }];
  const system = (await inCluster('ClusterRole', 'cluster-admin'))?.['rules'];
  await createAccess(csv, { name: 'label-only', uid: '00000000-0000-4000-8000-000000000000' });
  await createAccess(csv, { name: 'cluster-admin', rules });
  await createAccess(csv, { name: 'wide', rules: all });
  await createAccess(csv, { name: 'more', rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] });
  await createAccess(csv, { name: 'user', subjects: tenant });
  await createAccess(csv, {
    name: 'to-admin',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
  });
  await createAccess(csv, { name: 'proper' });
  await eventually(async () => expect(await inCluster('ClusterRoleBinding', 'proper')).toBeDefined());
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotLifted'));
  const { items } = await cluster.kube.list({
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    labelSelector: `olm.owner.namespace=${own}`,
  });
  expect(items.map(({ metadata }) => metadata.name)).not.toEqual(expect.arrayContaining(['user']));
  for (const name of ['label-only', 'user', 'to-admin', 'more'])
    expect(await inCluster('ClusterRoleBinding', name)).toBeUndefined();
  expect((await inCluster('ClusterRole', 'cluster-admin'))?.['rules']).toEqual(system);
  expect((await inCluster('ClusterRole', 'wide'))?.['rules']).toMatchObject([
    rules[0] ?? {},
    { resources: ['namespaces'] },
  ]);
  await deleteOperator(own);
  await eventually(async () => expect(await inCluster('ClusterRole', 'proper')).toBeUndefined());
});

test('a ClusterRole of the cluster permissions of an operator is never taken for a lifted one', async () => {
  const [own = ''] = await namespaces(1);
  await createGroup(own, []);
  const csv = await createOperator(own, { ...requesting(), name: 'granting' });
  const labels = {
    'olm.managed': 'true',
    'olm.owner': 'granting',
    'olm.owner.namespace': own,
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  const granted = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
  await cluster.kube.create(
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'granted', labels }, rules: granted },
    user,
  );
  await createAccess(csv, { name: 'granted' });
  await eventually(async () => expect(await eventsOf(own)).toContain('PermissionsNotLifted'));
  expect((await inCluster('ClusterRole', 'granted'))?.['rules']).toEqual(granted);
  await deleteOperator(own, 'granting');
  await createAccess(await createOperator(own, { ...requesting(), name: 'granting' }), { name: 'granted-2' });
  await eventually(async () => expect(await inCluster('ClusterRole', 'granted-2')).toBeDefined());
  expect(await inCluster('ClusterRole', 'granted')).toBeDefined();
});

test('what Operator Lifecycle Manager has lifted is taken over, and follows the operator from then on', async () => {
  const [own = ''] = await namespaces(1);
  const labels = {
    'olm.managed': 'true',
    'olm.owner': 'taken',
    'olm.owner.namespace': own,
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  const metadata = { name: 'taken-over', labels };
  const namespaceRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };
  const lifted = { apiVersion: rbac, kind: 'ClusterRole', metadata, rules: [...rules, namespaceRule] };
  const { metadata: before } = await cluster.kube.create(lifted, user);
  await createGroup(own, []);
  await createAccess(await createOperator(own, { ...requesting(), name: 'taken' }), { name: 'taken-over' });
  await eventually(async () => expect(await inCluster('ClusterRoleBinding', 'taken-over')).toBeDefined());
  const after = await inCluster('ClusterRole', 'taken-over');
  expect(after?.metadata.uid).toBe(before.uid);
  expect(after?.['rules']).toEqual(lifted.rules);
  await cluster.kube.delete({ apiVersion: rbac, kind: 'Role', namespace: own, name: 'taken-over' });
  await eventually(async () => expect(await inCluster('ClusterRole', 'taken-over')).toBeUndefined());
});

test('copies of global operators are removed where they are disabled, except in protected namespaces', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const config = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' };
  const set = async (disableCopiedCSVs: boolean): Promise<void> => {
    const { name, ...kind } = config;
    await cluster.kube.apply({ ...kind, metadata: { name }, spec: { features: { disableCopiedCSVs } } }, user);
  };
  await createGroup(own, []);
  await createOperator(own, { name: 'global' });
  const has = async (namespace: string, expected: boolean): Promise<void> =>
    await eventually(async () => expect((await version(namespace, 'global')) !== undefined).toBe(expected));
  await has(target, true);
  await set(true);
  await has(target, false);
  await has('protected', true);
  await eventually(async () => expect(await eventsOf(own)).toContain('DisabledCopiedCSVs'));
  await set(false);
  await has(target, true);
});

test('a new namespace gets copies of global operators', async () => {
  const [own = ''] = await namespaces(1);
  await createGroup(own, []);
  await createOperator(own, { name: 'wide' });
  const [later = ''] = await namespaces(1);
  await eventually(async () => expect(await version(later, 'wide')).toBeDefined());
  await setTargets(own, { targetNamespaces: [own] });
  await expectNone(later, 'wide');
});
