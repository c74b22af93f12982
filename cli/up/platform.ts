import { join } from 'node:path';
import type { ApiServer, HoldWrite } from '../../apiserver/index.ts';
import {
  type ControllersContext,
  offersOf,
  type RunningControllers,
  startControllers,
  startWebhook,
} from '../../manager/index.ts';
import { type Logger, type ServingCertificate, systemClock } from '../../src/base/index.ts';
import { startCatalogServer } from '../../src/catalog/index.ts';
import type { Dependency } from '../../src/constraints/index.ts';
import { isAlreadyExists, type KindCache, type KubeClient } from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { isReviewed, type Registered, registerWebhooks } from '../../webhook/index.ts';
import { keepHeapSmall } from '../command/index.ts';
import { startOnRememberedPort } from '../process/index.ts';
import { checkProcessLimits, openContentServer, openRegistrySettings, processEnvironment } from '../runtime/index.ts';
import type { Config } from '../settings/index.ts';
import { type OpenCluster, openCluster } from './cluster.ts';
import { publishContentPod } from './content-pod.ts';
import { openStoredCertificate } from './stored-certificates.ts';

const loopback = '127.0.0.1';

/** Everything of `longshore up`, running: API server, webhook, provisioners. */
export interface Platform extends AsyncDisposable {
  /** Undefined with an external cluster. */
  readonly apiServer: ApiServer | undefined;
  /** As the admin. */
  readonly kube: KubeClient;
  readonly kubeconfigPath: string;
  /** Where data is that lasts as long as the cluster. */
  readonly folder: string;
  /** URL of contents and uploads: `https://127.0.0.1:41234`. */
  readonly contentUrl: string;
  /** Where ClusterCatalogs are served; undefined with `--no-cluster-catalogs`. */
  readonly catalogsUrl: string | undefined;
  /** Where `<bundle>.tgz` files are. */
  readonly storeDir: string;
  /** Resolves when another Operator Lifecycle Manager was started on the cluster: the process must end. */
  readonly whenOtherOlm: Promise<void>;
}

/** What the platform is started with; `onStep` gets one short line for each step of the start. */
export interface PlatformDeps {
  readonly log: Logger;
  /** Default: its own. */
  readonly metrics?: Metrics;
  readonly onStep?: (line: string) => void;
}

/** Holds writes of objects that the webhook validates until it listens: after a restart its configurations exist before it does. */
class WebhookGate {
  readonly #isOpen = Promise.withResolvers<void>();
  #hasOpened = false;
  readonly holdWrite: HoldWrite;

  constructor(systemNamespace: string) {
    this.holdWrite = ({ resource, subresource, namespace }) => {
      const isHeld = !this.#hasOpened && subresource === undefined && isReviewed(resource, namespace, systemNamespace);
      return isHeld ? this.#isOpen.promise : undefined;
    };
  }

  open(): void {
    this.#hasOpened = true;
    this.#isOpen.resolve();
  }
}

interface WebhookParts {
  /** Where its port and the authority of its certificate are remembered: registering it again changes nothing. */
  readonly folder: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly offersFor: (dependency: Dependency) => readonly string[];
  readonly sharedBundles: () => KindCache | undefined;
  readonly gate: WebhookGate;
}

/** What the webhook takes from the controllers of this process, once they run. */
function sharedWithWebhook(
  running: () => RunningControllers | undefined,
): Pick<WebhookParts, 'offersFor' | 'sharedBundles'> {
  return {
    offersFor: (dependency) => offersOf(running()?.views, dependency),
    sharedBundles: () => running()?.bundles(),
  };
}

async function openWebhook(
  kube: KubeClient,
  config: Config,
  { gate, folder, ...parts }: WebhookParts,
): Promise<AsyncDisposable & Registered> {
  const { systemNamespace } = config;
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const clock = systemClock;
  const serving = await openStoredCertificate({ folder, name: 'webhook', clock, log: parts.log });
  const runtime = { ...parts, kube, clock, systemNamespace, signal: stop.signal, serving };
  const webhook = stack.use(
    await startOnRememberedPort({ folder, portFile: 'webhook-port', port: 0 }, (port) =>
      startWebhook(config, { ...runtime, host: loopback, port }),
    ),
  );
  const registered = await registerWebhooks(kube, {
    address: { origin: `https://${loopback}:${webhook.port}` },
    caBundlePem: webhook.caBundlePem(),
    systemNamespace,
    hasClusterCatalogs: config.hasClusterCatalogs,
  });
  gate.open();
  const owned = stack.move();
  return { undo: () => registered.undo(), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface ServerParts {
  readonly folder: string;
  readonly serving: ServingCertificate;
}

/** The servers of contents and catalogs, on the ports of last time where they are free. */
function localServers(
  config: Config,
  { folder, serving }: ServerParts,
): Pick<ControllersContext, 'openContent' | 'catalogs'> {
  const { contentPort, catalogPort: port } = config;
  const place = { folder, portFile: 'catalog-port', port };
  const catalogs: ControllersContext['catalogs'] = {
    catalogsDir: join(folder, 'catalogs'),
    openCatalogServer: async (options) => {
      const server = await startOnRememberedPort(place, (free) =>
        startCatalogServer({ ...options, serving, host: loopback, port: free }),
      );
      const url = `https://${loopback}:${server.port}`;
      return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  };
  return {
    openContent: (options) => openContentServer({ ...options, serving, folder, port: contentPort }),
    catalogs: config.hasClusterCatalogs ? catalogs : undefined,
  };
}

const packageService = 'packageserver';

/** Operator Lifecycle Manager; the API server, which runs on this machine, reaches the package server on loopback. */
async function olmParts(
  { olm: settings, clusterPath, systemNamespace }: Config,
  { folder, kube, log }: OpenCluster & Pick<PlatformDeps, 'log'>,
): Promise<ControllersContext['olm']> {
  if (settings === undefined) return undefined;
  const olmDir = join(folder, 'olm');
  const namespace = clusterPath === undefined ? settings.globalCatalogNamespace : systemNamespace;
  const dnsNames = [`${packageService}.${namespace}.svc`];
  const serving = await openStoredCertificate({ folder, name: 'packages', clock: systemClock, log, dnsNames });
  const serviceOn = (port: number) => ({ namespace, name: packageService, port, externalName: 'localhost' });
  const packages = { serving, host: loopback, port: 0, serviceOn };
  if (clusterPath === undefined) {
    const registry = { host: loopback, port: 0, externalName: 'localhost' };
    return { settings, olmDir, registry, packages };
  }
  // The cluster continues to run without the package server.
  return { settings, olmDir, packages: { ...packages, isTemporary: true }, reviewKube: kube };
}

function watchingParts({ olm, clusterVersion }: Config): string[] {
  const optional = [olm && 'Operator Lifecycle Manager', clusterVersion && 'update engine'];
  return ['provisioners', ...optional.filter((part) => part !== undefined)];
}

function releaseParts(
  { clusterVersion: settings }: Config,
  { folder }: OpenCluster,
): ControllersContext['clusterVersion'] {
  return settings && { settings, releaseDir: join(folder, 'releases') };
}

function prepareProcess({ clusterPath }: Config): void {
  checkProcessLimits('up');
  if (clusterPath !== undefined) keepHeapSmall();
}

/** One that exists is not written to: a full disk may have no room for it. */
async function ensureNamespace(kube: KubeClient, name: string): Promise<void> {
  try {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'longshore' });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

/** What `longshore up` runs on request, or by default. */
async function optionalParts(
  config: Config,
  cluster: OpenCluster & Pick<PlatformDeps, 'log'>,
): Promise<Pick<ControllersContext, 'olm' | 'clusterVersion' | 'machines'>> {
  return {
    olm: await olmParts(config, cluster),
    clusterVersion: releaseParts(config, cluster),
    machines: config.machineSettings,
  };
}

/** Starts everything on this machine, ready when it resolves. Disposing it stops all in the reverse order.
 *  @throws TerminalError as `openCluster`, and what the parts throw */
export async function startPlatform(config: Config, deps: PlatformDeps): Promise<Platform> {
  prepareProcess(config);
  const step = deps.onStep ?? (() => undefined);
  const { log, metrics = createMetrics() } = deps;
  // An invalid file must not leave a webhook configuration without a server.
  const registries = await openRegistrySettings(config, log);
  await using stack = new AsyncDisposableStack();
  const gate = new WebhookGate(config.systemNamespace);
  const cluster = stack.use(await openCluster(config, { log, metrics, holdWrite: gate.holdWrite }));
  const { apiServer, kube, kubeconfigPath, folder } = cluster;
  const storeDir = join(folder, 'bundles');
  step(`Kubernetes API on ${cluster.server}`);
  await ensureNamespace(kube, config.systemNamespace);
  // The webhook answers before the controllers run.
  let running: RunningControllers | undefined;
  const shared = sharedWithWebhook(() => running);
  const webhook = stack.use(await openWebhook(kube, config, { folder, log, metrics, gate, ...shared }));
  // A failed start must not leave webhook configurations without a server on an external cluster.
  let isStarted = false;
  stack.defer(async () => {
    if (!isStarted && config.clusterPath !== undefined) await webhook.undo();
  });
  step('admission webhook registered');
  const serving = await openStoredCertificate({ folder, name: 'content', clock: systemClock, log });
  const { systemNamespace: namespace, isSimulating } = config;
  const controllers = stack.use(
    await startControllers(config, {
      ...localServers(config, { folder, serving }),
      kube,
      clock: systemClock,
      log,
      metrics,
      storeDir,
      hasOwnServer: apiServer !== undefined,
      ...(await optionalParts(config, { ...cluster, log })),
      registries,
      systemNamespace: namespace,
      environment: processEnvironment(),
    }),
  );
  const { contentUrl, catalogsUrl } = controllers;
  running = controllers;
  if (catalogsUrl !== undefined) step(`catalogs on ${catalogsUrl}`);
  if (apiServer !== undefined) {
    stack.use(await publishContentPod({ apiServer, kube, log }, { namespace, url: contentUrl, isSimulating }));
  }
  step(`contents of bundles on ${contentUrl}`);
  for (const part of watchingParts(config)) step(`${part} watching`);
  isStarted = true;
  const owned = stack.move();
  const shown = { apiServer, kube, kubeconfigPath, folder, storeDir, contentUrl, catalogsUrl };
  return { ...shown, whenOtherOlm: controllers.whenOtherOlm, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
