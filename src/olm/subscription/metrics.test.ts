import { expect, test } from 'vitest';
import { subscriptionMetrics } from './metrics.ts';

const subscription = (...conditions: readonly (readonly [string, string])[]) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'boat' },
  status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
});

test('Subscriptions are counted by their conditions, and by no condition that they do not have', () => {
  const subscriptions = [
    subscription(['ResolutionFailed', 'True'], ['CatalogSourcesUnhealthy', 'False']),
    subscription(['ResolutionFailed', 'True'], ['from elsewhere', 'True']),
  ];
  const { subscription_count: count, longshore_subscription_conditions: rows = [] } = subscriptionMetrics(
    { values: () => subscriptions },
    { values: () => [] },
  );
  expect(count).toBe(2);
  const positive = (rows as { labels: object; value: number }[]).filter(({ value }) => value > 0);
  expect(positive).toEqual([
    { labels: { condition: 'CatalogSourcesUnhealthy', status: 'False' }, value: 1 },
    { labels: { condition: 'ResolutionFailed', status: 'True' }, value: 2 },
  ]);
  expect(rows).toContainEqual({ labels: { condition: 'BundleUnpackFailed', status: 'True' }, value: 0 });
  expect(JSON.stringify(rows)).not.toContain('elsewhere');
});
