import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { Definition } from './definition.ts';
import { type CountedLabels, type ObservedMetricName, type TimedLabels, table } from './table.ts';

/** One value of a metric with labels. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** MetricValues that one part of the process keeps, by metric. */
export type MetricValues = Readonly<Partial<Record<ObservedMetricName, number | readonly LabelledValue[]>>>;

/** What a process counts, shown in the text format of Prometheus. */
export interface Metrics {
  /** Counts `amount` (at least 0) more. */
  add<Name extends keyof CountedLabels>(name: Name, labels: CountedLabels[Name], amount?: number): void;
  /** Notes how long something took. */
  time<Name extends keyof TimedLabels>(name: Name, labels: TimedLabels[Name], milliseconds: number): void;
  /** Registers a reader of values, called whenever the metrics are served. Several readers may report one metric with different labels. */
  readFrom(read: () => Promise<MetricValues>): void;
  /** Shows what is usual of a process from now on: CPU, memory, event loop, garbage collection. Once a process. */
  watchProcess(): void;
  /** All of the table, those without a value yet included.
   *  @throws whatever reading values throws */
  show(): Promise<{ readonly contentType: string; readonly text: string }>;
}

interface Registered {
  readonly counters: ReadonlyMap<string, Counter>;
  readonly gauges: ReadonlyMap<string, Gauge>;
  /** Histograms and summaries. */
  readonly durations: ReadonlyMap<string, Histogram | Summary>;
}

/** Of the last ten minutes, as OLM has them. */
const quantiles = { percentiles: [0.9, 0.95, 0.99], maxAgeSeconds: 600, ageBuckets: 5 };

function register(registry: Registry): Registered {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const durations = new Map<string, Histogram | Summary>();
  for (const [name, { kind, labels = [], buckets = [], help }] of Object.entries(table) as [string, Definition][]) {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    if (kind === 'gauge') gauges.set(name, new Gauge(options));
    else if (kind === 'counter') counters.set(name, new Counter(options));
    else if (kind === 'summary') durations.set(name, new Summary({ ...options, ...quantiles }));
    else durations.set(name, new Histogram({ ...options, buckets: [...buckets] }));
  }
  return { counters, gauges, durations };
}

/** Metrics of the table, all at nothing; each call makes its own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const { counters, gauges, durations } = register(registry);
  const readers: (() => Promise<MetricValues>)[] = [];
  const showAll = (all: readonly MetricValues[]): void => {
    const entries = all.flatMap((values) => Object.entries(values));
    for (const [name] of entries) (gauges.get(name) ?? counters.get(name))?.reset();
    for (const [name, given] of entries) {
      const values = typeof given === 'number' ? [{ labels: {}, value: given }] : given;
      for (const { labels, value } of values) (gauges.get(name) ?? counters.get(name))?.inc({ ...labels }, value);
    }
  };
  return {
    add: (name, labels, amount = 1) => counters.get(name)?.inc({ ...labels }, amount),
    time: (name, labels, milliseconds) => durations.get(name)?.observe({ ...labels }, milliseconds / 1000),
    readFrom: (read) => void readers.push(read),
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    async show() {
      showAll(await Promise.all(readers.map((read) => read())));
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
