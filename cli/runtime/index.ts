/** What the processes of the platform run on: the cluster, probes, log, tracing, limits, certificates, settings files, and the published
 *  address of the content server. Main function: `openOwnProcess`.
 *  @imports cli/settings, cli/install, cli/input, cli/process, manager, provisioners, src/sources, src/image-policy,
 *    src/controller, src/kube, src/metrics, src/api, src/base
 *  @packages @opentelemetry/api, @opentelemetry/exporter-trace-otlp-http, @opentelemetry/resources,
 *    @opentelemetry/sdk-trace-base */
export { keepContentPublished, openContentServer } from './content-server.ts';
export { accessOwnCluster } from './own-cluster.ts';
export { type OwnProcess, openOwnProcess } from './own-process.ts';
export { processEnvironment } from './process-environment.ts';
export { checkProcessLimits } from './process-limits.ts';
export { openProcessMetrics } from './process-metrics.ts';
export { openRegistrySettings } from './registry-settings.ts';
export { openServingFiles } from './serving-files.ts';
export { startTracing } from './tracing.ts';
