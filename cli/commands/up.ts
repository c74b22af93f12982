import { systemClock } from '../../src/base/index.ts';
import { readConfig } from '../config.ts';
import { followNews } from '../news.ts';
import type { OptionValues } from '../options.ts';
import { startPlatform } from '../platform.ts';
import { openProcessLog } from '../process-log.ts';
import { openProcessMetrics } from '../process-metrics.ts';
import { endSoon, untilStopped } from '../stop.ts';
import { createTerminal } from '../terminal.ts';
import { startTracing } from '../tracing.ts';

/** Somebody else's cluster goes on. */
const afterwards = `the webhooks stay registered: Bundles and BundleDeployments of the cluster cannot be changed before longshore runs again. To let go:
  kubectl delete validatingwebhookconfiguration rukpak-validating-webhook-configuration crd-validation-webhook
  kubectl delete mutatingwebhookconfiguration longshore-mutating-webhook-configuration --ignore-not-found`;

/** `longshore up`: runs until Ctrl-C. */
export async function up(values: OptionValues): Promise<number> {
  const startedMs = performance.now();
  const config = readConfig(values);
  const terminal = createTerminal(process.stdout);
  const stopped = untilStopped();
  const log = await openProcessLog(config.logLevel);
  await using ending = new AsyncDisposableStack();
  ending.defer(endSoon);
  ending.use(await startTracing({ endpoint: config.tracesEndpoint, service: 'longshore', log }));
  const platform = await startPlatform(config, {
    log,
    metrics: openProcessMetrics(),
    onStep: (line) => terminal.line(line),
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  terminal.line(
    `ready in ${seconds} s; ${config.dataDir === undefined ? 'all is gone when this stops' : `data in ${config.dataDir}`}`,
  );
  terminal.line(`\n  export KUBECONFIG=${platform.kubeconfigPath}\n`);
  terminal.line('Ctrl-C stops it.');
  const leaving = new AbortController();
  followNews({ kube: platform.kube, clock: systemClock, log, signal: leaving.signal }, terminal);
  await stopped;
  leaving.abort();
  terminal.line('stopping');
  await platform[Symbol.asyncDispose]();
  if (config.clusterPath !== undefined) terminal.line(afterwards);
  return 0;
}
