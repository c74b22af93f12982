import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { packageVersion } from '../process/index.ts';

/** What this process counts, and what is usual of a process; once a process. */
export function openProcessMetrics(): Metrics {
  const metrics = createMetrics();
  metrics.watchProcess();
  const build = [{ labels: { version: packageVersion() }, value: 1 }];
  metrics.readFrom(() => Promise.resolve({ longshore_build_info: build }));
  return metrics;
}
