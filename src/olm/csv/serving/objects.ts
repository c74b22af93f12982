import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  olmAnnotations,
  olmLabels,
} from '../../../api/index.ts';
import { type JsonObject, type ServingPair, sha256Digest } from '../../../base/index.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../kube/index.ts';
import { componentLabelsOf, ownerLabels } from '../../../operators/index.ts';
import { type ApiDescription, apiServiceName, portOf, type ServedDeployment } from './descriptions.ts';
import { authorityHash, secretData } from './serving-certificates.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = `${rbacGroup}/v1`;
const managed = { [olmLabels.managed]: 'true' };
const groupPriorityMinimum = 2000;
const versionPriority = 15;

/** Namespace of the Role that lets extension API servers authenticate users. */
const systemNamespace = 'kube-system';

/** A reference that neither controls nor delays the deletion of the owner. */
function csvReference({ metadata }: ClusterServiceVersion): OwnerReference {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false };
}

/** Labels by which objects outside of the namespace of the operator are found. */
export function csvLabels({ metadata }: ClusterServiceVersion): Record<string, string> {
  const { name, namespace = '' } = metadata;
  return { ...ownerLabels({ kind: clusterServiceVersionResource.kind, namespace, name }) };
}

function ownedMetadata(csv: ClusterServiceVersion, name: string): ObjectMeta {
  const { namespace = '' } = csv.metadata;
  return { name, namespace, labels: { ...managed, ...componentLabelsOf(csv) }, ownerReferences: [csvReference(csv)] };
}

/** The Service of a Deployment. */
export function desiredService(csv: ClusterServiceVersion, served: ServedDeployment): KubeObject {
  const spec = { ports: [...served.ports], selector: served.podLabels };
  return { apiVersion: 'v1', kind: 'Service', metadata: ownedMetadata(csv, served.service), spec };
}

/** The Secret with the certificate of a Deployment. */
export function desiredSecret(csv: ClusterServiceVersion, served: ServedDeployment, pair: ServingPair): KubeObject {
  const annotations = { [olmAnnotations.caHash]: authorityHash(pair) };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ownedMetadata(csv, served.secret), annotations },
    type: 'kubernetes.io/tls',
    data: secretData(pair),
  };
}

function subjectsOf({ account, namespace }: ServedDeployment): JsonObject[] {
  return [{ kind: 'ServiceAccount', name: account, namespace }];
}

/** The Role to read the Secret. */
export function desiredRole(csv: ClusterServiceVersion, served: ServedDeployment): KubeObject {
  const rule = { apiGroups: [''], resources: ['secrets'], resourceNames: [served.secret], verbs: ['get'] };
  return { apiVersion: rbac, kind: 'Role', metadata: ownedMetadata(csv, served.secret), rules: [rule] };
}

/** Grants that Role to the Pods. */
export function desiredRoleBinding(csv: ClusterServiceVersion, served: ServedDeployment): KubeObject {
  return {
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: ownedMetadata(csv, served.secret),
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name: served.secret },
    subjects: subjectsOf(served),
  };
}

/** A binding outside of the namespace of the operator, by the name that OLM gives it and by one that no other namespace has. */
export interface SharedBinding {
  readonly names: readonly [string, string];
  named(name: string): KubeObject;
}

function sharedBinding(
  { service, namespace }: ServedDeployment,
  suffix: string,
  of: (name: string) => KubeObject,
): SharedBinding {
  const hash = sha256Digest(namespace).slice('sha256:'.length, 'sha256:'.length + 8);
  return { names: [`${service}-${suffix}`, `${service}-${hash}-${suffix}`], named: of };
}

/** Bindings that let an extension API server authenticate and authorize the users of its requests.
 *  @see docs/spec/olm-v0.md#webhooks */
export function delegationBindings(csv: ClusterServiceVersion, served: ServedDeployment): readonly SharedBinding[] {
  const labels = csvLabels(csv);
  const subjects = subjectsOf(served);
  const delegator = sharedBinding(served, 'system:auth-delegator', (name) => ({
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: { ...labels, ...componentLabelsOf(csv) } },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects,
  }));
  const reader = sharedBinding(served, 'auth-reader', (name) => ({
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name, namespace: systemNamespace, labels },
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects,
  }));
  return [delegator, reader];
}

/** Whether a binding is one of these, for whichever Deployment. */
export function isDelegationBinding({ kind, metadata }: KubeObject): boolean {
  const { name = '', namespace } = metadata;
  if (kind === 'ClusterRoleBinding') return name.endsWith('-system:auth-delegator');
  return kind === 'RoleBinding' && namespace === systemNamespace && name.endsWith('-auth-reader');
}

/** The APIService of an owned API. */
export function desiredApiService(
  csv: ClusterServiceVersion,
  {
    served,
    api,
    pair,
  }: { readonly served: ServedDeployment; readonly api: ApiDescription; readonly pair: ServingPair },
): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiServiceName(api), labels: { ...csvLabels(csv), ...componentLabelsOf(csv) } },
    spec: {
      caBundle: Buffer.from(pair.caBundlePem).toString('base64'),
      group: api.group,
      groupPriorityMinimum,
      service: { name: served.service, namespace: served.namespace, port: portOf(api) },
      version: api.version,
      versionPriority,
    },
  };
}
