import { join } from 'node:path';
import { catalogSourceResource, parseCatalogSource } from '../src/api/index.ts';
import type { ServingCertificate } from '../src/base/index.ts';
import type { Manager } from '../src/controller/index.ts';
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
  type CatalogSources,
  openBundleContents,
  type PackageService,
  readPullSecrets,
  startPackageServer,
  type UnpackSettings,
} from '../src/olm/index.ts';
import type { OlmSettings, RegistrySettings } from './settings.ts';

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
}

/** What the controllers of Operator Lifecycle Manager run with. */
export interface OlmContext {
  /** Undefined: no PackageManifests are served. */
  readonly packages?: PackageServing | undefined;
  /** No other process uses it. */
  readonly olmDir: string;
  readonly registries: RegistrySettings;
  readonly unpacking: UnpackSettings;
}

/** Starts the package server, and has it registered. */
async function openPackages(
  manager: Manager,
  sources: CatalogSources,
  { serving, host, port, serviceOn }: PackageServing,
): Promise<AsyncDisposable> {
  const { kube, clock, log } = manager;
  const place = { port, ...(host === undefined ? {} : { host }) };
  const server = await startPackageServer({ kube, clock, log, sources, serving, ...place });
  addPackageRegistration(manager, { service: serviceOn(server.port), serving });
  return server;
}

/** Adds the controllers of Operator Lifecycle Manager. A new one is added here. The package server belongs to `stack`.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable · Error when a port is taken */
export async function addOlm(
  manager: Manager,
  { globalCatalogNamespace }: OlmSettings,
  { olmDir, packages, registries, unpacking: settings, stack }: OlmContext & { readonly stack: AsyncDisposableStack },
): Promise<CatalogSources> {
  const { kube } = manager;
  const readShared = async (): Promise<{
    readonly mirrors: Awaited<ReturnType<RegistrySettings['mirrors']['read']>>;
    readonly policy: Awaited<ReturnType<RegistrySettings['imagePolicy']['read']>>;
  }> => ({ mirrors: await registries.mirrors.read(), policy: await registries.imagePolicy.read() });
  const catalogSources = manager.cache(catalogSourceResource);
  const views = await addCatalogSources(manager, {
    storeDir: join(olmDir, 'catalogs'),
    globalNamespace: globalCatalogNamespace,
    settings,
    readTerms: readShared,
  });
  const contents = await openBundleContents(manager, {
    views,
    storeDir: join(olmDir, 'bundles'),
    storeBytes: bundleStoreBytes,
    settings,
    readTerms: async ({ namespace, name }, signal) => {
      const source = catalogSources.get(name, namespace);
      const names = source === undefined ? [] : (parseCatalogSource(source).spec.secrets ?? []);
      return { ...(await readShared()), pullSecrets: await readPullSecrets(kube, { namespace, names }, signal) };
    },
  });
  addSubscriptions(manager, { views, contents, globalCatalogNamespace });
  addInstallPlans(manager, { views, contents, operatorNamespace: globalCatalogNamespace });
  addOperatorGroups(manager);
  addClusterServiceVersions(manager);
  addOperatorConditions(manager);
  addOperators(manager);
  addOlmConfig(manager);
  addCopiedCsvs(manager);
  addApiRoles(manager);
  if (packages !== undefined) stack.use(await openPackages(manager, views, packages));
  return views;
}
