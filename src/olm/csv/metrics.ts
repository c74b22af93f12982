import type { KindCache } from '../../kube/index.ts';
import type { MetricValues } from '../../metrics/index.ts';
import { readVersion } from './version-index.ts';

/** Metrics of all ClusterServiceVersions, without copies.
 *  @see docs/spec/olm-v0.md#metrics */
export function csvMetrics(cache: KindCache): MetricValues {
  const versions = cache.values().flatMap((object) => readVersion(object) ?? []);
  const rows = versions.flatMap(({ metadata, spec, status }) => {
    const { namespace = '', name } = metadata;
    const { phase = '', reason = '' } = status ?? {};
    return [{ labels: { namespace, name, version: spec.version ?? '' }, phase, reason }];
  });
  const reported = rows.filter(({ phase }) => phase !== '');
  return {
    csv_count: versions.length,
    csv_succeeded: reported.map(({ labels, phase }) => ({ labels, value: phase === 'Succeeded' ? 1 : 0 })),
    csv_abnormal: reported
      .filter(({ phase }) => phase !== 'Succeeded')
      .map(({ labels, phase, reason }) => ({ labels: { ...labels, phase, reason }, value: 1 })),
  };
}
