import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { Permission } from './csv.ts';
import { accountOf, permissionName } from './names.ts';
import type { RenderedObject } from './registry-bundle.ts';
import type { Rendering } from './rendering.ts';
import { isEverywhere } from './targets.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${rbacGroup}/v1`;

/** Added where an operator that was to watch some namespaces watches all of them. */
const namespacesRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };

function permissionsOf({ bundle }: Rendering): {
  readonly namespaced: readonly Permission[];
  readonly cluster: readonly Permission[];
} {
  const { permissions = [], clusterPermissions = [] } = bundle.csv.spec.install.spec;
  return { namespaced: permissions, cluster: clusterPermissions };
}

/** Accounts that permissions name; `default` exists already. */
export function generateServiceAccounts(rendering: Rendering): readonly RenderedObject[] {
  const { namespaced, cluster } = permissionsOf(rendering);
  const names = new Set([...namespaced, ...cluster].map(accountOf));
  names.delete('default');
  return [...names].sort().map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: rendering.installNamespace },
  }));
}

interface RolePair {
  readonly role: string;
  readonly binding: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function rolePair(rendering: Rendering, permission: Permission, pair: RolePair): readonly RenderedObject[] {
  const { role, binding, metadata } = pair;
  const subject = { kind: 'ServiceAccount', namespace: rendering.installNamespace, name: accountOf(permission) };
  const rules = permission.rules === null ? {} : { rules: permission.rules as unknown as JsonValue[] };
  return [
    { apiVersion, kind: role, metadata: { ...metadata }, ...rules },
    {
      apiVersion,
      kind: binding,
      metadata: { ...metadata },
      roleRef: { apiGroup: rbacGroup, kind: role, name: metadata.name },
      subjects: [subject as JsonObject],
    },
  ];
}

/** Roles and bindings in each watched namespace; none when all are watched. */
export function generateRoles(rendering: Rendering): readonly RenderedObject[] {
  const { targets, bundle } = rendering;
  if (isEverywhere(targets)) return [];
  return targets.flatMap((namespace) =>
    permissionsOf(rendering).namespaced.flatMap((permission) => {
      const name = permissionName(bundle.csv.metadata.name ?? '', permission);
      return rolePair(rendering, permission, { role: 'Role', binding: 'RoleBinding', metadata: { name, namespace } });
    }),
  );
}

/** Cluster roles and bindings; an operator that watches everything gets its namespaced permissions so as well. */
export function generateClusterRoles(rendering: Rendering): readonly RenderedObject[] {
  const { namespaced, cluster } = permissionsOf(rendering);
  const promoted = isEverywhere(rendering.targets)
    ? namespaced.map((permission) => ({ ...permission, rules: [...(permission.rules ?? []), namespacesRule] }))
    : [];
  return [...cluster, ...promoted].flatMap((permission) => {
    const name = permissionName(rendering.bundle.csv.metadata.name ?? '', permission);
    return rolePair(rendering, permission, {
      role: 'ClusterRole',
      binding: 'ClusterRoleBinding',
      metadata: { name },
    });
  });
}
