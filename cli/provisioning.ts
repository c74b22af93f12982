import { access, constants } from 'node:fs/promises';
import {
  type ContentServiceOptions,
  createUnpacker,
  type ProvisionerOptions,
  startProvisioners,
  type UnpackerOptions,
} from '../provisioners/index.ts';
import { fileProblem, type Logger, readProxySettings, systemClock, TerminalError } from '../src/base/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { packageVersion } from './process/index.ts';
import type { ProvisionerConfig } from './provisioner-config.ts';
import type { RegistrySettings } from './registry-settings.ts';

/** A content server, and where its clients find it. */
export interface OpenContent extends AsyncDisposable {
  readonly contentUrl: string;
}

/** What the provisioners run with. */
export interface ProvisioningContext {
  readonly kube: KubeClient;
  readonly storeDir: string;
  readonly systemNamespace: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly registries: RegistrySettings;
  /** Starts the content server for them. */
  readonly openContent: (
    options: Omit<ContentServiceOptions, 'host' | 'port' | 'serving'> & {
      readonly systemNamespace: string;
    },
  ) => Promise<OpenContent>;
  /** Resolves when the process is stopped: nothing is awaited then. Default: never. */
  readonly whenStopped?: Promise<void>;
  /** As `startProvisioners` has it. */
  readonly beforeWork?: ProvisionerOptions['beforeWork'];
  /** As `startProvisioners` has it. */
  readonly offersFor?: NonNullable<ProvisionerOptions['offersFor']>;
  /** As `startProvisioners` has it. */
  readonly shard?: ProvisionerOptions['shard'];
}

/** Tags of this cluster begin so: its namespace kube-system is never recreated. */
async function openSharedStore(
  { sharedStore }: ProvisionerConfig,
  kube: KubeClient,
): Promise<UnpackerOptions['shared']> {
  if (sharedStore === undefined) return undefined;
  const { registry, repository, loginPath } = sharedStore;
  if (loginPath !== undefined) {
    await access(loginPath, constants.R_OK).catch((thrown: unknown) => {
      throw new TerminalError('InvalidOption', `--content-store-login ${loginPath}: ${fileProblem(thrown)}`);
    });
  }
  const { metadata } = await kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  return { registry, repository, loginPath, cluster: (metadata.uid ?? '').slice(0, 8) };
}

/** Starts the content server and the provisioners; ready when it resolves.
 *  @throws TerminalError InvalidOption */
export async function openProvisioners(config: ProvisionerConfig, context: ProvisioningContext): Promise<OpenContent> {
  const { kube, storeDir, systemNamespace, log, metrics, openContent, beforeWork, offersFor, shard } = context;
  const { workers, resyncMs, healthDeadlineMs, dependencyPolicy, isAccountRequired, foreignClasses } = config;
  const { authorities, mirrors, imagePolicy } = context.registries;
  await using stack = new AsyncDisposableStack();
  const unpacker = stack.use(
    await createUnpacker({
      storeDir,
      limits: config.limits,
      insecureRegistries: config.insecureRegistries,
      readMirrors: mirrors.read,
      readImagePolicy: imagePolicy.read,
      registryCaPem: authorities,
      gitCaPem: authorities,
      httpCaPem: authorities,
      allowsUnnamedHosts: config.allowsUnnamedHosts,
      proxies: readProxySettings(process.env),
      answerDeadlineMs: config.answerDeadlineMs,
      storeBytes: config.contentStoreBytes,
      shared: await openSharedStore(config, kube),
      ...(process.env['PATH'] === undefined ? {} : { programPath: process.env['PATH'] }),
    }),
  );
  const runtime = { kube, unpacker, clock: systemClock, log, metrics, systemNamespace };
  const maxUploadBytes = config.limits.compressedLayerBytes;
  const { contentUrl } = stack.use(await openContent({ ...runtime, storeDir, maxUploadBytes }));
  const stop = new AbortController();
  const policies = { workers, resyncMs, healthDeadlineMs, dependencyPolicy, isAccountRequired, foreignClasses };
  const provisioners = startProvisioners({
    ...runtime,
    ...policies,
    shard,
    version: packageVersion(),
    contentBaseUrl: contentUrl,
    ...(beforeWork === undefined ? {} : { beforeWork }),
    ...(offersFor === undefined ? {} : { offersFor }),
    signal: stop.signal,
  });
  stack.defer(async () => {
    stop.abort();
    await provisioners.whenStopped;
  });
  // Without an answer of the API server that never comes.
  await Promise.race([provisioners.whenReady, context.whenStopped ?? provisioners.whenReady]);
  stack.use(mirrors.watch(provisioners.retryImages));
  stack.use(imagePolicy.watch(provisioners.retrySources));
  const owned = stack.move();
  return { contentUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
