import type { Definition } from './definition.ts';

/** Metrics of OLM that are read when they are served. */
export type OlmObservedMetricName =
  | 'catalog_source_count'
  | 'catalogsource_ready'
  | 'catalog_source_snapshots_total'
  | 'subscription_count'
  | 'subscription_sync_total';

/** Durations of OLM in seconds, and their labels. */
export interface OlmTimedLabels {
  readonly olm_resolution_duration_seconds: { readonly outcome: 'succeeded' | 'failed' };
}

/** Metrics with the names and labels of OLM, for dashboards and alerts that exist. Some of the labels are names of objects.
 *  @see docs/spec/olm-v0.md#metrics */
export const olmTable: Readonly<Record<OlmObservedMetricName | keyof OlmTimedLabels, Definition>> = {
  catalog_source_count: { kind: 'gauge', help: 'CatalogSources in the cluster.' },
  catalogsource_ready: {
    kind: 'gauge',
    labels: ['namespace', 'name'],
    help: '1 while the state of the CatalogSource is READY, 0 otherwise.',
  },
  catalog_source_snapshots_total: {
    kind: 'counter',
    labels: ['namespace', 'name'],
    help: 'New contents that were read, by CatalogSource.',
  },
  subscription_count: { kind: 'gauge', help: 'Subscriptions in the cluster.' },
  subscription_sync_total: {
    kind: 'counter',
    labels: ['name', 'installed', 'channel', 'package', 'approval'],
    help: 'Reconciles by Subscription; a change of its labels starts a new series.',
  },
  olm_resolution_duration_seconds: {
    kind: 'summary',
    labels: ['outcome'],
    help: 'Duration of resolving the Subscriptions of a namespace; outcome is succeeded or failed.',
  },
};
