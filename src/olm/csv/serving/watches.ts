import { clusterServiceVersionResource, olmLabels } from '../../../api/index.ts';
import type { Watch } from '../../../controller/index.ts';
import type { CacheChange, KubeObject, NamespacedName } from '../../../kube/index.ts';
import type { PolicyRule } from '../../../rbac/index.ts';
import { type ServingContext, servingTargets } from './context.ts';

const { kind: csvKind } = clusterServiceVersionResource;

function ownersOf({ metadata }: KubeObject): NamespacedName[] {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const referenced = ownerReferences.filter(({ kind }) => kind === csvKind).map(({ name }) => ({ namespace, name }));
  const { [olmLabels.owner]: name, [olmLabels.ownerNamespace]: place, [olmLabels.ownerKind]: kind } = labels;
  const labelled = kind === csvKind && name !== undefined && place !== undefined ? [{ namespace: place, name }] : [];
  return [...referenced, ...labelled];
}

function requestsFor({ before, after }: CacheChange<KubeObject>): NamespacedName[] {
  return [before, after].flatMap((object) => (object === undefined ? [] : ownersOf(object)));
}

/** The ClusterServiceVersions that changes of what they serve with concern, by owner references and owner labels: a hint for the work queue. */
export function servingWatches(_context: ServingContext): readonly Watch[] {
  const { services, secrets, roles, roleBindings, clusterRoleBindings, apiServices } = servingTargets;
  const { validatingWebhooks, mutatingWebhooks } = servingTargets;
  const owned = [services, secrets, roles, roleBindings, clusterRoleBindings, apiServices];
  return [...owned, validatingWebhooks, mutatingWebhooks].map((target) => ({ target, requestsFor }));
}

const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const rbacGroup = 'rbac.authorization.k8s.io';

/** What serving needs in the cluster. */
export const servingPermissions: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['services', 'secrets'], verbs: all },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
  { apiGroups: [rbacGroup], resources: ['roles', 'rolebindings', 'clusterrolebindings'], verbs: all },
  { apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['system:auth-delegator'], verbs: ['bind'] },
  {
    apiGroups: [rbacGroup],
    resources: ['roles'],
    resourceNames: ['extension-apiserver-authentication-reader'],
    verbs: ['bind'],
  },
  { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: all },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: all,
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get', 'list', 'watch', 'update', 'patch'],
  },
];
