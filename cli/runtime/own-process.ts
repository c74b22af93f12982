import { type Clock, type Logger, systemClock } from '../../src/base/index.ts';
import { type Probes, startProbes } from '../../src/controller/index.ts';
import { type ClusterAccess, createKubeClient, type KubeClient } from '../../src/kube/index.ts';
import type { Metrics } from '../../src/metrics/index.ts';
import { endSoon, openProcessLog, untilStopped } from '../process/index.ts';
import type { ProcessConfig } from '../settings/index.ts';
import { accessOwnCluster, ownNamespace } from './own-cluster.ts';
import { checkProcessLimits } from './process-limits.ts';
import { openProcessMetrics } from './process-metrics.ts';
import { startTracing } from './tracing.ts';

/** What `longshore controllers` and `longshore webhook` run with. Disposing it ends the signal first, then the probes, then the client. */
export interface OwnProcess extends AsyncDisposable {
  readonly access: ClusterAccess;
  readonly kube: KubeClient;
  /** Another client of the same cluster, with connections of its own, that asks before it writes. */
  connect(beforeWrite: () => void): KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Ends all that the process does in the background. */
  readonly signal: AbortSignal;
  readonly systemNamespace: string;
  /** Not ready to begin with. */
  readonly probes: Probes;
  /** Resolves when the process is stopped. */
  readonly whenStopped: Promise<void>;
}

/** Opens a process of a cluster, which traces call `longshore-<command>`: handles signals from now on, and answers `/healthz`.
 *  @throws TerminalError InvalidOption, ProcessLimits · Error when the port of the probes is taken */
export async function openOwnProcess(config: ProcessConfig, command: 'controllers' | 'webhook'): Promise<OwnProcess> {
  checkProcessLimits(command);
  const whenStopped = untilStopped();
  const metrics = openProcessMetrics();
  const log = await openProcessLog(config.logLevel);
  await using stack = new AsyncDisposableStack();
  stack.defer(endSoon);
  stack.use(await startTracing({ endpoint: config.tracesEndpoint, service: `longshore-${command}`, log }));
  const access = await accessOwnCluster(config.kubeconfigPath);
  const clients: KubeClient[] = [];
  stack.defer(() => {
    for (const client of clients) client.close();
  });
  const connect = (beforeWrite?: () => void): KubeClient => {
    const guard = beforeWrite === undefined ? {} : { beforeWrite };
    const client = createKubeClient({ access, clock: systemClock, metrics, ...guard });
    clients.push(client);
    return client;
  };
  const kube = connect();
  const systemNamespace = config.systemNamespace ?? (await ownNamespace());
  const probes = stack.use(await startProbes(config.probes));
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const owned = stack.move();
  const runtime = { access, kube, connect, clock: systemClock, log, metrics, signal: stop.signal };
  return { ...runtime, systemNamespace, probes, whenStopped, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
