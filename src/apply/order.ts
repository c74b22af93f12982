import type { KubeObject } from '../kube/index.ts';

/** The order in which kinds are installed; kinds that are not named come after them. */
const kindOrder = [
  'Namespace',
  'PriorityClass',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'Issuer',
  'Certificate',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];

/** After everything else: they would block their objects before their servers answer. */
const lastKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const lastRank = kindOrder.length + 1;

const rankOf: ReadonlyMap<string, number> = new Map([
  ...kindOrder.map((kind, rank): [string, number] => [kind, rank]),
  ...lastKinds.map((kind): [string, number] => [kind, lastRank]),
]);

/** Position of a kind in the order of installation; all unknown kinds share one. */
export function installRank(kind: string): number {
  return rankOf.get(kind) ?? kindOrder.length;
}

/** Objects that may be installed at the same time, batch after batch; the order within a rank is that of `objects`. */
export function installBatches<T extends Pick<KubeObject, 'kind'>>(objects: readonly T[]): readonly (readonly T[])[] {
  const batches = new Map<number, T[]>();
  for (const object of objects) {
    const rank = installRank(object.kind);
    const batch = batches.get(rank);
    if (batch === undefined) batches.set(rank, [object]);
    else batch.push(object);
  }
  return [...batches].sort(([a], [b]) => a - b).map(([, batch]) => batch);
}
