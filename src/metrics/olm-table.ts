import type { Definition } from './definition.ts';

/** Metrics of OLM that are read when they are served. */
export type OlmObservedMetricName =
  | 'catalog_source_count'
  | 'catalogsource_ready'
  | 'catalog_source_snapshots_total'
  | 'csv_count'
  | 'csv_succeeded'
  | 'csv_abnormal'
  | 'install_plan_count'
  | 'subscription_count'
  | 'subscription_sync_total';

/** Metrics of OLM that are counted as things happen, and their labels. */
export interface OlmCountedLabels {
  readonly csv_upgrade_count: Readonly<Record<string, never>>;
  readonly installplan_warnings_total: Readonly<Record<string, never>>;
}

/** Durations of OLM in seconds, and their labels. */
export interface OlmTimedLabels {
  readonly olm_resolution_duration_seconds: { readonly outcome: 'succeeded' | 'failed' };
}

/** Metrics with the names and labels of OLM, for dashboards and alerts that exist. Some of the labels are names of objects.
 *  @see docs/spec/olm-v0.md#metrics */
export const olmTable: Readonly<
  Record<OlmObservedMetricName | keyof OlmCountedLabels | keyof OlmTimedLabels, Definition>
> = {
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
  csv_count: { kind: 'gauge', help: 'ClusterServiceVersions in the cluster, without copies.' },
  csv_succeeded: {
    kind: 'gauge',
    labels: ['namespace', 'name', 'version'],
    help: '1 for a ClusterServiceVersion that is Succeeded, otherwise 0.',
  },
  csv_abnormal: {
    kind: 'gauge',
    labels: ['namespace', 'name', 'version', 'phase', 'reason'],
    help: '1 for a ClusterServiceVersion that is not Succeeded.',
  },
  csv_upgrade_count: { kind: 'counter', help: 'ClusterServiceVersions that began to be replaced.' },
  install_plan_count: { kind: 'gauge', help: 'InstallPlans in the cluster.' },
  installplan_warnings_total: {
    kind: 'counter',
    help: 'Steps of InstallPlans that the API server has answered with warnings.',
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
