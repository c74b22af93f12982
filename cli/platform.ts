import { join } from 'node:path';
import type { ApiServer } from '../apiserver/index.ts';
import { createUnpacker, startProvisioners } from '../provisioners/index.ts';
import {
  type Bundle,
  bundleDeploymentResource,
  bundleResource,
  parseBundle,
  parseBundleDeployment,
} from '../src/api/index.ts';
import { type JsonObject, type Logger, systemClock } from '../src/base/index.ts';
import { isNotFound, type KubeClient, NoKindMatch } from '../src/kube/index.ts';
import { type FactsReader, registerWebhooks, startWebhookServer, watchDependentBundles } from '../webhook/index.ts';
import { readAuthorities } from './authorities.ts';
import { openCluster } from './cluster.ts';
import { packageVersion } from './commands/version.ts';
import type { Config } from './config.ts';
import { openContentServer } from './content.ts';
import { keepYoungHeapSmall } from './heap.ts';
import { openRegistryConfig, type RegistryConfig } from './registry-config.ts';

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
  /** Where `<bundle>.tgz` files are. */
  readonly storeDir: string;
}

/** What is told while the platform starts: one short line a step. */
export interface PlatformDeps {
  readonly log: Logger;
  readonly onStep?: (line: string) => void;
}

function factsReader(runtime: Parameters<typeof watchDependentBundles>[0], systemNamespace: string): FactsReader {
  const { kube } = runtime;
  return {
    hasDependencies: watchDependentBundles(runtime),
    readConfigMap: async (name, { signal }) => {
      try {
        const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name };
        return (await kube.get(ref, { signal })) as unknown as JsonObject;
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      }
    },
    readObjects: async function* pages(target, options) {
      for await (const { items } of kube.listPages(target, options)) yield items as unknown as readonly JsonObject[];
    },
    listBundles: async ({ signal }): Promise<readonly Bundle[]> => {
      const { items } = await kube.list(bundleResource, { signal });
      return items.map((item) => parseBundle(item));
    },
    listDeployments: async ({ signal }) => {
      const { items } = await kube.list(bundleDeploymentResource, { signal });
      return items.map((item) => parseBundleDeployment(item));
    },
    servesApi: async ({ group, version, kind }, { signal }) => {
      try {
        await kube.resolve(`${group}/${version}`, kind, { signal });
        return true;
      } catch (thrown) {
        if (thrown instanceof NoKindMatch) return false;
        throw thrown;
      }
    },
  };
}

async function openWebhook(kube: KubeClient, config: Config, log: Logger): Promise<AsyncDisposable> {
  const { systemNamespace } = config;
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const runtime = { kube, clock: systemClock, log, signal: stop.signal };
  const webhook = stack.use(
    await startWebhookServer({
      clock: systemClock,
      log,
      host: loopback,
      port: 0,
      facts: factsReader(runtime, systemNamespace),
      systemNamespace,
      dependencyPolicy: config.dependencyPolicy,
    }),
  );
  await registerWebhooks((configuration, options) => kube.apply(configuration, options), {
    address: { origin: `https://${loopback}:${webhook.port}` },
    caBundlePem: webhook.caBundlePem(),
    systemNamespace,
  });
  return stack.move();
}

interface ProvisioningContext {
  readonly folder: string;
  readonly storeDir: string;
  readonly authorities: readonly string[];
  readonly registryConfig: RegistryConfig;
  readonly log: Logger;
}

async function openProvisioners(
  kube: KubeClient,
  config: Config,
  context: ProvisioningContext,
): Promise<AsyncDisposable & { readonly contentUrl: string }> {
  const { folder, storeDir, authorities, registryConfig, log } = context;
  const { systemNamespace, workers, resyncMs } = config;
  await using stack = new AsyncDisposableStack();
  const unpacker = stack.use(
    await createUnpacker({
      storeDir,
      limits: config.limits,
      insecureRegistries: config.insecureRegistries,
      readMirrors: registryConfig.readMirrors,
      registryCaPem: authorities,
      gitCaPem: authorities,
      httpCaPem: authorities,
      answerDeadlineMs: config.answerDeadlineMs,
      storeBytes: config.contentStoreBytes,
      ...(process.env['PATH'] === undefined ? {} : { programPath: process.env['PATH'] }),
    }),
  );
  const runtime = { kube, unpacker, clock: systemClock, log, systemNamespace };
  const maxUploadBytes = config.limits.compressedLayerBytes;
  const content = stack.use(
    await openContentServer({ ...runtime, folder, storeDir, port: config.contentPort, maxUploadBytes }),
  );
  const contentUrl = `https://${loopback}:${content.port}`;
  const stop = new AbortController();
  const provisioners = startProvisioners({
    ...runtime,
    workers,
    resyncMs,
    version: packageVersion(),
    healthDeadlineMs: config.healthDeadlineMs,
    dependencyPolicy: config.dependencyPolicy,
    contentBaseUrl: contentUrl,
    signal: stop.signal,
  });
  stack.defer(async () => {
    stop.abort();
    await provisioners.whenStopped;
  });
  await provisioners.whenReady;
  stack.use(registryConfig.watch(provisioners.retryImages));
  const owned = stack.move();
  return { contentUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
  if (config.clusterPath !== undefined) keepYoungHeapSmall();
  const authorities = await readAuthorities(config.registryCaPath);
  const registryConfig = await openRegistryConfig(config.registryConfigPath, deps.log);
  const step = deps.onStep ?? (() => undefined);
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(config, deps.log));
  const { apiServer, kube, kubeconfigPath } = cluster;
  step(`Kubernetes API on ${cluster.server}`);
  await ensureNamespace(kube, config.systemNamespace);
  stack.use(await openWebhook(kube, config, deps.log));
  step('admission webhook registered');
  const storeDir = join(cluster.folder, 'bundles');
  const context = { folder: cluster.folder, storeDir, authorities, registryConfig, log: deps.log };
  const { contentUrl } = stack.use(await openProvisioners(kube, config, context));
  step(`contents of bundles on ${contentUrl}`);
  step('provisioners watching');
  const owned = stack.move();
  return { apiServer, kube, kubeconfigPath, storeDir, contentUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
