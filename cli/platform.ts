import { join } from 'node:path';
import type { ApiServer, HoldWrite } from '../apiserver/index.ts';
import { createServingCertificate, type Logger, type ServingCertificate, systemClock } from '../src/base/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import { createMetrics, type Metrics } from '../src/metrics/index.ts';
import { isReviewed, type Registered, registerWebhooks, startWebhookServer } from '../webhook/index.ts';
import { openCluster } from './cluster.ts';
import { openLocalCatalogs } from './cluster-catalogs.ts';
import { keepYoungHeapSmall } from './command/index.ts';
import type { Config } from './config.ts';
import { openContentServer } from './content.ts';
import { publishContentPod } from './content-pod.ts';
import { factsReader } from './facts.ts';
import { LateOffers, openPlatformOperators } from './platform-operators.ts';
import { checkProcessLimits } from './process-limits.ts';
import { openProvisioners } from './provisioning.ts';
import { openRegistrySettings } from './registry-settings.ts';

const loopback = '127.0.0.1';

/** Everything of `longshore up`, running: API server, webhook, provisioners. */
export interface Platform extends AsyncDisposable {
  /** Undefined when the cluster is somebody else's. */
  readonly apiServer: ApiServer | undefined;
  /** As the admin. */
  readonly kube: KubeClient;
  readonly kubeconfigPath: string;
  /** Where contents are served and uploads are taken: `https://127.0.0.1:41234`. */
  readonly contentUrl: string;
  /** Where ClusterCatalogs are served; undefined when they are left to somebody else. */
  readonly catalogsUrl: string | undefined;
  /** Where `<bundle>.tgz` files are. */
  readonly storeDir: string;
}

/** What is told while the platform starts: one short line a step. */
export interface PlatformDeps {
  readonly log: Logger;
  /** Default: its own. */
  readonly metrics?: Metrics;
  readonly onStep?: (line: string) => void;
}

/** Keeps writes of what the webhook validates waiting until it listens: after a restart the configurations are there before it, at the first start after. */
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

async function openWebhook(
  kube: KubeClient,
  config: Config,
  {
    log,
    metrics,
    offers,
    gate,
  }: { readonly log: Logger; readonly metrics: Metrics; readonly offers: LateOffers; readonly gate: WebhookGate },
): Promise<AsyncDisposable & Registered> {
  const { systemNamespace } = config;
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const runtime = { kube, clock: systemClock, log, signal: stop.signal };
  const webhook = stack.use(
    await startWebhookServer({
      clock: systemClock,
      log,
      metrics,
      host: loopback,
      port: 0,
      facts: factsReader(runtime, systemNamespace, offers.offersFor),
      systemNamespace,
      dependencyPolicy: config.dependencyPolicy,
      isAccountRequired: config.isAccountRequired,
      foreignClasses: config.foreignClasses,
    }),
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

function contentOpener(
  { contentPort: port }: Config,
  folder: string,
  serving: ServingCertificate,
): Parameters<typeof openProvisioners>[1]['openContent'] {
  return (options) => openContentServer({ ...options, serving, folder, port });
}

function prepareProcess({ clusterPath }: Config): void {
  checkProcessLimits('up');
  if (clusterPath !== undefined) keepYoungHeapSmall();
}

async function ensureNamespace(kube: KubeClient, name: string): Promise<void> {
  await kube.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { fieldManager: 'longshore', force: true },
  );
}

/** Starts everything on this machine, ready when it resolves. Disposing it stops all in the reverse order.
 *  @throws TerminalError as `openCluster`, and what the parts throw */
export async function startPlatform(config: Config, deps: PlatformDeps): Promise<Platform> {
  prepareProcess(config);
  const step = deps.onStep ?? (() => undefined);
  const { log, metrics = createMetrics() } = deps;
  // A mistake in a file must not leave a webhook registered that nobody answers for.
  const registries = await openRegistrySettings(config, log);
  await using stack = new AsyncDisposableStack();
  const gate = new WebhookGate(config.systemNamespace);
  const cluster = stack.use(await openCluster(config, { log, metrics, holdWrite: gate.holdWrite }));
  const { apiServer, kube, kubeconfigPath } = cluster;
  step(`Kubernetes API on ${cluster.server}`);
  await ensureNamespace(kube, config.systemNamespace);
  const offers = new LateOffers();
  const webhook = stack.use(await openWebhook(kube, config, { log, metrics, offers, gate }));
  // A start that fails must not leave a cluster that goes on with webhooks that no one answers.
  let isStarted = false;
  stack.defer(async () => {
    if (!isStarted && config.clusterPath !== undefined) await webhook.undo();
  });
  step('admission webhook registered');
  const serving = await createServingCertificate({ commonName: 'longshore content', clock: systemClock });
  const shared = { kube, systemNamespace: config.systemNamespace, registries, serving, log, metrics };
  const catalogs = config.hasClusterCatalogs
    ? stack.use(await openLocalCatalogs(config, { ...shared, folder: cluster.folder }))
    : undefined;
  if (catalogs !== undefined) step(`catalogs on ${catalogs.url}`);
  offers.connect(catalogs?.views);
  const storeDir = join(cluster.folder, 'bundles');
  const { contentUrl } = stack.use(
    await openProvisioners(config, {
      ...shared,
      storeDir,
      offersFor: offers.offersFor,
      openContent: contentOpener(config, cluster.folder, serving),
    }),
  );
  if (apiServer !== undefined) {
    const { systemNamespace: namespace, isSimulating } = config;
    const content = { namespace, url: contentUrl, isSimulating };
    stack.use(await publishContentPod({ apiServer, kube, log }, content));
  }
  step(`contents of bundles on ${contentUrl}`);
  step('provisioners watching');
  if (catalogs !== undefined)
    stack.use(
      await openPlatformOperators({ ...shared, isAccountRequired: config.isAccountRequired, views: catalogs.views }),
    );
  isStarted = true;
  const owned = stack.move();
  const urls = { contentUrl, catalogsUrl: catalogs?.url };
  return { apiServer, kube, kubeconfigPath, storeDir, ...urls, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
