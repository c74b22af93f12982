import { cpus, hostname, release, totalmem } from 'node:os';

/** One measurement. `goal` is the target of the project, if it has one. */
export interface Measurement {
  readonly what: string;
  readonly value: string;
  readonly goal?: string;
  /** How many times better than the peer that was measured in turn; over 1 is better. */
  readonly ratio?: number;
  /** Its place on the plot of growth. */
  readonly point?: {
    /** What there is a number of. */
    readonly series: string;
    readonly count: number;
    readonly seconds: number;
    readonly bytes: number;
  };
}

/** The machine of the measurements. */
export function machineLine(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${hostname()}: ${cpus().length} × ${first?.model ?? 'unknown processor'}, ${memory}, Linux ${release()}, Node.js ${process.version}`;
}

export function formatMeasurements(title: string, measurements: readonly Measurement[]): string {
  const whatWidth = Math.max(...measurements.map((measurement) => measurement.what.length));
  const valueWidth = Math.max(...measurements.map((measurement) => measurement.value.length));
  const lines = measurements.map(
    ({ what, value, goal }) =>
      `  ${what.padEnd(whatWidth)}  ${value.padStart(valueWidth)}${goal === undefined ? '' : `   (aim: ${goal})`}`,
  );
  return `${title}\n${lines.join('\n')}`;
}

/** The percentile: `percent` of all measurements are not above it. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** The median of the measurements. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}
