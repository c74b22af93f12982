import { resolve } from 'node:path';
import { systemClock } from '../../../src/base/index.ts';
import { collectWhenIdle, type OptionValues } from '../../command/index.ts';
import { RecentLines } from '../../console/index.ts';
import { documentedPorts, type ExampleServers, startExampleServers } from '../../examples/index.ts';
import { createTerminal } from '../../output/index.ts';
import { endSoon, openProcessLog, untilStopped } from '../../process/index.ts';
import { openProcessMetrics, startTracing } from '../../runtime/index.ts';
import { readConfig, type upOptions } from '../../settings/index.ts';
import { followChanges } from '../changes.ts';
import { openUpConsole } from '../local-console.ts';
import { startPlatform } from '../platform.ts';

type Values = OptionValues<typeof upOptions>;

/** An external cluster continues to run. */
const afterwards = `the webhooks stay registered: Bundles and BundleDeployments of the cluster cannot be changed until longshore runs again. To remove the webhooks:
  kubectl delete validatingwebhookconfiguration rukpak-validating-webhook-configuration crd-validation-webhook
  kubectl delete mutatingwebhookconfiguration longshore-mutating-webhook-configuration --ignore-not-found`;

/** Where the examples are, one line a server; where that is not what the documents name, what to replace. */
function exampleLines({ registry, git }: ExampleServers): string[] {
  const line = (what: string, found: string, documented: string): string =>
    found === documented
      ? `example ${what} on ${found}`
      : `example ${what} on ${found}: ${documented}, which the documents name, is in use by another program`;
  const images = line('images', registry.host, `127.0.0.1:${documentedPorts.registry}`);
  return git === undefined
    ? [images, 'no example git repository: the git program is not installed']
    : [images, line('git repositories', git.url, `http://127.0.0.1:${documentedPorts.git}`)];
}

/** `longshore up`: runs until Ctrl-C. */
export async function up(values: Values): Promise<number> {
  const startedMs = performance.now();
  const config = readConfig(values);
  const terminal = createTerminal(process.stdout);
  const stopped = untilStopped();
  if (config.clusterPath === undefined) collectWhenIdle();
  const recentLines = config.consolePort === undefined ? undefined : new RecentLines();
  const log = await openProcessLog(config.logLevel, recentLines);
  await using ending = new AsyncDisposableStack();
  ending.defer(endSoon);
  ending.use(await startTracing({ endpoint: config.tracesEndpoint, service: 'longshore', log }));
  const platform = await startPlatform(config, {
    log,
    metrics: openProcessMetrics(),
    onStep: (line) => terminal.line(line),
  });
  if (config.hasExamples) {
    const examples = ending.use(await startExampleServers({ ports: documentedPorts }));
    for (const line of exampleLines(examples)) terminal.line(line);
  }
  const consoleServer = await openUpConsole(config, platform, { log, terminal, recentLines });
  if (consoleServer !== undefined) ending.use(consoleServer);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  terminal.line(
    `ready in ${seconds} s; ${config.dataDir === undefined ? 'all data is deleted when this stops' : `data in ${config.dataDir}`}`,
  );
  terminal.line(`\n  export KUBECONFIG=${resolve(platform.kubeconfigPath)}\n`);
  terminal.line('Ctrl-C stops it.');
  const leaving = new AbortController();
  followChanges({ kube: platform.kube, clock: systemClock, log, signal: leaving.signal }, terminal);
  const status = await Promise.race([stopped.then(() => 0), platform.whenOtherOlm.then(() => 1)]);
  leaving.abort();
  terminal.line('stopping');
  await platform[Symbol.asyncDispose]();
  if (config.clusterPath !== undefined) terminal.line(afterwards);
  return status;
}
