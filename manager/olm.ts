import { join } from 'node:path';
import { catalogSourceResource, parseCatalogSource } from '../src/api/index.ts';
import type { Manager } from '../src/controller/index.ts';
import {
  addApiRoles,
  addCatalogSources,
  addClusterServiceVersions,
  addCopiedCsvs,
  addInstallPlans,
  addOperatorConditions,
  addOperatorGroups,
  addSubscriptions,
  type CatalogSources,
  openBundleContents,
  readPullSecrets,
  type UnpackSettings,
} from '../src/olm/index.ts';
import type { OlmSettings, RegistrySettings } from './settings.ts';

const gibibyte = 1024 ** 3;
/** Of all bundles that were unpacked; the ones used last stay. */
const bundleStoreBytes = 4 * gibibyte;

/** What the controllers of Operator Lifecycle Manager run with. */
export interface OlmContext {
  /** No other process uses it. */
  readonly olmDir: string;
  readonly registries: RegistrySettings;
  readonly unpacking: UnpackSettings;
}

/** Adds the controllers of Operator Lifecycle Manager. A new one is added here.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function addOlm(
  manager: Manager,
  { globalCatalogNamespace }: OlmSettings,
  { olmDir, registries, unpacking: settings }: OlmContext,
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
  addCopiedCsvs(manager);
  addApiRoles(manager);
  return views;
}
