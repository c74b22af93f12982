import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer, HoldWrite } from '../../apiserver/index.ts';
import {
  clusterCatalogResource,
  clusterExtensionResource,
  clusterVersionName,
  clusterVersionResource,
  machineLabels,
  machineSetResource,
} from '../../src/api/index.ts';
import {
  fileProblem,
  type JsonObject,
  type Logger,
  makeFolder,
  objectAt,
  readProxySettings,
  systemClock,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import { lockFolder } from '../../src/content/index.ts';
import {
  type ClusterAccess,
  createKubeClient,
  isAlreadyExists,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import type { Metrics } from '../../src/metrics/index.ts';
import {
  readClusterVersionCrds,
  readCrds,
  readDeployFile,
  readMachineCrds,
  readOlmCrds,
  untilEstablished,
} from '../client/index.ts';
import { assertNoOtherOlm, leaveOthersKinds } from '../install/index.ts';
import { isPortTaken, rememberedPort, rememberPort } from '../process/index.ts';
import type { Config } from '../settings/index.ts';

/** The cluster that is worked on, with Longshore's CustomResourceDefinitions established, and a folder for everything else. */
export interface OpenCluster extends AsyncDisposable {
  /** Undefined for an external cluster. */
  readonly apiServer: ApiServer | undefined;
  readonly server: string;
  readonly kube: KubeClient;
  readonly kubeconfigPath: string;
  readonly folder: string;
}

/** What opening a cluster is given. */
export interface ClusterDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Which writes an API server of ours holds until the webhook is there. */
  readonly holdWrite: HoldWrite;
}

/** How long the cluster may take to report what runs on it. */
const askedMs = 30_000;
/** On machines: the set that they belong to. */
const machineSetLabel = 'machine.openshift.io/cluster-api-machineset';

interface Folder {
  readonly path: string;
  readonly isTemporary: boolean;
}

async function openFolder(config: Config): Promise<Folder> {
  if (config.dataDir === undefined) return { path: await mkdtemp(join(tmpdir(), 'longshore-')), isTemporary: true };
  try {
    makeFolder(config.dataDir, 0o700);
  } catch (thrown) {
    const message = `--data-dir ${config.dataDir}: ${fileProblem(thrown)}; name a folder that can be made or written to`;
    throw new TerminalError('DataFolderUnusable', message, { cause: thrown });
  }
  return { path: config.dataDir, isTemporary: false };
}

/** The CustomResourceDefinitions of all kinds that are reconciled. */
async function definitionsOf({ olm, clusterVersion, machines }: Config): Promise<readonly KubeObject[]> {
  const definitions = [
    ...(await readCrds()),
    ...(olm === undefined ? [] : await readOlmCrds()),
    ...(clusterVersion === undefined ? [] : await readClusterVersionCrds()),
    ...(machines === undefined ? [] : await readMachineCrds()),
  ];
  return definitions as unknown as KubeObject[];
}

async function openApiServer(config: Config, folder: Folder, { log, holdWrite }: ClusterDeps): Promise<ApiServer> {
  const options = {
    crds: await definitionsOf(config),
    log,
    holdWrite,
    simulation: config.isSimulating,
    kubeconfigPath: config.kubeconfigPath ?? join(folder.path, 'kubeconfig'),
    ...(folder.isTemporary ? {} : { dataDir: folder.path }),
  };
  const port = config.port === 0 && !folder.isTemporary ? await rememberedPort(folder.path, 'port') : config.port;
  // On another cluster it is not loaded: it takes half the memory of the program.
  const { startApiServer } = await import('../../apiserver/index.ts');
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

/** Applies our CustomResourceDefinitions and waits until they are served.
 *  @throws the deadline's error after a minute */
async function installCrds(kube: KubeClient, crds: readonly KubeObject[]): Promise<void> {
  for (const crd of crds) await kube.apply(crd, { fieldManager: 'longshore', force: true });
  await untilEstablished(kube, crds);
}

/** What is not there yet: what the user has changed is retained. */
async function createMissing(kube: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    try {
      await kube.create(object, { fieldManager: 'longshore' });
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
    }
  }
}

/** The ClusterVersion that the update engine works on, and the namespaces of its configuration. What exists stays as it is. */
async function ensureClusterVersion(kube: KubeClient): Promise<void> {
  const { apiVersion, kind } = clusterVersionResource;
  const object = { apiVersion, kind, metadata: { name: clusterVersionName }, spec: { clusterID: randomUUID() } };
  const shipped = (await readDeployFile('release/objects.yaml')) as unknown as KubeObject[];
  await createMissing(kube, [...shipped, object]);
}

/** The namespaces, groups and user roles that Operator Lifecycle Manager comes with. */
async function installOlmObjects(kube: KubeClient): Promise<void> {
  await createMissing(kube, (await readDeployFile('olm/objects.yaml')) as unknown as KubeObject[]);
}

/** The first set of machines, in the namespace that OpenShift has for them. */
async function installMachines(kube: KubeClient, replicas: number): Promise<void> {
  for (const file of ['machines/objects.yaml', 'machines/pools.yaml']) {
    await createMissing(kube, (await readDeployFile(file)) as unknown as KubeObject[]);
  }
  const namespace = 'openshift-machine-api';
  const labels = { [machineLabels.cluster]: 'longshore', [machineLabels.role]: 'worker', [machineSetLabel]: 'workers' };
  const { apiVersion, kind } = machineSetResource;
  const template = { metadata: { labels }, spec: { providerSpec: { value: {} } } };
  const selector = { matchLabels: { [machineSetLabel]: 'workers' } };
  await createMissing(kube, [
    { apiVersion, kind, metadata: { namespace, name: 'workers' }, spec: { replicas, selector, template } },
  ]);
}

/** The objects that optional parts work on. */
async function installObjects(kube: KubeClient, { olm, clusterVersion, machines }: Config): Promise<void> {
  if (olm !== undefined) await installOlmObjects(kube);
  if (clusterVersion !== undefined) await ensureClusterVersion(kube);
  if (machines !== undefined) await installMachines(kube, machines);
}

/** Kinds whose objects are reconciled unless `--no-cluster-catalogs` leaves them to another program. */
const catalogKinds: ReadonlySet<string> = new Set(
  [clusterCatalogResource, clusterExtensionResource].map(({ kind }) => kind),
);

function kindOf(crd: KubeObject): string {
  return textAt(objectAt(crd as unknown as JsonObject, 'spec', 'names'), 'kind');
}

/** Brings our kinds to an external cluster. Those of another program stay as they are: with another schema its objects would lose fields.
 *  @throws TerminalError OlmPresent, KindsTaken */
async function prepareExternal(kube: KubeClient, config: Config): Promise<void> {
  const signal = AbortSignal.timeout(askedMs);
  if (config.olm !== undefined) await assertNoOtherOlm(kube, signal);
  const left: KubeObject[] = [];
  const onLeft = (crd: KubeObject): unknown => left.push(crd);
  const crds = await leaveOthersKinds(await definitionsOf(config), { kube, signal, onLeft });
  const taken = left.filter((crd) => catalogKinds.has(kindOf(crd)));
  if (taken.length > 0 && config.hasClusterCatalogs) {
    const names = taken.map(({ metadata }) => `CustomResourceDefinition "${metadata.name}"`).join(', ');
    const text = `another program has brought ${names} to the cluster, and reconciles its objects: leave them to it with --no-cluster-catalogs; nothing was changed. If they are Longshore's, label them app.kubernetes.io/part-of=longshore`;
    throw new TerminalError('KindsTaken', text);
  }
  await installCrds(kube, crds);
}

async function accessOf(config: Config, apiServer: ApiServer | undefined): Promise<ClusterAccess> {
  if (apiServer !== undefined) return await loadClusterAccess({ text: apiServer.kubeconfig });
  const path = config.clusterPath ?? '';
  try {
    return await loadClusterAccess({ path }, readProxySettings(process.env));
  } catch (thrown) {
    const message = `--cluster ${path}: ${fileProblem(thrown)}; name the kubeconfig of the cluster to work on`;
    throw new TerminalError('InvalidOption', message, { cause: thrown });
  }
}

/** Opens the cluster of `--cluster`, or an API server of our own. Disposing it closes what was opened; a temporary folder goes then.
 *  @throws TerminalError DataFolderUnusable, DataFolderInUse, PortTaken, CrdsMissing, InvalidOption, OlmPresent, KindsTaken */
export async function openCluster(config: Config, deps: ClusterDeps): Promise<OpenCluster> {
  const { metrics } = deps;
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(config);
  stack.defer(async () => {
    if (folder.isTemporary) await rm(folder.path, { recursive: true, force: true });
  });
  const own = config.clusterPath === undefined;
  // The API server locks the folder that it keeps its objects in.
  if (!own && !folder.isTemporary) stack.use(lockFolder(folder.path));
  const apiServer = own ? stack.use(await openApiServer(config, folder, deps)) : undefined;
  if (apiServer !== undefined && !folder.isTemporary) {
    await rememberPort(folder.path, 'port', Number(new URL(apiServer.url).port));
  }
  const access = await accessOf(config, apiServer);
  const kube = createKubeClient({ access, clock: systemClock, metrics });
  stack.defer(() => kube.close());
  if (!own) await prepareExternal(kube, config);
  await installObjects(kube, config);
  const owned = stack.move();
  return {
    apiServer,
    server: access.server,
    kube,
    kubeconfigPath: config.clusterPath ?? config.kubeconfigPath ?? join(folder.path, 'kubeconfig'),
    folder: folder.path,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
