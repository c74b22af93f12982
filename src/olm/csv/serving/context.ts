import { clusterServiceVersionResource, olmLabels, operatorGroupResource } from '../../../api/index.ts';
import type { Clock } from '../../../base/index.ts';
import type { Manager } from '../../../controller/index.ts';
import { type CacheIndex, indexCache, type KindCache, type KubeClient, type ListTarget } from '../../../kube/index.ts';
import { definitionSummaries } from '../../definition-summaries.ts';
import { CertificateReader } from './serving-certificates.ts';

const managed = `${olmLabels.managed}=true`;
const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';

type TargetName =
  | 'versions'
  | 'groups'
  | 'deployments'
  | 'services'
  | 'secrets'
  | 'roles'
  | 'roleBindings'
  | 'clusterRoles'
  | 'clusterRoleBindings'
  | 'apiServices'
  | 'validatingWebhooks'
  | 'mutatingWebhooks'
  | 'definitions';

/** What serving reads, as caches of the manager are requested. */
export const servingTargets: Readonly<Record<TargetName, ListTarget>> = {
  versions: { ...clusterServiceVersionResource, labelSelector: `!${olmLabels.copiedFrom}` },
  groups: operatorGroupResource,
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment', labelSelector: managed },
  services: { apiVersion: 'v1', kind: 'Service', labelSelector: managed },
  secrets: { apiVersion: 'v1', kind: 'Secret', labelSelector: managed, fieldSelector: 'type=kubernetes.io/tls' },
  roles: { apiVersion: rbac, kind: 'Role' },
  roleBindings: { apiVersion: rbac, kind: 'RoleBinding' },
  clusterRoles: { apiVersion: rbac, kind: 'ClusterRole' },
  clusterRoleBindings: { apiVersion: rbac, kind: 'ClusterRoleBinding' },
  apiServices: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  validatingWebhooks: { apiVersion: admission, kind: 'ValidatingWebhookConfiguration', labelSelector: managed },
  mutatingWebhooks: { apiVersion: admission, kind: 'MutatingWebhookConfiguration', labelSelector: managed },
  definitions: definitionSummaries,
};

/** The caches of what serving reads. */
export type ServingCaches = Readonly<Record<TargetName, KindCache>>;

/** What serving works with. */
export interface ServingContext {
  /** Writes. To install with the permissions of a service account, pass the same context with a client that acts as it. */
  readonly kube: KubeClient;
  /** Reads what is not cached. */
  readonly reader: KubeClient;
  readonly clock: Clock;
  readonly caches: ServingCaches;
  /** OperatorGroups by their namespace. */
  readonly groupsIn: CacheIndex;
  readonly certificates: CertificateReader;
  /** Of the Subscription, for APIServices; those that an APIService has already stay as they are. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The context of a manager; opens its caches. */
export function createServingContext(manager: Pick<Manager, 'kube' | 'clock' | 'cache'>): ServingContext {
  const { kube, clock } = manager;
  const entries = Object.entries(servingTargets).map(([name, target]) => [name, manager.cache(target)]);
  const caches = Object.fromEntries(entries) as ServingCaches;
  const groupsIn = indexCache(caches.groups, ({ metadata }) => [metadata.namespace ?? '']);
  return { kube, reader: kube, clock, caches, groupsIn, certificates: new CertificateReader() };
}
