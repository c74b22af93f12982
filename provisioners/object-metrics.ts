import { parseBundle, parseBundleDeployment } from '../src/api/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import type { LabelledValue, MetricValues } from '../src/metrics/index.ts';
import type { Shards } from './shards.ts';

interface Known {
  readonly bundles: { values(): readonly KubeObject[] };
  readonly deployments: { values(): readonly KubeObject[] };
  readonly shards: Pick<Shards, 'hasBundle' | 'hasDeployment' | 'label'>;
}

function countBy(labelSets: readonly Readonly<Record<string, string>>[]): readonly LabelledValue[] {
  const counts = Map.groupBy(labelSets, (labels) => JSON.stringify(labels));
  return [...counts.values()].map((same) => ({ labels: same[0] ?? {}, value: same.length }));
}

/** Metrics of the Bundles and BundleDeployments of this process. Every process of a shard reports the same,
 *  whether it leads or stands by. */
export function objectMetrics({ bundles, deployments, shards }: Known): MetricValues {
  const [allBundles, allDeployments] = [bundles.values(), deployments.values()];
  const ourBundles = allBundles.filter((bundle) => shards.hasBundle(bundle) === true);
  const ourDeployments = allDeployments.filter((deployment) => shards.hasDeployment(deployment));
  const shard = shards.label;
  const phases = ourBundles.map((bundle) => ({ phase: parseBundle(bundle).status?.phase ?? 'None', shard }));
  const conditions = ourDeployments.flatMap((deployment) =>
    (parseBundleDeployment(deployment).status?.conditions ?? []).map(({ type, status }) => ({
      condition: type,
      status,
      shard,
    })),
  );
  return {
    longshore_bundles: countBy(phases),
    longshore_bundle_deployments: [{ labels: { shard }, value: ourDeployments.length }],
    longshore_bundle_deployment_conditions: countBy(conditions),
    longshore_watch_cache_objects: [
      { labels: { kind: 'Bundle' }, value: allBundles.length },
      { labels: { kind: 'BundleDeployment' }, value: allDeployments.length },
    ],
  };
}
