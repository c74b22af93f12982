import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, type KubeObject, startApiServer } from '../apiserver/index.ts';
import { createUnpacker, startProvisioners } from '../provisioners/index.ts';
import { type Bundle, parseBundle } from '../src/api/index.ts';
import { errorMessage, type JsonObject, type Logger, systemClock, TerminalError } from '../src/base/index.ts';
import { createKubeClient, isNotFound, type KubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { type FactsReader, registerWebhooks, startWebhookServer, type WebhookServer } from '../webhook/index.ts';
import type { Config } from './config.ts';
import { readCrds } from './crds.ts';

const loopback = '127.0.0.1';

/** Everything of `longshore up`, running: API server, webhook, provisioners. */
export interface Platform extends AsyncDisposable {
  readonly apiServer: ApiServer;
  /** As the admin. */
  readonly kube: KubeClient;
  readonly kubeconfigPath: string;
  /** Where `<bundle>.tgz` files are. */
  readonly storeDir: string;
}

/** What is told while the platform starts: one short line a step. */
export interface PlatformDeps {
  readonly log: Logger;
  readonly onStep?: (line: string) => void;
}

interface Folder {
  readonly path: string;
  readonly isTemporary: boolean;
}

async function openFolder(config: Config): Promise<Folder> {
  if (config.dataDir === undefined) return { path: await mkdtemp(join(tmpdir(), 'longshore-')), isTemporary: true };
  try {
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const message = `--data-dir ${config.dataDir}: ${errorMessage(thrown)}; name a folder that can be made or written to`;
    throw new TerminalError('DataFolderUnusable', message, { cause: thrown });
  }
  return { path: config.dataDir, isTemporary: false };
}

/** The port of last time, so that a kubeconfig stays good over a restart. */
async function choosePort(config: Config, folder: Folder): Promise<number> {
  if (config.port !== 0 || folder.isTemporary) return config.port;
  try {
    return Number.parseInt(await readFile(join(folder.path, 'port'), 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

function isPortTaken(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

async function openApiServer(config: Config, folder: Folder, deps: PlatformDeps): Promise<ApiServer> {
  const crds = (await readCrds()) as unknown as KubeObject[];
  const options = {
    crds,
    log: deps.log,
    simulation: config.isSimulating,
    kubeconfigPath: config.kubeconfigPath ?? join(folder.path, 'kubeconfig'),
    ...(folder.isTemporary ? {} : { dataDir: folder.path }),
  };
  const port = await choosePort(config, folder);
  try {
    return await startApiServer({ ...options, port });
  } catch (thrown) {
    if (!isPortTaken(thrown)) throw thrown;
    if (config.port !== 0) {
      const message = `--port ${config.port}: another process listens there; choose another port, or 0 for a free one`;
      throw new TerminalError('PortTaken', message, { cause: thrown });
    }
    return await startApiServer({ ...options, port: 0 });
  }
}

function factsReader(kube: KubeClient, systemNamespace: string): FactsReader {
  return {
    readConfigMap: async (name, { signal }) => {
      try {
        const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name };
        return (await kube.get(ref, { signal })) as unknown as JsonObject;
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      }
    },
    listBundles: async ({ signal }): Promise<readonly Bundle[]> => {
      const { items } = await kube.list({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' }, { signal });
      return items.map((item) => parseBundle(item));
    },
  };
}

async function openWebhook(kube: KubeClient, config: Config, log: Logger): Promise<WebhookServer> {
  const { systemNamespace } = config;
  const webhook = await startWebhookServer({
    clock: systemClock,
    log,
    host: loopback,
    port: 0,
    facts: factsReader(kube, systemNamespace),
    systemNamespace,
  });
  await registerWebhooks((configuration, options) => kube.apply(configuration, options), {
    address: { origin: `https://${loopback}:${webhook.port}` },
    caBundlePem: webhook.caBundlePem,
    systemNamespace,
  });
  return webhook;
}

/** @throws TerminalError InvalidOption */
async function readAuthorities(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  try {
    const text = await readFile(path, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return [text];
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--registry-ca ${path}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  throw new TerminalError('InvalidOption', `--registry-ca ${path}: expected certificates in PEM form, found none`);
}

async function openProvisioners(
  kube: KubeClient,
  config: Config,
  context: { readonly storeDir: string; readonly authorities: readonly string[]; readonly log: Logger },
): Promise<AsyncDisposable> {
  const unpacker = await createUnpacker({
    storeDir: context.storeDir,
    limits: config.limits,
    insecureRegistries: config.insecureRegistries,
    registryCaPem: context.authorities,
    gitCaPem: context.authorities,
    answerDeadlineMs: config.answerDeadlineMs,
  });
  const stop = new AbortController();
  const provisioners = startProvisioners({
    kube,
    unpacker,
    systemNamespace: config.systemNamespace,
    workers: config.workers,
    clock: systemClock,
    log: context.log,
    signal: stop.signal,
  });
  const close = async (): Promise<void> => {
    stop.abort();
    await provisioners.whenStopped;
    await unpacker[Symbol.asyncDispose]();
  };
  try {
    await provisioners.whenReady;
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { [Symbol.asyncDispose]: close };
}

async function ensureNamespace(kube: KubeClient, name: string): Promise<void> {
  await kube.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { fieldManager: 'longshore', force: true },
  );
}

/** Starts everything on this machine, ready when it resolves. Disposing it stops all in the reverse order; a temporary folder goes then.
 *  @throws TerminalError PortTaken, CrdsMissing, and what the parts throw */
export async function startPlatform(config: Config, deps: PlatformDeps): Promise<Platform> {
  const authorities = await readAuthorities(config.registryCaPath);
  const step = deps.onStep ?? (() => undefined);
  const stack = new AsyncDisposableStack();
  try {
    const folder = await openFolder(config);
    stack.defer(async () => {
      if (folder.isTemporary) await rm(folder.path, { recursive: true, force: true });
    });
    const apiServer = stack.use(await openApiServer(config, folder, deps));
    if (!folder.isTemporary) await writeFile(join(folder.path, 'port'), new URL(apiServer.url).port);
    step(`Kubernetes API on ${apiServer.url}`);
    const access = await loadClusterAccess({ text: apiServer.kubeconfig });
    const kube = createKubeClient({ access, clock: systemClock });
    stack.defer(() => kube.close());
    await ensureNamespace(kube, config.systemNamespace);
    stack.use(await openWebhook(kube, config, deps.log));
    step('admission webhook registered');
    const storeDir = join(folder.path, 'bundles');
    stack.use(await openProvisioners(kube, config, { storeDir, authorities, log: deps.log }));
    step('provisioners watching');
    const kubeconfigPath = config.kubeconfigPath ?? join(folder.path, 'kubeconfig');
    const dispose = (): Promise<void> => stack.disposeAsync();
    return { apiServer, kube, kubeconfigPath, storeDir, [Symbol.asyncDispose]: dispose };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}
