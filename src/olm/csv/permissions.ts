import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { type CacheIndex, indexCache, type KindCache, type KubeObject, type NamespacedName } from '../../kube/index.ts';
import type { PolicyRule } from '../../rbac/index.ts';

/** The objects of role-based access control of the cluster. */
export interface PermissionCaches {
  readonly roles: KindCache;
  readonly roleBindings: KindCache;
  readonly clusterRoles: KindCache;
  readonly clusterRoleBindings: KindCache;
}

/** The operator whose requirements are checked. What is owned by other operators alone may disappear with them, and does not count. */
export interface Requester {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What service accounts may do, by the Roles and bindings of the cluster. */
export interface Permissions {
  /** In `namespace`; without one, in all of them. */
  rulesOf(account: NamespacedName, namespace: string | undefined, requester: Requester): readonly PolicyRule[];
  /** Service accounts that a binding names, as `namespace/name`; all of a namespace as `namespace/`, all of the cluster as `/`. */
  accountsOf(binding: KubeObject): readonly string[];
  /** Bindings of a ClusterRole. */
  bindingsOf(clusterRole: string): readonly KubeObject[];
  /** Grows with each change of any of the objects. */
  version(): number;
}

const everyAccount = 'system:serviceaccounts';
const userPrefix = 'system:serviceaccount:';
const authenticated = 'system:authenticated';

function keyOfSubject(subject: JsonObject, bindingNamespace: string): string {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  if (kind !== 'ServiceAccount') return `${kind} ${name}`;
  return `User ${userPrefix}${textAt(subject, 'namespace') || bindingNamespace}:${name}`;
}

function keysOfBinding(binding: KubeObject): string[] {
  const { namespace = '' } = binding.metadata;
  return objectsAt(binding as JsonObject, 'subjects').map(
    (subject) => `${namespace} ${keyOfSubject(subject, namespace)}`,
  );
}

function keysOfAccount({ namespace, name }: NamespacedName, place: string): string[] {
  const subjects = [
    `User ${userPrefix}${namespace}:${name}`,
    `Group ${everyAccount}:${namespace}`,
    `Group ${everyAccount}`,
    `Group ${authenticated}`,
  ];
  return subjects.map((subject) => `${place} ${subject}`);
}

function accountOfSubject(subject: JsonObject, bindingNamespace: string): string | undefined {
  const key = keyOfSubject(subject, bindingNamespace);
  if (key === `Group ${everyAccount}` || key === `Group ${authenticated}`) return '/';
  if (key.startsWith(`Group ${everyAccount}:`)) return `${key.slice(`Group ${everyAccount}:`.length)}/`;
  if (!key.startsWith(`User ${userPrefix}`)) return undefined;
  return key.slice(`User ${userPrefix}`.length).replace(':', '/');
}

const { kind: csvKind } = clusterServiceVersionResource;

/** Whether the object does not belong to other operators alone. */
function counts({ metadata }: KubeObject, { namespace, name, uid }: Requester): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === csvKind);
  if (owners.length > 0) return owners.some((owner) => owner.uid === uid);
  const { labels = {} } = metadata;
  if (metadata.namespace !== undefined || labels[olmLabels.ownerKind] !== csvKind) return true;
  return labels[olmLabels.owner] === name && labels[olmLabels.ownerNamespace] === namespace;
}

function roleNameOf(binding: KubeObject): { readonly kind: string; readonly name: string } {
  const reference = objectAt(binding as JsonObject, 'roleRef');
  return { kind: textAt(reference, 'kind'), name: textAt(reference, 'name') };
}

function keysOfClusterRole(binding: KubeObject): string[] {
  const { kind, name } = roleNameOf(binding);
  return kind === 'ClusterRole' ? [name] : [];
}

/** Reads permissions from caches, by the names in bindings. */
export function indexPermissions(caches: PermissionCaches): Permissions {
  const { roles, roleBindings, clusterRoles, clusterRoleBindings } = caches;
  const bySubject: readonly CacheIndex[] = [roleBindings, clusterRoleBindings].map((cache) =>
    indexCache(cache, keysOfBinding),
  );
  const byRole = [roleBindings, clusterRoleBindings].map((cache) => indexCache(cache, keysOfClusterRole));
  let version = 0;
  const count = (): void => {
    version += 1;
  };
  for (const cache of [roles, roleBindings, clusterRoles, clusterRoleBindings]) cache.subscribe(count);
  const roleOf = (binding: KubeObject): KubeObject | undefined => {
    const { kind, name } = roleNameOf(binding);
    return kind === 'ClusterRole' ? clusterRoles.get(name) : roles.get(name, binding.metadata.namespace);
  };
  const bindingsFor = (account: NamespacedName, place: string): KubeObject[] =>
    bySubject.flatMap((index) => keysOfAccount(account, place).flatMap((key) => index.get(key)));
  return {
    rulesOf: (account, namespace, requester) => {
      const places = namespace === undefined ? [''] : ['', namespace];
      const bindings = new Set(places.flatMap((place) => bindingsFor(account, place)));
      return [...bindings].flatMap((binding) => {
        const role = counts(binding, requester) ? roleOf(binding) : undefined;
        if (role === undefined || !counts(role, requester)) return [];
        return objectsAt(role as JsonObject, 'rules') as readonly PolicyRule[];
      });
    },
    accountsOf: (binding) =>
      objectsAt(binding as JsonObject, 'subjects').flatMap(
        (subject) => accountOfSubject(subject, binding.metadata.namespace ?? '') ?? [],
      ),
    bindingsOf: (clusterRole) => byRole.flatMap((index) => index.get(clusterRole)),
    version: () => version,
  };
}
