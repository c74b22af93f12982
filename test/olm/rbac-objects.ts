import type { JsonObject } from '../../src/base/index.ts';
import { inNamespace } from './objects.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Rule of a permission: reads ConfigMaps. */
export const readsConfigMaps: JsonObject = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
/** Rule of a permission: reads Nodes. */
export const readsNodes: JsonObject = { apiGroups: [''], resources: ['nodes'], verbs: ['get'] };

interface Placed {
  readonly name?: string;
  readonly namespace?: string;
  readonly metadata?: JsonObject;
}

function metadataOf({ name = 'boat', namespace = 'a', metadata = {} }: Placed): JsonObject {
  return { name, namespace: inNamespace(namespace), ...metadata };
}

export const serviceAccount = (options: Placed = {}): JsonObject => {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadataOf(options) };
};

export const configMap = (options: Placed = {}, data: JsonObject = { key: 'value' }): JsonObject => {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(options), data };
};

const subjects = (account: string, namespace: string): JsonObject[] => [
  { kind: 'ServiceAccount', name: account, namespace: inNamespace(namespace) },
];

/** A Role and its RoleBinding to the ServiceAccount of the same name. */
export function role(rules: readonly JsonObject[], options: Placed = {}): JsonObject[] {
  const { name = 'boat', namespace = 'a' } = options;
  const metadata = metadataOf(options);
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: rules as JsonObject[] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: subjects(name, namespace),
    },
  ];
}

/** A ClusterRole named `$id-NAME` and its ClusterRoleBinding to the ServiceAccount NAME. */
export function clusterRole(rules: readonly JsonObject[], options: Placed = {}): JsonObject[] {
  const { name = 'boat', namespace = 'a' } = options;
  const metadata = { name: `$id-${name}` };
  return [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules: rules as JsonObject[] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `$id-${name}` },
      subjects: subjects(name, namespace),
    },
  ];
}

/** To an object of the namespace `a`. */
export function ownerReference(apiVersion: string, kind: string, name: string): JsonObject {
  return { apiVersion, kind, name, uid: `$uid/${kind}/${name}` };
}

/** Asks whether a user may do something. */
export function accessReview(user: string, attributes: JsonObject): JsonObject {
  const spec = { user, resourceAttributes: attributes };
  return { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
}
