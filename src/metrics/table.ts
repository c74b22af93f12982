/** Metrics that somebody else keeps: asked for when they are shown. */
export type FigureName =
  | 'longshore_content_store_bytes'
  | 'longshore_content_store_contents'
  | 'longshore_content_store_upload_bytes'
  | 'longshore_content_store_uploads'
  | 'longshore_content_store_budget_bytes'
  | 'longshore_content_store_evictions_total'
  | 'longshore_content_store_evicted_bytes_total'
  | 'longshore_content_store_sweeps_total';

/** Metrics that are counted as things happen, and their labels; values of labels come from closed sets. */
export interface CountedLabels {
  readonly longshore_content_requests_total: {
    readonly path: string;
    readonly method: string;
    readonly code: string;
  };
  readonly longshore_content_response_bytes_total: { readonly path: string };
}

/** A row of the table. */
export interface Definition {
  readonly kind: 'gauge' | 'counter';
  readonly labels?: readonly string[];
  readonly help: string;
}

/** Every metric; its unit is in the name, and counters start with the process. */
export const table: Readonly<Record<FigureName | keyof CountedLabels, Definition>> = {
  longshore_content_store_bytes: { kind: 'gauge', help: 'Bytes of stored contents.' },
  longshore_content_store_contents: { kind: 'gauge', help: 'Stored contents.' },
  longshore_content_store_upload_bytes: { kind: 'gauge', help: 'Bytes of kept uploads.' },
  longshore_content_store_uploads: { kind: 'gauge', help: 'Kept uploads.' },
  longshore_content_store_budget_bytes: { kind: 'gauge', help: 'Bytes that contents and uploads may have together.' },
  longshore_content_store_evictions_total: { kind: 'counter', help: 'Contents that gave way to others.' },
  longshore_content_store_evicted_bytes_total: { kind: 'counter', help: 'Bytes of the contents that gave way.' },
  longshore_content_store_sweeps_total: { kind: 'counter', help: 'Sweeps of what belongs to no Bundle.' },
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
};
