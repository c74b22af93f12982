import { readAccountPullSecrets } from '../provisioners/index.ts';
import { type CatalogServerOptions, createQueryAnswer } from '../src/catalog/index.ts';
import type { Manager } from '../src/controller/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { addClusterCatalogs, type ClusterCatalogs, type RegistryTerms, type UnpackSettings } from '../src/olm/index.ts';
import { defaultPlatform } from '../src/sources/index.ts';
import type { OpenServer } from './provisioners.ts';
import type { ControllerSettings, ProcessEnvironment, RegistrySettings } from './settings.ts';

const unpackDeadlineMs = 15 * 60_000;

/** Starts the server of catalogs. */
export type OpenCatalogServer = (
  options: Omit<CatalogServerOptions, 'host' | 'port' | 'serving'>,
) => Promise<OpenServer>;

/** What ClusterCatalogs are stored and served with. */
export interface CatalogsContext {
  readonly systemNamespace: string;
  /** No other process uses it. */
  readonly catalogsDir: string;
  readonly registries: RegistrySettings;
  readonly environment: ProcessEnvironment;
  readonly metrics: Metrics;
  readonly openCatalogServer: OpenCatalogServer;
}

/** How images of catalogs and of operators' bundles are unpacked. */
export function unpackSettings(
  { catalogLimits: limits, insecureRegistries, answerDeadlineMs }: ControllerSettings,
  { registries, environment }: Pick<CatalogsContext, 'registries' | 'environment'>,
): UnpackSettings {
  return {
    limits,
    insecureRegistries,
    registryCaPem: registries.authorities,
    proxies: environment.proxies,
    answerDeadlineMs,
    platform: defaultPlatform(),
    deadlineMs: unpackDeadlineMs,
  };
}

/** Starts the server of catalogs and adds the controller of ClusterCatalogs. The server belongs to `stack`.
 *  @throws Error when the port is taken · TerminalError DataFolderInUse, DataFolderUnusable */
export async function openCatalogs(
  manager: Manager,
  settings: ControllerSettings,
  context: CatalogsContext & { readonly stack: AsyncDisposableStack },
): Promise<ClusterCatalogs & { readonly url: string }> {
  const { stack, systemNamespace, registries, openCatalogServer, metrics, catalogsDir: storeDir } = context;
  const { kube, log } = manager;
  let catalogs: ClusterCatalogs | undefined;
  const graphql = settings.hasCatalogGraphql ? { graphql: createQueryAnswer() } : {};
  const catalogOf = (name: string) => catalogs?.index(name);
  const { url: baseUrl } = stack.use(await openCatalogServer({ catalogOf, ...graphql, log, metrics }));
  const readTerms = async (signal: AbortSignal): Promise<RegistryTerms> => ({
    pullSecrets: await readAccountPullSecrets({ kube, systemNamespace }, signal),
    mirrors: await registries.mirrors.read(),
    policy: await registries.imagePolicy.read(),
  });
  const unpacking = unpackSettings(settings, context);
  catalogs = await addClusterCatalogs(manager, { storeDir, baseUrl, settings: unpacking, readTerms });
  return { ...catalogs, url: baseUrl };
}
