import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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
import {
  addApiRoles,
  addCatalogSources,
  addClusterServiceVersions,
  addCopiedCsvs,
  addInstallPlans,
  addOlmConfig,
  addOperatorConditions,
  addOperatorGroups,
  addOperators,
  addSubscriptions,
  type CatalogSources,
  openBundleContents,
  startPackageServer,
  type UnpackSettings,
} from '../../src/olm/index.ts';
import { eventually } from '../support/index.ts';
import { openCluster, type ScenarioCluster } from './cluster.ts';
import { readOlmCrds } from './crds.ts';
import type { Implementation } from './scenario.ts';

const mebibyte = 1024 ** 2;
/** Nothing waits for a resync: what is next can be seen at once, unless the machine is busy. */
const quietMs = 5_000;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 40_000;
const globalCatalogNamespace = 'olm';

const settings: UnpackSettings = {
  limits: defaultContentLimits,
  insecureRegistries: [],
  registryCaPem: [],
  answerDeadlineMs: 5_000,
  platform: 'linux/amd64',
  deadlineMs: 30_000,
  heapMebibytes: 256,
};

/** No image is fetched in a scenario. */
const readTerms = (): Promise<{ pullSecrets: undefined; mirrors: undefined; policy: undefined }> =>
  Promise.resolve({ pullSecrets: undefined, mirrors: undefined, policy: undefined });

async function addControllers(manager: Manager, folder: string): Promise<CatalogSources> {
  const storeDir = join(folder, 'bundles');
  await mkdir(storeDir, { recursive: true });
  const views = await addCatalogSources(manager, {
    storeDir: join(folder, 'catalogs'),
    globalNamespace: globalCatalogNamespace,
    settings,
    readTerms,
  });
  const options = { views, storeDir, storeBytes: 64 * mebibyte, settings, readTerms };
  const contents = await openBundleContents(manager, options);
  addClusterServiceVersions(manager);
  addOperatorConditions(manager);
  addOlmConfig(manager);
  addOperators(manager);
  addOperatorGroups(manager);
  addApiRoles(manager);
  addCopiedCsvs(manager);
  addInstallPlans(manager, { contents, views, retryTimeoutMs: 5_000 });
  addSubscriptions(manager, { views, contents, globalCatalogNamespace });
  return views;
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
  const access = await loadClusterAccess({ path: cluster.kubeconfigPath });
  const kube = createKubeClient({ access, clock });
  const stop = new AbortController();
  const metrics = createMetrics();
  const manager = createManager({ kube, clock, log, metrics, signal: stop.signal });
  const sources = await addControllers(manager, cluster.folder);
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'packages' });
  const place = { host: '127.0.0.1', port: cluster.packageServerPort };
  const packages = await startPackageServer({ kube, clock: systemClock, log, sources, serving, ...place });
  await manager.start();
  return {
    metrics,
    [Symbol.asyncDispose]: async () => {
      await packages[Symbol.asyncDispose]();
      stop.abort();
      await manager.whenStopped();
      kube.close();
    },
  };
}

/** Starts Longshore's controllers of OLM's kinds on a cluster of their own. */
export async function startOurs(log: Logger = silentLogger()): Promise<Implementation> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(await readOlmCrds()));
  let running = await startControllers(cluster, log);
  stack.defer(() => running[Symbol.asyncDispose]());
  await eventually(async () => {
    const text = JSON.stringify(await cluster.read('/apis/packages.operators.coreos.com/v1'));
    if (!text.includes('packagemanifests')) throw new Error(`the package server does not answer: ${text}`);
  });
  const owned = stack.move();
  return {
    kubeconfigPath: cluster.kubeconfigPath,
    quietMs,
    stateLimitMs,
    read: (path) => cluster.read(path),
    metrics: async () => (await running.metrics.show()).text,
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await startControllers(cluster, log);
    },
    assertAlive: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
