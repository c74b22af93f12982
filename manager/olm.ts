import { join } from 'node:path';
import { catalogSourceResource, parseCatalogSource } from '../src/api/index.ts';
import { errorMessage, type ServingCertificate } from '../src/base/index.ts';
import { type RegistryServer, startRegistryServer } from '../src/catalog/index.ts';
import type { Manager } from '../src/controller/index.ts';
import { requestTrustTarget } from '../src/extension-server/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
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
  addPackageRegistration,
  addSubscriptions,
  type BundleContentsOptions,
  type CatalogSources,
  OtherOlm,
  openBundleContents,
  type PackageService,
  type RegistryTerms,
  readPullSecrets,
  removePackageRegistration,
  startPackageServer,
  type UnpackSettings,
} from '../src/olm/index.ts';
import type { OlmSettings, RegistrySettings } from './settings.ts';

const namespaceTarget = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;
const gibibyte = 1024 ** 3;
/** Of all bundles that were unpacked; the ones used last stay. */
const bundleStoreBytes = 4 * gibibyte;

/** Where the package server listens, and where the API server reaches it. */
export interface PackageServing {
  readonly serving: ServingCertificate;
  /** Default: all addresses. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly serviceOn: (port: number) => PackageService;
  /** Whether the cluster outlives the server: the registration is removed with it. */
  readonly isTemporary?: boolean;
}

/** How long the cluster may take to remove the registration of the package server. */
const unregisterMs = 10_000;

/** Where catalogs are served over gRPC, and the DNS name under which Services lead there. */
export interface CatalogServing {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly externalName: string;
}

/** What the controllers of Operator Lifecycle Manager run with. */
export interface OlmContext {
  /** Undefined: catalogs get no Services. */
  readonly registry?: CatalogServing | undefined;
  /** Undefined: no PackageManifests are served. */
  readonly packages?: PackageServing | undefined;
  /** Asks about users and permissions, also while this process does not lead. Undefined: no other installation is looked for. */
  readonly reviewKube?: KubeClient | undefined;
  /** No other process uses it. */
  readonly olmDir: string;
  readonly registries: RegistrySettings;
  readonly unpacking: UnpackSettings;
  /** After which a step that fails makes its InstallPlan fail. Default: a minute. */
  readonly planRetryTimeoutMs?: number;
}

/** Starts the package server, and has it registered. */
async function openPackages(
  manager: Manager,
  sources: CatalogSources,
  { packages, kube, stack }: Pick<OlmContext, 'packages'> & { kube: KubeClient; stack: AsyncDisposableStack },
): Promise<void> {
  if (packages === undefined) return;
  const { clock, log } = manager;
  const { serving, host, port, serviceOn, isTemporary = false } = packages;
  const place = { port, ...(host === undefined ? {} : { host }) };
  const trust = manager.cache(requestTrustTarget);
  const onTrustChanged = (listener: () => void): Disposable => trust.subscribe(listener);
  const options = { kube, clock, log, sources, serving, onTrustChanged, ...place };
  const server = stack.use(await startPackageServer(options));
  const registration = { service: serviceOn(server.port), serving };
  addPackageRegistration(manager, registration);
  if (!isTemporary) return;
  stack.defer(async () => {
    try {
      await removePackageRegistration(kube, registration, AbortSignal.timeout(unregisterMs));
    } catch (thrown) {
      const message = errorMessage(thrown);
      log.warn({ message }, 'the APIService of PackageManifests stays registered: delete it with kubectl');
    }
  });
}

/** Serves catalogs over gRPC, each under the name of its Service. */
async function openRegistry(
  { log }: Manager,
  sources: () => CatalogSources | undefined,
  { host, port }: CatalogServing,
): Promise<RegistryServer> {
  return await startRegistryServer({ log, host, port, catalog: (authority) => sources()?.catalogAt(authority) });
}

type SharedTerms = Omit<RegistryTerms, 'pullSecrets'>;

function sharedTermsReader({ mirrors, imagePolicy }: RegistrySettings): () => Promise<SharedTerms> {
  return async () => ({ mirrors: await mirrors.read(), policy: await imagePolicy.read() });
}

/** Bundles are fetched with the pull secrets of their CatalogSource. */
function bundleTermsReader(
  manager: Manager,
  readShared: () => Promise<SharedTerms>,
): BundleContentsOptions['readTerms'] {
  const catalogSources = manager.cache(catalogSourceResource);
  return async ({ namespace, name }, signal) => {
    const source = catalogSources.get(name, namespace);
    const names = source === undefined ? [] : (parseCatalogSource(source).spec.secrets ?? []);
    const pullSecrets = await readPullSecrets(manager.kube, { namespace, names }, signal);
    return { ...(await readShared()), pullSecrets };
  };
}

/** Catalogs, and when the process must end, because another installation was started. */
export interface AddedOlm {
  readonly sources: CatalogSources;
  readonly whenOtherAppeared: Promise<void> | undefined;
}

/** The manager whose controllers work while no other installation does. */
function besideOther(
  whole: Manager,
  reviewKube: KubeClient | undefined,
): { readonly manager: Manager; readonly whenAppeared: Promise<void> | undefined } {
  if (reviewKube === undefined) return { manager: whole, whenAppeared: undefined };
  const other = new OtherOlm(whole, reviewKube);
  const manager = other.gate();
  void other.watch();
  return { manager, whenAppeared: other.whenAppeared };
}

/** Adds the controllers of Operator Lifecycle Manager, which work while no other installation does. A new one is added here. The package server belongs to
 *  `stack`.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable · Error when a port is taken */
export async function addOlm(
  whole: Manager,
  { globalCatalogNamespace }: OlmSettings,
  {
    olmDir,
    packages,
    registry,
    registries,
    reviewKube,
    unpacking: settings,
    planRetryTimeoutMs: retryTimeoutMs,
    stack,
  }: OlmContext & { readonly stack: AsyncDisposableStack },
): Promise<AddedOlm> {
  const { manager, whenAppeared: whenOtherAppeared } = besideOther(whole, reviewKube);
  const readShared = sharedTermsReader(registries);
  let views: CatalogSources | undefined;
  const server = registry && stack.use(await openRegistry(manager, () => views, registry));
  const grpc = registry && server && { grpc: { externalName: registry.externalName, port: server.port } };
  const sources = await addCatalogSources(manager, {
    ...grpc,
    storeDir: join(olmDir, 'catalogs'),
    globalNamespace: globalCatalogNamespace,
    settings,
    readTerms: readShared,
  });
  views = sources;
  const namespaces = manager.cache(namespaceTarget);
  const contents = await openBundleContents(manager, {
    views: sources,
    namespaceUid: (name) => namespaces.get(name)?.metadata.uid ?? '',
    storeDir: join(olmDir, 'bundles'),
    storeBytes: bundleStoreBytes,
    settings,
    readTerms: bundleTermsReader(manager, readShared),
  });
  addSubscriptions(manager, { views: sources, contents, globalCatalogNamespace });
  const retry = retryTimeoutMs === undefined ? {} : { retryTimeoutMs };
  addInstallPlans(manager, { views: sources, contents, operatorNamespace: globalCatalogNamespace, ...retry });
  addOperatorGroups(manager);
  addClusterServiceVersions(manager);
  addOperatorConditions(manager);
  addOperators(manager);
  addOlmConfig(manager);
  addCopiedCsvs(manager);
  addApiRoles(manager);
  await openPackages(manager, sources, { packages, kube: reviewKube ?? whole.kube, stack });
  return { sources, whenOtherAppeared };
}
