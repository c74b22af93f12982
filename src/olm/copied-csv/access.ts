import { type ClusterServiceVersion, clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { componentLabelsOf, ownerLabels } from '../../operators/index.ts';
import type { PolicyRule } from '../../rbac/index.ts';
import { ownerKey, rbacTargets } from '../rbac-objects.ts';
import { isClusterWide, permittedRules, permittedSubjects, readRule, requestedRules } from './permitted.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
/** Of a ClusterRole or ClusterRoleBinding: uid of the Role or RoleBinding that it was lifted from. Only what has it is deleted with that. */
export const liftedAnnotation = 'olm.operatorframework.io/lifted-from';

/** A ClusterServiceVersion that is no copy. */
export interface Operator {
  readonly object: KubeObject;
  readonly csv: ClusterServiceVersion;
}

/** What a Role and its binding in the namespace of an operator allow it in its target namespaces. */
interface Grant {
  readonly object: KubeObject;
}
interface RoleGrant extends Grant {
  readonly rules: readonly PolicyRule[];
}
interface BindingGrant extends Grant {
  readonly roleName: string;
  readonly subjects: readonly JsonObject[];
}
/** The Roles and bindings that count. */
export interface Access {
  readonly roles: readonly RoleGrant[];
  readonly bindings: readonly BindingGrant[];
}

/** What the owner labels of an operator are on. */
interface OwnedObjects {
  readonly roles: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
}

/** Labels are a hint that anyone may write who may write Roles: the uid of the owner counts. */
function isOwnedBy({ metadata }: KubeObject, { object }: Operator): boolean {
  const isThere =
    metadata.namespace === object.metadata.namespace && metadata.labels?.[olmLabels.copiedFrom] === undefined;
  const { kind } = clusterServiceVersionResource;
  const owners = metadata.ownerReferences ?? [];
  return isThere && owners.some((owner) => owner.kind === kind && owner.uid === object.metadata.uid);
}

/** The key of what belongs to a ClusterServiceVersion, by its labels. */
export function versionKey({ namespace = '', name = '' }: { namespace?: string; name?: string }): string {
  return ownerKey({ kind: clusterServiceVersionResource.kind, namespace, name });
}

const none: Access = { roles: [], bindings: [] };

/** The Roles of an operator with what of their rules it requests, and bindings of its ServiceAccounts to them. None if it has all that it requests by
 *  its cluster permissions.
 *  @see docs/spec/olm-v0.md#for-the-operator-in-its-targets */
export function readAccess(operator: Operator, objects: OwnedObjects): Access {
  if (isClusterWide(operator.csv)) return none;
  const requested = requestedRules(operator.csv);
  const own = (labelled: readonly KubeObject[]): readonly KubeObject[] =>
    labelled.filter((object) => isOwnedBy(object, operator) && object.metadata.deletionTimestamp === undefined);
  const roles = own(objects.roles).flatMap((object) => {
    const rules = permittedRules(objectsAt(object as JsonObject, 'rules').map(readRule), requested);
    return rules.length === 0 ? [] : [{ object, rules }];
  });
  const names = new Set(roles.map(({ object }) => object.metadata.name));
  const bindings = own(objects.bindings).flatMap((object) => {
    const roleRef = objectAt(object as JsonObject, 'roleRef');
    const roleName = textAt(roleRef, 'name');
    const subjects = permittedSubjects(operator.csv, objectsAt(object as JsonObject, 'subjects'));
    if (textAt(roleRef, 'kind') !== 'Role' || !names.has(roleName) || subjects.length === 0) return [];
    return [{ object, roleName, subjects }];
  });
  return { roles, bindings };
}

function labelsOf(object: KubeObject, owner: { readonly namespace: string; readonly name: string }) {
  const { [olmLabels.permissionsHash]: hash } = object.metadata.labels ?? {};
  const labels = ownerLabels({ kind: clusterServiceVersionResource.kind, ...owner });
  return { ...labels, ...(hash !== undefined && { [olmLabels.permissionsHash]: hash }) };
}

const plain = (value: unknown): never => value as never;

/** The Roles and bindings for a target namespace; they are deleted with the copy there. */
export function tenantAccess({ roles, bindings }: Access, copy: KubeObject, from: string): readonly KubeObject[] {
  const { namespace = '', name = '', uid = '' } = copy.metadata;
  const { apiVersion, kind } = clusterServiceVersionResource;
  const metadataOf = (object: KubeObject): KubeObject['metadata'] => ({
    name: object.metadata.name ?? '',
    namespace,
    labels: { ...labelsOf(object, { namespace, name }), [olmLabels.copiedFrom]: from },
    ownerReferences: [{ apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false }],
  });
  return [
    ...roles.map(({ object, rules }) => ({
      ...rbacTargets.roles,
      metadata: metadataOf(object),
      rules: plain(rules),
    })),
    ...bindings.map(({ object, roleName, subjects }) => ({
      ...rbacTargets.roleBindings,
      metadata: metadataOf(object),
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name: roleName },
      subjects: plain(subjects),
    })),
  ];
}

const namespaceRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };

/** The ClusterRoles and bindings for an operator that watches all namespaces. Other labels than those of the owner are not lifted: they could
 *  aggregate the ClusterRole. */
export function liftedAccess({ roles, bindings }: Access, csv: ClusterServiceVersion): readonly KubeObject[] {
  const metadataOf = ({ metadata }: KubeObject): KubeObject['metadata'] => {
    const { labels = {}, name = '', uid = '' } = metadata;
    const owner = { namespace: labels[olmLabels.ownerNamespace] ?? '', name: labels[olmLabels.owner] ?? '' };
    return {
      name,
      labels: { ...labelsOf({ apiVersion: '', kind: '', metadata }, owner), ...componentLabelsOf(csv) },
      annotations: { [liftedAnnotation]: uid },
    };
  };
  return [
    ...roles.map(({ object, rules }) => ({
      ...rbacTargets.clusterRoles,
      metadata: metadataOf(object),
      rules: plain([...rules, namespaceRule]),
    })),
    ...bindings.map(({ object, roleName, subjects }) => ({
      ...rbacTargets.clusterRoleBindings,
      metadata: metadataOf(object),
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: roleName },
      subjects: plain(subjects),
    })),
  ];
}
