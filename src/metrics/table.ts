/** Metrics that somebody else keeps: asked for when they are shown. */
export type FigureName =
  | 'longshore_build_info'
  | 'longshore_leader'
  | 'longshore_shard'
  | 'longshore_shards'
  | 'longshore_bundles'
  | 'longshore_bundle_deployments'
  | 'longshore_bundle_deployment_conditions'
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
  | 'longshore_webhook_rule_evaluations_total'
  | 'longshore_webhook_rule_seconds_total'
  | 'longshore_webhook_findings_total';

/** Metrics that are counted as things happen, and their labels; values of labels come from closed sets. */
export interface CountedLabels {
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
  readonly longshore_catalog_looks_total: { readonly result: string };
  readonly longshore_catalog_unpacks_total: { readonly result: string };
  readonly longshore_api_requests_total: { readonly verb: string; readonly code: string };
  readonly longshore_webhook_reviews_total: { readonly webhook: string; readonly decision: string };
}

/** Metrics that tell how long things took, in seconds, and their labels. */
export interface TimedLabels {
  readonly longshore_reconcile_duration_seconds: { readonly controller: string };
  readonly longshore_fetch_duration_seconds: { readonly source: string };
  readonly catalogd_http_request_duration_seconds: { readonly code: string; readonly method: string };
  readonly longshore_catalog_unpack_duration_seconds: Readonly<Record<string, never>>;
  readonly longshore_api_request_duration_seconds: { readonly verb: string };
  readonly longshore_webhook_review_duration_seconds: { readonly webhook: string };
}

/** A row of the table. */
export interface Definition {
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly labels?: readonly string[];
  /** Of a histogram: upper ends, in seconds. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

const prompt = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const lengthy = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Every metric; its unit is in the name, and counters start with the process. */
export const table: Readonly<Record<FigureName | keyof CountedLabels | keyof TimedLabels, Definition>> = {
  longshore_build_info: {
    kind: 'gauge',
    labels: ['version'],
    help: 'Always 1; the version of the program is its label.',
  },
  longshore_leader: {
    kind: 'gauge',
    labels: ['shard'],
    help: '1 while this process works, 0 while it stands by; shard as longshore_shard.',
  },
  longshore_shard: { kind: 'gauge', help: 'The shard that this process is for, from 1; 0 where it is for everything.' },
  longshore_shards: { kind: 'gauge', help: 'How many shards this process counts on; 0 where it is for everything.' },
  longshore_bundles: {
    kind: 'gauge',
    labels: ['phase', 'shard'],
    help: 'Bundles of a shard by phase; None before anybody has looked at one.',
  },
  longshore_bundle_deployments: { kind: 'gauge', labels: ['shard'], help: 'BundleDeployments of a shard.' },
  longshore_bundle_deployment_conditions: {
    kind: 'gauge',
    labels: ['condition', 'status', 'shard'],
    help: 'BundleDeployments of a shard by type and status of their conditions.',
  },
  longshore_queue_depth: { kind: 'gauge', labels: ['controller'], help: 'Objects that wait to be reconciled.' },
  longshore_queue_oldest_seconds: {
    kind: 'gauge',
    labels: ['controller'],
    help: 'How long the object waits that has waited longest; 0 when none does.',
  },
  longshore_queue_active: { kind: 'gauge', labels: ['controller'], help: 'Objects that are being reconciled.' },
  longshore_watch_cache_objects: { kind: 'gauge', labels: ['kind'], help: 'Objects that are followed, by kind.' },
  longshore_content_store_bytes: { kind: 'gauge', help: 'Bytes of stored contents.' },
  longshore_content_store_contents: { kind: 'gauge', help: 'Stored contents.' },
  longshore_content_store_upload_bytes: { kind: 'gauge', help: 'Bytes of kept uploads.' },
  longshore_content_store_uploads: { kind: 'gauge', help: 'Kept uploads.' },
  longshore_content_store_budget_bytes: { kind: 'gauge', help: 'Bytes that contents and uploads may have together.' },
  longshore_content_store_evictions_total: { kind: 'counter', help: 'Contents that gave way to others.' },
  longshore_content_store_evicted_bytes_total: { kind: 'counter', help: 'Bytes of the contents that gave way.' },
  longshore_content_store_sweeps_total: { kind: 'counter', help: 'Sweeps of what belongs to no Bundle.' },
  longshore_catalogs: { kind: 'gauge', help: 'Catalogs that are served.' },
  longshore_catalog_index_bytes: { kind: 'gauge', help: 'Bytes of the indexes of catalogs.' },
  longshore_layer_cache_hits_total: { kind: 'counter', help: 'Layers of images that were wanted and on disk.' },
  longshore_layer_cache_misses_total: {
    kind: 'counter',
    help: 'Layers of images that were wanted and had to be fetched.',
  },
  longshore_content_requests_total: {
    kind: 'counter',
    labels: ['path', 'method', 'code'],
    help: 'Requests that the content server has answered; path is bundles, uploads, metrics or other.',
  },
  longshore_content_response_bytes_total: {
    kind: 'counter',
    labels: ['path'],
    help: 'Bytes that the content server has sent, headers included, before encryption.',
  },
  longshore_reconciles_total: {
    kind: 'counter',
    labels: ['controller', 'result'],
    help: 'Reconciles that ended; result is done, waiting, transient (tried again), terminal (not before a change) or defect.',
  },
  longshore_reconcile_duration_seconds: {
    kind: 'histogram',
    labels: ['controller'],
    buckets: lengthy,
    help: 'How long reconciles took.',
  },
  longshore_fetches_total: {
    kind: 'counter',
    labels: ['source', 'result'],
    help: 'Contents that were fetched, checked and stored, by type of source; result is done, waiting, transient, terminal or defect.',
  },
  longshore_fetch_duration_seconds: {
    kind: 'histogram',
    labels: ['source'],
    buckets: lengthy,
    help: 'How long fetching, checking and storing took.',
  },
  longshore_fetched_bytes_total: {
    kind: 'counter',
    labels: ['source'],
    help: 'Bytes of fetched contents, unpacked.',
  },
  longshore_content_loads_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Stored contents that were wanted for an installation; result is stored (it was there), lost (it is fetched again) or failed.',
  },
  longshore_catalog_looks_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Looks at what images of catalogs stand for; result is unchanged, changed or failed.',
  },
  longshore_catalog_unpacks_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Catalogs that were fetched and indexed; result is done or failed.',
  },
  longshore_catalog_unpack_duration_seconds: {
    kind: 'histogram',
    buckets: lengthy,
    help: 'How long fetching and indexing a catalog took.',
  },
  catalogd_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['code', 'method'],
    buckets: lengthy,
    help: 'How long requests for catalogs took, by method and status.',
  },
  longshore_api_requests_total: {
    kind: 'counter',
    labels: ['verb', 'code'],
    help: 'Requests to the API server by method (WATCH for watches) and status; code is none when no answer came.',
  },
  longshore_api_request_duration_seconds: {
    kind: 'histogram',
    labels: ['verb'],
    buckets: prompt,
    help: 'How long the API server took to answer; until the first byte for watches.',
  },
  longshore_webhook_reviews_total: {
    kind: 'counter',
    labels: ['webhook', 'decision'],
    help: 'Reviews by webhook; decision is allowed, warned, denied or failed.',
  },
  longshore_webhook_rule_evaluations_total: {
    kind: 'counter',
    labels: ['webhook', 'rule'],
    help: 'How often single rules of admission were asked.',
  },
  longshore_webhook_rule_seconds_total: {
    kind: 'counter',
    labels: ['webhook', 'rule'],
    help: 'How long single rules of admission took together, what was read for them included.',
  },
  longshore_webhook_findings_total: {
    kind: 'counter',
    labels: ['webhook', 'rule', 'decision'],
    help: 'How often single rules of admission had something to say; decision is denied or warned.',
  },
  longshore_webhook_review_duration_seconds: {
    kind: 'histogram',
    labels: ['webhook'],
    buckets: prompt,
    help: 'How long reviews took, what was read from the API server included.',
  },
};
