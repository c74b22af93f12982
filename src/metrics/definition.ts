/** A row of the table. */
export interface Definition {
  /** Summaries have the quantiles 0.9, 0.95 and 0.99. */
  readonly kind: 'gauge' | 'counter' | 'histogram' | 'summary';
  readonly labels?: readonly string[];
  /** Of a histogram: upper ends, in seconds. */
  readonly buckets?: readonly number[];
  readonly help: string;
}
