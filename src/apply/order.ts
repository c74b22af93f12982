import type { KubeObject } from '../kube/index.ts';

/** The order in which kinds are installed; kinds that are not named come last. */
const kindOrder = [
  'Namespace',
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

const rankOf: ReadonlyMap<string, number> = new Map(kindOrder.map((kind, rank) => [kind, rank]));

/** Position of a kind in the order of installation; all unknown kinds share the last one. */
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
