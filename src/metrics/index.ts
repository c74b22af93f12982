/** What a process counts of itself, for Prometheus: every metric's name, unit and labels in one table. Main type: `Metrics`.
 *
 * Never has the name of an object as a label, other than where OLM and OpenShift have it, and never listens.
 *  @imports nothing
 *  @packages prom-client */
export { createMetrics, type LabelledValue, type Metrics, type MetricValues } from './metrics.ts';
