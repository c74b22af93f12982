import { type ClusterVersionMetricName, clusterVersionTable } from './cluster-version-table.ts';
import type { Definition } from './definition.ts';
import { type MachineMetricName, machineTable } from './machine-table.ts';
import { type OlmCountedLabels, type OlmObservedMetricName, type OlmTimedLabels, olmTable } from './olm-table.ts';

/** Metrics that are read from other parts of the process when they are served. */
export type ObservedMetricName =
  | ClusterVersionMetricName
  | MachineMetricName
  | OlmObservedMetricName
  | 'longshore_build_info'
  | 'longshore_leader'
  | 'longshore_shard'
  | 'longshore_shards'
  | 'longshore_bundles'
  | 'longshore_bundle_deployments'
  | 'longshore_bundle_deployment_conditions'
  | 'longshore_subscription_conditions'
  | 'longshore_install_plans'
  | 'longshore_pool_conditions'
  | 'longshore_pool_nodes'
  | 'longshore_pool_hold_oldest_seconds'
  | 'longshore_node_drain_oldest_seconds'
  | 'longshore_queue_depth'
  | 'longshore_queue_oldest_seconds'
  | 'longshore_queue_active'
  | 'longshore_watch_cache_objects'
  | 'longshore_content_store_bytes'
  | 'longshore_content_store_contents'
  | 'longshore_content_store_upload_bytes'
  | 'longshore_content_store_uploads'
  | 'longshore_content_store_budget_bytes'
  | 'longshore_content_store_evictions_total'
  | 'longshore_content_store_evicted_bytes_total'
  | 'longshore_content_store_sweeps_total'
  | 'longshore_catalogs'
  | 'longshore_catalog_index_bytes'
  | 'longshore_layer_cache_hits_total'
  | 'longshore_layer_cache_misses_total'
  | 'longshore_bundle_parses_total'
  | 'longshore_webhook_rule_evaluations_total'
  | 'longshore_webhook_rule_seconds_total'
  | 'longshore_webhook_findings_total';

/** Metrics that are counted as things happen, and their labels; values of labels come from closed sets. */
export interface CountedLabels extends OlmCountedLabels {
  readonly longshore_content_requests_total: {
    readonly path: string;
    readonly method: string;
    readonly code: string;
  };
  readonly longshore_content_response_bytes_total: { readonly path: string };
  readonly longshore_reconciles_total: { readonly controller: string; readonly result: string };
  readonly longshore_fetches_total: { readonly source: string; readonly result: string };
  readonly longshore_fetched_bytes_total: { readonly source: string };
  readonly longshore_content_loads_total: { readonly result: string };
  readonly longshore_catalog_polls_total: { readonly result: string };
  readonly longshore_catalog_unpacks_total: { readonly result: string };
  readonly longshore_api_requests_total: { readonly verb: string; readonly code: string };
  readonly longshore_webhook_reviews_total: { readonly webhook: string; readonly decision: string };
}

/** Durations in seconds, and their labels. */
export interface TimedLabels extends OlmTimedLabels {
  readonly longshore_reconcile_duration_seconds: { readonly controller: string };
  readonly longshore_fetch_duration_seconds: { readonly source: string };
  readonly catalogd_http_request_duration_seconds: { readonly code: string; readonly method: string };
  readonly longshore_catalog_unpack_duration_seconds: Readonly<Record<string, never>>;
  readonly longshore_api_request_duration_seconds: { readonly verb: string };
  readonly longshore_webhook_review_duration_seconds: { readonly webhook: string };
}

const prompt = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const lengthy = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Every metric; its unit is in the name, and counters start with the process. */
export const table: Readonly<Record<ObservedMetricName | keyof CountedLabels | keyof TimedLabels, Definition>> = {
  ...clusterVersionTable,
  ...machineTable,
  ...olmTable,
  longshore_build_info: {
    kind: 'gauge',
    labels: ['version'],
    help: 'Always 1; the label version is the version of the program.',
  },
  longshore_leader: {
    kind: 'gauge',
    labels: ['shard'],
    help: '1 while this process is the leader, 0 while it is on standby; shard as in longshore_shard.',
  },
  longshore_shard: { kind: 'gauge', help: 'Shard of this process, from 1; 0 without shards.' },
  longshore_shards: { kind: 'gauge', help: 'Number of shards; 0 without shards.' },
  longshore_bundles: {
    kind: 'gauge',
    labels: ['phase', 'shard'],
    help: 'Number of Bundles by phase and shard; the phase is None before the first reconcile.',
  },
  longshore_bundle_deployments: { kind: 'gauge', labels: ['shard'], help: 'Number of BundleDeployments by shard.' },
  longshore_bundle_deployment_conditions: {
    kind: 'gauge',
    labels: ['condition', 'status', 'shard'],
    help: 'Number of BundleDeployments by condition type, condition status and shard.',
  },
  longshore_subscription_conditions: {
    kind: 'gauge',
    labels: ['condition', 'status'],
    help: 'Number of Subscriptions by condition type and condition status.',
  },
  longshore_install_plans: {
    kind: 'gauge',
    labels: ['phase'],
    help: 'Number of InstallPlans by phase; the phase is None before the first reconcile.',
  },
  longshore_pool_conditions: {
    kind: 'gauge',
    labels: ['condition', 'status'],
    help: 'Number of MachineConfigPools by condition and status.',
  },
  longshore_pool_nodes: {
    kind: 'gauge',
    labels: ['state'],
    help: 'Number of nodes of all pools by state: all, updated, ready, unavailable, degraded.',
  },
  longshore_pool_hold_oldest_seconds: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'How long the longest hold of a pool lasts, by the reason of its condition RolloutHeld; 0 when none is held.',
  },
  longshore_node_drain_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest drain of a node that is being updated; 0 when none is drained.',
  },
  longshore_queue_depth: { kind: 'gauge', labels: ['controller'], help: 'Number of objects in the work queue.' },
  longshore_queue_oldest_seconds: {
    kind: 'gauge',
    labels: ['controller'],
    help: 'Age of the oldest object in the work queue; 0 when the queue is empty.',
  },
  longshore_queue_active: { kind: 'gauge', labels: ['controller'], help: 'Number of objects being reconciled.' },
  longshore_watch_cache_objects: {
    kind: 'gauge',
    labels: ['kind'],
    help: 'Number of objects in the watch cache by kind.',
  },
  longshore_content_store_bytes: { kind: 'gauge', help: 'Size of the stored contents.' },
  longshore_content_store_contents: { kind: 'gauge', help: 'Number of stored contents.' },
  longshore_content_store_upload_bytes: { kind: 'gauge', help: 'Size of the stored uploads.' },
  longshore_content_store_uploads: { kind: 'gauge', help: 'Number of stored uploads.' },
  longshore_content_store_budget_bytes: { kind: 'gauge', help: 'Maximum size of contents and uploads together.' },
  longshore_content_store_evictions_total: { kind: 'counter', help: 'Contents evicted from the store.' },
  longshore_content_store_evicted_bytes_total: {
    kind: 'counter',
    help: 'Size of the contents evicted from the store.',
  },
  longshore_content_store_sweeps_total: { kind: 'counter', help: 'Sweeps of contents and uploads without a Bundle.' },
  longshore_catalogs: { kind: 'gauge', help: 'Number of served catalogs.' },
  longshore_catalog_index_bytes: { kind: 'gauge', help: 'Size of the catalog indexes.' },
  longshore_layer_cache_hits_total: { kind: 'counter', help: 'Image layers found in the cache.' },
  longshore_layer_cache_misses_total: {
    kind: 'counter',
    help: 'Image layers not found in the cache and fetched.',
  },
  longshore_bundle_parses_total: {
    kind: 'counter',
    help: 'Bundles whose manifests were parsed: once for each content, again after a restart, and if the parsed objects are not stored.',
  },
  longshore_content_requests_total: {
    kind: 'counter',
    labels: ['path', 'method', 'code'],
    help: 'Requests answered by the content server; path is bundles, uploads, metrics or other.',
  },
  longshore_content_response_bytes_total: {
    kind: 'counter',
    labels: ['path'],
    help: 'Bytes sent by the content server, including headers, before encryption.',
  },
  longshore_reconciles_total: {
    kind: 'counter',
    labels: ['controller', 'result'],
    help: 'Finished reconciles; result is done, waiting, transient (retried), terminal (not retried before a change) or defect.',
  },
  longshore_reconcile_duration_seconds: {
    kind: 'histogram',
    labels: ['controller'],
    buckets: lengthy,
    help: 'Duration of reconciles.',
  },
  longshore_fetches_total: {
    kind: 'counter',
    labels: ['source', 'result'],
    help: 'Fetched, validated and stored contents by source type; result is done, waiting, transient, terminal or defect.',
  },
  longshore_fetch_duration_seconds: {
    kind: 'histogram',
    labels: ['source'],
    buckets: lengthy,
    help: 'Duration of fetching, validating and storing content.',
  },
  longshore_fetched_bytes_total: {
    kind: 'counter',
    labels: ['source'],
    help: 'Size of fetched contents, unpacked.',
  },
  longshore_content_loads_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Contents requested for an installation; result is stored (found), lost (fetched again) or failed.',
  },
  longshore_catalog_polls_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Polls of catalog images; result is unchanged, changed or failed.',
  },
  longshore_catalog_unpacks_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Fetched and indexed catalogs; result is done or failed.',
  },
  longshore_catalog_unpack_duration_seconds: {
    kind: 'histogram',
    buckets: lengthy,
    help: 'Duration of fetching and indexing a catalog.',
  },
  catalogd_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['code', 'method'],
    buckets: lengthy,
    help: 'Duration of requests for catalogs by method and status.',
  },
  longshore_api_requests_total: {
    kind: 'counter',
    labels: ['verb', 'code'],
    help: 'Requests to the API server by method (WATCH for watches) and status; code is none without a response.',
  },
  longshore_api_request_duration_seconds: {
    kind: 'histogram',
    labels: ['verb'],
    buckets: prompt,
    help: 'Duration of requests to the API server; for watches, until the first byte.',
  },
  longshore_webhook_reviews_total: {
    kind: 'counter',
    labels: ['webhook', 'decision'],
    help: 'Admission reviews by webhook; decision is allowed, warned, denied or failed.',
  },
  longshore_webhook_rule_evaluations_total: {
    kind: 'counter',
    labels: ['webhook', 'rule'],
    help: 'Evaluations of admission rules.',
  },
  longshore_webhook_rule_seconds_total: {
    kind: 'counter',
    labels: ['webhook', 'rule'],
    help: 'Total evaluation time of admission rules, including reads from the API server.',
  },
  longshore_webhook_findings_total: {
    kind: 'counter',
    labels: ['webhook', 'rule', 'decision'],
    help: 'Findings of admission rules; decision is denied or warned.',
  },
  longshore_webhook_review_duration_seconds: {
    kind: 'histogram',
    labels: ['webhook'],
    buckets: prompt,
    help: 'Duration of admission reviews, including reads from the API server.',
  },
};
