import { expect, test } from 'vitest';
import {
  cluster,
  createAccess,
  createGroup,
  createOperator,
  deleteOperator,
  eventsOf,
  expectCopy,
  groupKind,
  inCluster,
  inNamespace,
  namespaces,
  rbac,
  requesting,
  rules,
  runCopiedCsvs,
  setTargets,
  user,
  version,
  versionRef,
} from '../../../test/support/copied-csv-cluster.ts';
import { eventually } from '../../../test/support/index.ts';

runCopiedCsvs();

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
