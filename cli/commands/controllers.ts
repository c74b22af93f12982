import { mirrorUploads, type Shard, startContentService, type UploadMirrorOptions } from '../../provisioners/index.ts';
import type { ServingCertificate } from '../../src/base/index.ts';
import type { MetricValues } from '../../src/metrics/index.ts';
import { type CatalogService, openCatalogService } from '../cluster-catalogs.ts';
import type { OptionValues } from '../command/index.ts';
import { keepContentPublished } from '../content.ts';
import { foreignUploads } from '../foreign-uploads.ts';
import { issueServing } from '../issued-certificates.ts';
import { type Leadership, openLeadership } from '../leadership.ts';
import { otherShards } from '../other-shards.ts';
import { type OwnProcess, openOwnProcess } from '../own-process.ts';
import { LateOffers, openPlatformOperators } from '../platform-operators.ts';
import { keepYoungHeapSmall } from '../process/index.ts';
import { type ControllersConfig, readControllersConfig } from '../process-config.ts';
import { openProvisioners, type ProvisioningContext } from '../provisioning.ts';
import { openRegistrySettings, type RegistrySettings } from '../registry-settings.ts';
import { openServingFiles } from '../serving-files.ts';

/** A process that stands by is ready after so long, whatever it still lacks. */
const catchUpMs = 30_000;

/** Whoever is sent here for a catalog shall find it; one that cannot be had does not keep this process from being ready. */
async function readyWhenCaughtUp(
  { clock, probes, signal }: OwnProcess,
  whenCaughtUp: Promise<void> | undefined,
): Promise<void> {
  await Promise.race([whenCaughtUp, clock.sleep(catchUpMs, { signal }).catch(() => undefined)]);
  probes.isReady = !signal.aborted;
}

interface CatalogParts {
  readonly own: OwnProcess;
  readonly leadership: Leadership;
  readonly registries: RegistrySettings;
  readonly serving: ServingCertificate;
}

async function openCatalogs(
  config: ControllersConfig,
  { own, leadership, registries, serving }: CatalogParts,
): Promise<CatalogService | undefined> {
  // Catalogs have no shards: the first one has them.
  if (!config.hasClusterCatalogs || (config.shard?.index ?? 1) > 1) return undefined;
  const { log, metrics, systemNamespace, whenStopped } = own;
  return await openCatalogService(config, {
    ...config.catalogListen,
    kube: leadership.kube,
    leadership,
    systemNamespace,
    registries,
    serving,
    storeDir: config.catalogDir,
    baseUrl: config.catalogAddress ?? `https://catalogs.${systemNamespace}.svc`,
    log,
    metrics,
    whenStopped,
  });
}

/** The work of whoever leads, where catalogs are looked after. */
async function openOperators(
  shared: Omit<Parameters<typeof openPlatformOperators>[0], 'views'>,
  { leadership, catalogs }: { readonly leadership: Leadership; readonly catalogs: CatalogService | undefined },
): Promise<AsyncDisposable | undefined> {
  if (catalogs === undefined || !leadership.isLeading()) return undefined;
  return await openPlatformOperators({ ...shared, views: catalogs.views });
}

function leaderFigures(shard: Shard | undefined, leadership: Leadership): MetricValues {
  const { index, count } = shard ?? { index: 0, count: 0 };
  const leads = [{ labels: { shard: String(index) }, value: leadership.isLeading() ? 1 : 0 }];
  return { longshore_leader: leads, longshore_shard: index, longshore_shards: count };
}

/** `longshore controllers`: the provisioners and the content server, until SIGTERM, or until another process leads: then with status 1. */
export async function controllers(values: OptionValues): Promise<number> {
  const config = readControllersConfig(values);
  keepYoungHeapSmall();
  await using own = await openOwnProcess(config, 'controllers');
  const { log, metrics, systemNamespace, probes, whenStopped } = own;
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = config.isIssuing
    ? await issueServing(own)
    : await openServingFiles({ ...own, dir: config.tlsDir, caPath: config.caPath });
  await using leadership = openLeadership(own, config);
  const { kube, refusal } = leadership;
  let mirror = async (_bundles: UploadMirrorOptions['bundles'], _signal: AbortSignal): Promise<void> => {};
  const openContent: ProvisioningContext['openContent'] = async (options) => {
    const { host, port } = config.listen;
    mirror = (bundles, standby) => mirrorUploads({ ...options, bundles, open: foreignUploads(own), signal: standby });
    const { shard } = config;
    const place = { access: own.access, kube: own.kube, namespace: systemNamespace, port, serving, contentUrl: url };
    const elsewhere = shard === undefined ? undefined : otherShards({ ...place, shard });
    const server = await startContentService({ ...options, serving, refusal, elsewhere, host, port });
    return { contentUrl: url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  const beforeWork: ProvisioningContext['beforeWork'] = async ({ uploadedBundles }) => {
    void readyWhenCaughtUp(own, catalogs?.whenCaughtUp);
    const standby = new AbortController();
    const isShared = config.sharedStore !== undefined;
    const mirrored = leadership.isLeading() || isShared ? undefined : mirror(uploadedBundles, standby.signal);
    const mayWork = await leadership.whenLeading;
    standby.abort();
    await mirrored;
    if (!mayWork) return false;
    await keepContentPublished({ ...own, kube }, { url, serving });
    return true;
  };
  const registries = await openRegistrySettings(config, log);
  await using catalogs = await openCatalogs(config, { own, leadership, registries, serving });
  const { storeDir, shard } = config;
  metrics.readFrom(() => Promise.resolve(leaderFigures(shard, leadership)));
  const { offersFor } = new LateOffers(catalogs?.views);
  const { isAccountRequired } = config;
  const shared = { kube, systemNamespace, log, metrics, whenStopped, isAccountRequired };
  const context = { ...shared, storeDir, registries, openContent, beforeWork, offersFor, shard };
  await using _ = await openProvisioners(config, context);
  await using _operators = await openOperators(shared, { leadership, catalogs });
  if (leadership.isLeading()) log.info({ contentUrl: url }, 'controllers running');
  const status = await Promise.race([whenStopped.then(() => 0), leadership.whenLost.then(() => 1)]);
  probes.isReady = false;
  log.info('stopping');
  return status;
}
