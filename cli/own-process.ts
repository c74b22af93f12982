import { type Clock, createLogger, type Logger, systemClock } from '../src/base/index.ts';
import { type Probes, startProbes } from '../src/controller/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import { openOwnCluster, ownNamespace } from './own-cluster.ts';
import type { ProcessConfig } from './process-config.ts';
import { untilStopped } from './stop.ts';

/** What `longshore controllers` and `longshore webhook` run with. Disposing it ends the signal first, then the probes, then the client. */
export interface OwnProcess extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends all that the process does in the background. */
  readonly signal: AbortSignal;
  readonly systemNamespace: string;
  /** Not ready to begin with. */
  readonly probes: Probes;
  /** Resolves when the process is told to stop. */
  readonly whenStopped: Promise<void>;
}

/** Opens a process of a cluster: heeds signals from now on, and answers `/healthz`.
 *  @throws TerminalError InvalidOption · Error when the port of the probes is taken */
export async function openOwnProcess(config: ProcessConfig): Promise<OwnProcess> {
  const whenStopped = untilStopped();
  const log = await createLogger({ level: config.logLevel });
  await using stack = new AsyncDisposableStack();
  const kube = stack.use(await openOwnCluster(config.kubeconfigPath));
  const systemNamespace = config.systemNamespace ?? (await ownNamespace());
  const probes = stack.use(await startProbes(config.probes));
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const owned = stack.move();
  const runtime = { kube, clock: systemClock, log, signal: stop.signal };
  return { ...runtime, systemNamespace, probes, whenStopped, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
