import { join } from 'node:path';
import { readAccountPullSecrets } from '../provisioners/index.ts';
import { type Logger, readProxySettings, type ServingCertificate, systemClock } from '../src/base/index.ts';
import { createQueryAnswer, startCatalogServer } from '../src/catalog/index.ts';
import { type KubeClient, NoKindMatch } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import {
  type CatalogViews,
  type ClusterCatalogs,
  type ClusterCatalogsOptions,
  type RegistryTerms,
  startClusterCatalogs,
  type UnpackSettings,
} from '../src/olm/index.ts';
import { defaultPlatform } from '../src/sources/index.ts';
import type { Config } from './config.ts';
import { startOnRememberedPort } from './process/index.ts';
import type { ProvisionerConfig } from './provisioner-config.ts';
import type { RegistrySettings } from './registry-settings.ts';

const unpackDeadlineMs = 15 * 60_000;
const heapMebibytes = 512;

/** What catalogs are kept and served with. */
export interface CatalogServiceContext {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  /** Nobody else's. */
  readonly storeDir: string;
  readonly registries: RegistrySettings;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** Where clients reach the server; default: `https://127.0.0.1:<port>`. */
  readonly baseUrl?: string;
  readonly leadership?: NonNullable<ClusterCatalogsOptions['leadership']>;
  /** Resolves when the process is stopped: nothing is awaited then. Default: never. */
  readonly whenStopped?: Promise<void>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** ClusterCatalogs that are looked after and served. */
export interface CatalogService extends AsyncDisposable {
  readonly port: number;
  readonly views: CatalogViews;
  /** Resolves when this process has what others serve, too. */
  readonly whenCaughtUp: Promise<void>;
}

function settingsOf(config: ProvisionerConfig, registryCaPem: readonly string[]): UnpackSettings {
  const { catalogLimits: limits, insecureRegistries, answerDeadlineMs } = config;
  const platform = defaultPlatform();
  return {
    limits,
    insecureRegistries,
    registryCaPem,
    proxies: readProxySettings(process.env),
    answerDeadlineMs,
    platform,
    deadlineMs: unpackDeadlineMs,
    heapMebibytes,
  };
}

function termsReader({ kube, systemNamespace, registries }: CatalogServiceContext) {
  return async (signal: AbortSignal): Promise<RegistryTerms> => ({
    pullSecrets: await readAccountPullSecrets({ kube, systemNamespace }, signal),
    mirrors: await registries.mirrors.read(),
    policy: await registries.imagePolicy.read(),
  });
}

async function begin({ whenReady }: ClusterCatalogs, { log, whenStopped }: CatalogServiceContext): Promise<void> {
  try {
    await Promise.race([whenReady, whenStopped ?? whenReady]);
  } catch (thrown) {
    if (!(thrown instanceof NoKindMatch)) throw thrown;
    const hint = 'apply the manifests of this version, then start the process again';
    log.error({ message: thrown.message, hint }, 'catalogs are not served: the cluster has no ClusterCatalogs');
  }
}

const loopback = '127.0.0.1';
const portFile = 'catalog-port';

/** The same on this machine alone, on the port of last time where it is free. */
export async function openLocalCatalogs(
  config: Config,
  { folder, ...context }: Omit<CatalogServiceContext, 'host' | 'port' | 'storeDir'> & { readonly folder: string },
): Promise<CatalogService & { readonly url: string }> {
  const storeDir = join(folder, 'catalogs');
  const place = { folder, portFile, port: config.catalogPort };
  const service = await startOnRememberedPort(place, (port) =>
    openCatalogService(config, { ...context, storeDir, host: loopback, port }),
  );
  return { ...service, url: `https://${loopback}:${service.port}` };
}

/** Starts the controller of ClusterCatalogs and the server of their contents; ready when it resolves.
 *  @throws Error when the port is taken · TerminalError DataFolderInUse, DataFolderUnusable */
export async function openCatalogService(
  config: ProvisionerConfig,
  context: CatalogServiceContext,
): Promise<CatalogService> {
  const { kube, storeDir, registries, host, port: requestedPort, serving, leadership, log, metrics } = context;
  await using stack = new AsyncDisposableStack();
  let catalogs: ClusterCatalogs | undefined;
  const graphql = config.hasCatalogGraphql ? { graphql: createQueryAnswer() } : {};
  const catalogOf = (name: string) => catalogs?.index(name);
  const server = stack.use(
    await startCatalogServer({ host, port: requestedPort, serving, catalogOf, ...graphql, log, metrics }),
  );
  const { port } = server;
  const stop = new AbortController();
  catalogs = await startClusterCatalogs({
    kube,
    storeDir,
    baseUrl: context.baseUrl ?? `https://${host}:${port}`,
    settings: settingsOf(config, registries.authorities),
    readTerms: termsReader(context),
    ...(leadership === undefined ? {} : { leadership }),
    metrics,
    clock: systemClock,
    log,
    signal: stop.signal,
  });
  const { views, whenCaughtUp, whenStopped } = catalogs;
  const retry = (): void => catalogs?.retry();
  stack.defer(async () => {
    stop.abort();
    await whenStopped;
  });
  await begin(catalogs, context);
  stack.use(registries.mirrors.watch(retry));
  stack.use(registries.imagePolicy.watch(retry));
  const owned = stack.move();
  return { port, views, whenCaughtUp, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
