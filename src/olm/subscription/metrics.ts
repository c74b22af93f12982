import type { SubscriptionConditionType } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';
import type { MetricValues } from '../../metrics/index.ts';
import type { SubscriptionCounts } from './count.ts';

const conditionTypes: readonly SubscriptionConditionType[] = [
  'CatalogSourcesUnhealthy',
  'InstallPlanMissing',
  'InstallPlanPending',
  'InstallPlanFailed',
  'InstalledCSVMissing',
  'PreferredVersionPassedOver',
  'ResolutionFailed',
  'BundleUnpacking',
  'BundleUnpackFailed',
  'PackageDeprecated',
  'ChannelDeprecated',
  'BundleDeprecated',
  'Deprecated',
];

function conditionsOf(subscription: KubeObject): readonly string[] {
  const conditions = objectsAt(objectAt(subscription as JsonObject, 'status'), 'conditions');
  return conditions.map((condition) => `${textAt(condition, 'type')} ${textAt(condition, 'status')}`);
}

/** Metrics of all Subscriptions. A status that others wrote makes no labels of its own.
 *  @see docs/spec/olm-v0.md#metrics */
export function subscriptionMetrics(
  cache: Pick<KindCache, 'values'>,
  syncs: Pick<SubscriptionCounts, 'values'>,
): MetricValues {
  const subscriptions = cache.values();
  const counts = Map.groupBy(subscriptions.flatMap(conditionsOf), (text) => text);
  const rows = conditionTypes.flatMap((condition) =>
    ['True', 'False', 'Unknown'].map((status) => {
      return { labels: { condition, status }, value: counts.get(`${condition} ${status}`)?.length ?? 0 };
    }),
  );
  return {
    subscription_count: subscriptions.length,
    subscription_sync_total: syncs.values(),
    longshore_subscription_conditions: rows.filter(({ labels, value }) => value > 0 || labels.status === 'True'),
  };
}
