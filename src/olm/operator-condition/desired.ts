import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  type OperatorConditionSpec,
  olmLabels,
  operatorConditionResource,
} from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { groupOf, type KubeObject, type OwnerReference } from '../../kube/index.ts';
import { componentLabelsOf } from '../../operators/index.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = `${rbacGroup}/v1`;

/** A controller reference that does not delay the deletion of the owner. */
function controllerReference(owner: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly uid?: string };
}): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: false };
}

/** What of `spec` follows from the ClusterServiceVersion. An account of both permission lists is listed twice, as by OLM.
 *  @see docs/spec/olm-v0.md#operatorcondition */
function subjectsOf({
  spec,
}: ClusterServiceVersion): Required<Pick<OperatorConditionSpec, 'deployments' | 'serviceAccounts'>> {
  const { deployments = [], clusterPermissions = [], permissions = [] } = spec.install.spec ?? {};
  const named = (names: readonly string[]): readonly string[] => names.filter((name) => name !== '');
  const accounts = named([...clusterPermissions, ...permissions].map(({ serviceAccountName }) => serviceAccountName));
  return {
    deployments: named(deployments.map(({ name }) => name)),
    serviceAccounts: accounts.length === 0 ? ['default'] : accounts,
  };
}

/** The OperatorCondition of an operator, as it is created. */
export function desiredCondition(csv: ClusterServiceVersion): KubeObject {
  const { apiVersion, kind } = operatorConditionResource;
  const { name, namespace = '' } = csv.metadata;
  const { apiVersion: csvVersion, kind: csvKind } = clusterServiceVersionResource;
  const owner = controllerReference({ apiVersion: csvVersion, kind: csvKind, metadata: csv.metadata });
  const { deployments, serviceAccounts } = subjectsOf(csv);
  const labels = componentLabelsOf(csv);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(Object.keys(labels).length > 0 && { labels }), ownerReferences: [owner] },
    spec: { deployments: [...deployments], serviceAccounts: [...serviceAccounts] },
  };
}

/** The Role and the RoleBinding that let the accounts of an operator write its OperatorCondition.
 *  @see docs/spec/olm-v0.md#operatorcondition */
export function desiredAccess(condition: KubeObject, accounts: readonly string[]): readonly KubeObject[] {
  const { name = '', namespace = '' } = condition.metadata;
  const { apiVersion, kind, plural } = operatorConditionResource;
  const owner = controllerReference({ apiVersion, kind, metadata: condition.metadata });
  const metadata = { name, namespace, labels: { [olmLabels.managed]: 'true' }, ownerReferences: [owner] };
  const rule = { apiGroups: [groupOf(apiVersion)], resources: [plural], resourceNames: [name] };
  const subjects = accounts.map((account): JsonObject => ({ kind: 'ServiceAccount', name: account }));
  return [
    { apiVersion: rbac, kind: 'Role', metadata, rules: [{ ...rule, verbs: ['get', 'update', 'patch'] }] },
    {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name },
      subjects,
    },
  ];
}
