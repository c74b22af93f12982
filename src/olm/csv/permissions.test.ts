import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import type { CacheChange, KindCache, KubeObject } from '../../kube/index.ts';
import { indexPermissions, type Permissions } from './permissions.ts';

/** A cache without a server. */
class FakeCache implements Pick<KindCache, 'get' | 'values' | 'subscribe'> {
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners: ((change: CacheChange<KubeObject>) => void)[] = [];

  get(name: string, namespace = ''): KubeObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  values(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  subscribe(listener: (change: CacheChange<KubeObject>) => void): Disposable {
    this.#listeners.push(listener);
    return { [Symbol.dispose]: () => undefined };
  }

  put(metadata: KubeObject['metadata'], body: JsonObject): void {
    const key = `${metadata.namespace ?? ''}/${metadata.name}`;
    const before = this.#objects.get(key);
    const after: KubeObject = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'X', ...body, metadata };
    this.#objects.set(key, after);
    for (const listener of this.#listeners) listener({ before, after });
  }
}

interface Cluster {
  readonly roles: FakeCache;
  readonly roleBindings: FakeCache;
  readonly clusterRoles: FakeCache;
  readonly clusterRoleBindings: FakeCache;
  readonly permissions: Permissions;
}

function clusterOf(): Cluster {
  const caches = {
    roles: new FakeCache(),
    roleBindings: new FakeCache(),
    clusterRoles: new FakeCache(),
    clusterRoleBindings: new FakeCache(),
  };
  return { ...caches, permissions: indexPermissions(caches as unknown as Parameters<typeof indexPermissions>[0]) };
}

const requester = { namespace: 'a', name: 'boat.v2', uid: 'uid-2' };
const account = { namespace: 'a', name: 'boat' };
const ruleOf = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const bound = (kind: string, name: string, subject: JsonObject): JsonObject => ({
  roleRef: { kind, name },
  subjects: [subject],
});
const own = { kind: 'ServiceAccount', name: 'boat' };
const csvOwner = (uid: string) => [
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', name: 'x', uid },
];

test('rules of a namespace come from its bindings and from those of the cluster', () => {
  const { roles, roleBindings, clusterRoles, clusterRoleBindings, permissions } = clusterOf();
  roles.put({ namespace: 'a', name: 'r' }, { rules: [ruleOf('pods')] });
  roleBindings.put({ namespace: 'a', name: 'r' }, bound('Role', 'r', own));
  roleBindings.put({ namespace: 'b', name: 'r' }, bound('ClusterRole', 'c', { ...own, namespace: 'a' }));
  clusterRoles.put({ name: 'c' }, { rules: [ruleOf('nodes')] });
  clusterRoleBindings.put({ name: 'c' }, bound('ClusterRole', 'c', { ...own, namespace: 'a' }));
  expect(permissions.rulesOf(account, 'a', requester)).toEqual([ruleOf('nodes'), ruleOf('pods')]);
  expect(permissions.rulesOf(account, undefined, requester)).toEqual([ruleOf('nodes')]);
  expect(permissions.rulesOf({ namespace: 'b', name: 'boat' }, 'b', requester)).toEqual([]);
  expect(permissions.bindingsOf('c')).toHaveLength(2);
});

test.each([
  { kind: 'Group', name: 'system:serviceaccounts' },
  { kind: 'Group', name: 'system:serviceaccounts:a' },
  { kind: 'Group', name: 'system:authenticated' },
  { kind: 'User', name: 'system:serviceaccount:a:boat' },
])('an account is bound as $kind $name', (subject) => {
  const { clusterRoles, clusterRoleBindings, permissions } = clusterOf();
  clusterRoles.put({ name: 'c' }, { rules: [ruleOf('nodes')] });
  clusterRoleBindings.put({ name: 'c' }, bound('ClusterRole', 'c', subject));
  expect(permissions.rulesOf(account, undefined, requester)).toEqual([ruleOf('nodes')]);
  clusterRoleBindings.put({ name: 'c' }, bound('ClusterRole', 'c', { kind: 'User', name: 'other' }));
  expect(permissions.rulesOf(account, undefined, requester)).toEqual([]);
});

test('what belongs to other operators alone does not count', () => {
  const { roles, roleBindings, clusterRoles, clusterRoleBindings, permissions } = clusterOf();
  roles.put({ namespace: 'a', name: 'old', ownerReferences: csvOwner('uid-1') }, { rules: [ruleOf('pods')] });
  roleBindings.put({ namespace: 'a', name: 'old' }, bound('Role', 'old', own));
  const labels = {
    'olm.owner': 'boat.v1',
    'olm.owner.namespace': 'a',
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  clusterRoles.put({ name: 'old', labels }, { rules: [ruleOf('nodes')] });
  clusterRoleBindings.put({ name: 'old' }, bound('ClusterRole', 'old', { ...own, namespace: 'a' }));
  expect(permissions.rulesOf(account, 'a', requester)).toEqual([]);
  roles.put({ namespace: 'a', name: 'old', ownerReferences: csvOwner('uid-2') }, { rules: [ruleOf('pods')] });
  clusterRoles.put({ name: 'old', labels: { ...labels, 'olm.owner': 'boat.v2' } }, { rules: [ruleOf('nodes')] });
  expect(permissions.rulesOf(account, 'a', requester)).toEqual([ruleOf('nodes'), ruleOf('pods')]);
});

test('a binding names the accounts that a change of it concerns', () => {
  const { permissions } = clusterOf();
  const metadata = { name: 'x', namespace: 'a' };
  const subjects = [
    own,
    { kind: 'Group', name: 'system:serviceaccounts:b' },
    { kind: 'Group', name: 'system:authenticated' },
    { kind: 'User', name: 'jane' },
  ];
  expect(permissions.accountsOf({ apiVersion: 'x', kind: 'RoleBinding', metadata, subjects })).toEqual([
    'a/boat',
    'b/',
    '/',
  ]);
});

test('the version grows with each change', () => {
  const { roles, permissions } = clusterOf();
  const before = permissions.version();
  roles.put({ namespace: 'a', name: 'r' }, { rules: [] });
  expect(permissions.version()).toBe(before + 1);
});
