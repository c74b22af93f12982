import { access, constants } from 'node:fs/promises';
import {
  addProvisioners,
  type ContentServiceOptions,
  createUnpacker,
  type ProvisionerOptions,
  type Provisioners,
  type Unpacker,
  type UnpackerOptions,
} from '../provisioners/index.ts';
import { fileProblem, TerminalError } from '../src/base/index.ts';
import type { Manager } from '../src/controller/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { claimUploads } from './own-uploads.ts';
import type { ControllerSettings, ProcessEnvironment, RegistrySettings } from './settings.ts';

/** A server, and where clients reach it. */
export interface OpenServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts the content server. */
export type OpenContentServer = (
  options: Omit<ContentServiceOptions, 'host' | 'port' | 'serving'> & { readonly systemNamespace: string },
) => Promise<OpenServer>;

/** What the provisioners run with. */
export interface ProvisionersContext
  extends Pick<
    ProvisionerOptions,
    'offersFor' | 'shard' | 'handOverMs' | 'hasOwnServer' | 'whileStandby' | 'beforeWork'
  > {
  readonly storeDir: string;
  readonly systemNamespace: string;
  readonly registries: RegistrySettings;
  readonly environment: ProcessEnvironment;
  readonly metrics: Metrics;
  readonly openContent: OpenContentServer;
}

/** Tags of this cluster begin with the uid of its namespace kube-system, which is never created again. */
async function sharedStoreOf(
  { sharedStore }: ControllerSettings,
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

async function openUnpacker(
  settings: ControllerSettings,
  { storeDir, registries, environment }: ProvisionersContext,
  kube: KubeClient,
): Promise<Unpacker> {
  const { authorities, mirrors, imagePolicy } = registries;
  const { proxies, programPath } = environment;
  return await createUnpacker({
    storeDir,
    limits: settings.limits,
    insecureRegistries: settings.insecureRegistries,
    readMirrors: mirrors.read,
    readImagePolicy: imagePolicy.read,
    registryCaPem: authorities,
    gitCaPem: authorities,
    httpCaPem: authorities,
    allowsUnnamedHosts: settings.allowsUnnamedHosts,
    proxies,
    answerDeadlineMs: settings.answerDeadlineMs,
    storeBytes: settings.contentStoreBytes,
    shared: await sharedStoreOf(settings, kube),
    ...(programPath === undefined ? {} : { programPath }),
    helm: { program: settings.helm, searchPath: programPath ?? '/usr/local/bin:/usr/bin:/bin' },
  });
}

/** Starts the content server and adds the provisioners. What is opened belongs to `stack`.
 *  @throws TerminalError InvalidOption, DataFolderInUse, UploadsOfAnotherCluster */
export async function openProvisioners(
  manager: Manager,
  settings: ControllerSettings,
  context: ProvisionersContext & { readonly stack: AsyncDisposableStack },
): Promise<Provisioners & { readonly contentUrl: string }> {
  const { stack, storeDir, systemNamespace, openContent, environment, metrics } = context;
  const { offersFor, shard, handOverMs, hasOwnServer, whileStandby, beforeWork } = context;
  const { kube, clock, log } = manager;
  const unpacker = stack.use(await openUnpacker(settings, context, kube));
  // No other process has the folder by now.
  await claimUploads(kube, storeDir);
  const maxUploadBytes = settings.limits.compressedLayerBytes;
  const server = { kube, unpacker, clock, log, metrics, systemNamespace, storeDir, maxUploadBytes };
  const { url: contentUrl } = stack.use(await openContent(server));
  const { workers, resyncMs, healthDeadlineMs, dependencyPolicy, isAccountRequired, foreignClasses } = settings;
  const provisioners = addProvisioners(manager, {
    unpacker,
    systemNamespace,
    workers,
    resyncMs,
    healthDeadlineMs,
    dependencyPolicy,
    isAccountRequired,
    foreignClasses,
    shard,
    handOverMs,
    hasOwnServer,
    version: environment.version,
    contentBaseUrl: contentUrl,
    ...(offersFor === undefined ? {} : { offersFor }),
    ...(whileStandby === undefined ? {} : { whileStandby }),
    ...(beforeWork === undefined ? {} : { beforeWork }),
  });
  return { ...provisioners, contentUrl };
}
