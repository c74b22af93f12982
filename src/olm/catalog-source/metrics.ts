import { isJsonObject, objectAt, textAt } from '../../base/index.ts';
import { type KubeObject, namespacedName } from '../../kube/index.ts';
import type { CatalogSourceContext } from './context.ts';

function isReady(source: KubeObject): boolean {
  const status = isJsonObject(source['status']) ? source['status'] : undefined;
  return textAt(objectAt(status, 'connectionState'), 'lastObservedState') === 'READY';
}

/** Shows the metrics of CatalogSources; a series ends with its object. The process that leads shows them.
 *  @see docs/spec/olm-v0.md#metrics */
export function showMetrics({ metrics, directory, progress, isLeading }: CatalogSourceContext): void {
  metrics?.readFrom(() => {
    if (!isLeading()) return Promise.resolve({});
    const sources = directory.all().map((source) => ({ source, labels: { ...namespacedName(source) } }));
    return Promise.resolve({
      catalog_source_count: sources.length,
      catalogsource_ready: sources.map(({ source, labels }) => ({ labels, value: isReady(source) ? 1 : 0 })),
      catalog_source_snapshots_total: sources.map(({ source, labels }) => {
        return { labels, value: progress.get(source.metadata.uid ?? '')?.snapshots ?? 0 };
      }),
    });
  });
}
