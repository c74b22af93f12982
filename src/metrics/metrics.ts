import { Counter, Gauge, Registry } from 'prom-client';
import { type CountedLabels, type Definition, type FigureName, table } from './table.ts';

/** Figures that one part of the process keeps, by metric. */
export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** What a process counts, shown in the text format of Prometheus. */
export interface Metrics {
  /** Counts `amount` (at least 0) more. */
  add<Name extends keyof CountedLabels>(name: Name, labels: CountedLabels[Name], amount?: number): void;
  /** Has figures read whenever the metrics are shown. */
  readFrom(read: () => Promise<Figures>): void;
  /** All of the table, those without a value yet included.
   *  @throws whatever reading figures throws */
  show(): Promise<{ readonly contentType: string; readonly text: string }>;
}

function registered(name: string, { kind, labels = [], help }: Definition, registry: Registry): Counter | Gauge {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  return kind === 'gauge' ? new Gauge(options) : new Counter(options);
}

/** Metrics of the table, all at nothing; each call makes its own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const rows = Object.entries(table) as [string, Definition][];
  const metrics = new Map(rows.map(([name, definition]) => [name, registered(name, definition, registry)]));
  const readers: (() => Promise<Figures>)[] = [];
  const showFigure = (name: string, value: number): void => {
    const metric = metrics.get(name);
    metric?.reset();
    metric?.inc(value);
  };
  return {
    add: (name, labels, amount = 1) => metrics.get(name)?.inc({ ...labels }, amount),
    readFrom: (read) => void readers.push(read),
    async show() {
      for (const figures of await Promise.all(readers.map((read) => read()))) {
        for (const [name, value] of Object.entries(figures)) showFigure(name, value);
      }
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
