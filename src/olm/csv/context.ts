import {
  operatorConditionResource,
  parseSubscription,
  type Subscription,
  subscriptionResource,
} from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import {
  type CacheIndex,
  type EventRecorder,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
} from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import { ClusterProxy } from './cluster-proxy.ts';
import { type GroupIndex, indexGroups } from './group-index.ts';
import { indexPermissions, type Permissions } from './permissions.ts';
import { readable } from './readable.ts';
import { ServerVersion } from './server-version.ts';
import { createServingContext, type ServingContext, servingTargets } from './serving/index.ts';
import { indexVersions } from './version-index.ts';

type TargetName = 'accounts' | 'summaries' | 'conditions' | 'subscriptions';

/** What the controller reads beside the targets of serving. */
export const csvTargets: Readonly<Record<TargetName, ListTarget>> = {
  accounts: { apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true },
  summaries: servingTargets.definitions,
  conditions: operatorConditionResource,
  subscriptions: subscriptionResource,
};

/** The caches of the controller. */
export type CsvCaches = ServingContext['caches'] & Readonly<Record<TargetName, KindCache>>;

/** What the controller works with. */
export interface CsvContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly metrics: Metrics | undefined;
  readonly events: EventRecorder;
  readonly serving: ServingContext;
  readonly caches: CsvCaches;
  readonly versions: CacheIndex;
  readonly groups: GroupIndex;
  /** By the uid of an owner. */
  readonly deploymentsByOwner: CacheIndex;
  /** By `namespace/name` of a ClusterServiceVersion. */
  readonly subscriptions: CacheIndex;
  readonly permissions: Permissions;
  readonly serverVersion: ServerVersion;
  readonly proxy: ClusterProxy;
  /** By uid: the version of the permissions at the last attempt to install that was forbidden. */
  readonly forbidden: Map<string, number>;
}

/** The typed view; undefined where it cannot be read. */
export const readSubscription: (object: KubeObject) => Subscription | undefined = readable(parseSubscription);

/** `namespace/name` of the ClusterServiceVersions that a Subscription configures. */
export function configuredBy(object: KubeObject): string[] {
  const subscription = readSubscription(object);
  if (subscription === undefined) return [];
  const { currentCSV, installedCSV } = subscription.status ?? {};
  const names = new Set([currentCSV, installedCSV].filter((name) => name !== undefined && name !== ''));
  return [...names].map((name) => `${object.metadata.namespace}/${name}`);
}

/** The context of a manager; opens its caches. */
export function createCsvContext(manager: Manager): CsvContext {
  const { kube, clock, metrics } = manager;
  const serving = createServingContext(manager);
  const own = Object.entries(csvTargets).map(([name, target]) => [name, manager.cache(target)]);
  const caches = { ...serving.caches, ...(Object.fromEntries(own) as Record<TargetName, KindCache>) };
  return {
    kube,
    clock,
    metrics,
    events: manager.eventRecorder('operator-lifecycle-manager'),
    serving,
    caches,
    versions: indexVersions(caches.versions),
    groups: indexGroups(caches.groups),
    deploymentsByOwner: indexCache(caches.deployments, ({ metadata }) =>
      (metadata.ownerReferences ?? []).map(({ uid }) => uid),
    ),
    subscriptions: indexCache(caches.subscriptions, configuredBy),
    permissions: indexPermissions(caches),
    serverVersion: new ServerVersion(kube, clock),
    proxy: new ClusterProxy(manager, caches.summaries),
    forbidden: new Map(),
  };
}
