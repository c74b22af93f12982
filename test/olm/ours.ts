import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addOlm } from '../../manager/olm.ts';
import {
  type Clock,
  createServingCertificate,
  defaultContentLimits,
  type Logger,
  silentLogger,
  systemClock,
} from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { eventually } from '../support/index.ts';
import { openCluster, packageService, type ScenarioCluster } from './cluster.ts';
import { readOlmCrds } from './crds.ts';
import type { Implementation } from './scenario.ts';

/** How long nothing may change before a point of rest is recorded. */
type Patience = Pick<Implementation, 'quietMs' | 'briefQuietMs'>;
/** Nothing waits for a resync: what is next can be seen at once, unless the machine is busy. */
const patient: Patience = { quietMs: 5_000, briefQuietMs: 2_500 };
/** For comparisons alone: what comes later than that is waited for until it is as expected. */
export const impatient: Patience = { quietMs: 1_000 };
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 40_000;
/** As OLM was started with for its recordings. */
const planRetryTimeoutMs = 5_000;
const globalCatalogNamespace = 'olm';
const loopback = '127.0.0.1';
const unchanging = { watch: (): Disposable => ({ [Symbol.dispose]: () => undefined }) };

/** What `longshore up` and `longshore controllers` run. */
async function addControllers(
  manager: Manager,
  { folder, packageServerPort: port }: ScenarioCluster,
  stack: AsyncDisposableStack,
): Promise<void> {
  const olmDir = join(folder, 'olm');
  await mkdir(join(olmDir, 'bundles'), { recursive: true });
  const { name, namespace } = packageService;
  const dnsNames = [`${name}.${namespace}.svc`];
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'packages', dnsNames });
  const serviceOn = () => ({ ...packageService, port: 443, externalName: 'localhost' });
  await addOlm(
    manager,
    { globalCatalogNamespace },
    {
      olmDir,
      packages: { serving, host: loopback, port, serviceOn },
      registries: {
        authorities: [],
        mirrors: { ...unchanging, read: () => Promise.resolve([]) },
        imagePolicy: { ...unchanging, read: () => Promise.resolve(undefined) },
      },
      unpacking: {
        limits: defaultContentLimits,
        insecureRegistries: [],
        registryCaPem: [],
        answerDeadlineMs: 30_000,
        platform: 'linux/amd64',
        deadlineMs: 120_000,
      },
      planRetryTimeoutMs,
      stack,
    },
  );
}

/** Controllers that run on a cluster. */
export interface Controllers extends AsyncDisposable {
  readonly metrics: Metrics;
}

/** Starts Longshore's controllers of OLM's kinds, and its package server. */
export async function startControllers(
  cluster: ScenarioCluster,
  log: Logger,
  clock: Clock = systemClock,
): Promise<Controllers> {
  await using stack = new AsyncDisposableStack();
  const access = await loadClusterAccess({ path: cluster.kubeconfigPath });
  const kube = createKubeClient({ access, clock });
  stack.defer(() => kube.close());
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const metrics = createMetrics();
  const manager = createManager({ kube, clock, log, metrics, signal: stop.signal });
  await addControllers(manager, cluster, stack);
  stack.defer(async () => {
    stop.abort();
    await manager.whenStopped();
  });
  await manager.start();
  const owned = stack.move();
  return { metrics, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const work = /^longshore_queue_(?:depth|active)\{.*\} [1-9]/m;

/** Starts Longshore's controllers of OLM's kinds on a cluster of their own. */
export async function startOurs(patience: Patience = patient): Promise<Implementation> {
  const log = silentLogger();
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(await readOlmCrds(), { isPackageServerRegistered: false }));
  let running = await startControllers(cluster, log);
  stack.defer(() => running[Symbol.asyncDispose]());
  await eventually(async () => {
    const text = JSON.stringify(await cluster.read('/apis/packages.operators.coreos.com/v1'));
    if (!text.includes('packagemanifests')) throw new Error(`the package server does not answer: ${text}`);
  });
  const owned = stack.move();
  const readMetrics = async (): Promise<string> => (await running.metrics.show()).text;
  return {
    kubeconfigPath: cluster.kubeconfigPath,
    ...patience,
    stateLimitMs,
    isIdle: async () => !work.test(await readMetrics()),
    read: (path) => cluster.read(path),
    metrics: readMetrics,
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await startControllers(cluster, log);
    },
    assertAlive: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
