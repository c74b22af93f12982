import { type ControllersContext, type OpenContentServer, startControllers } from '../../../manager/index.ts';
import { mirrorUploads, type Shard, startContentService } from '../../../provisioners/index.ts';
import type { ServingCertificate } from '../../../src/base/index.ts';
import { startCatalogServer } from '../../../src/catalog/index.ts';
import type { MetricValues } from '../../../src/metrics/index.ts';
import { keepHeapSmall, type OptionValues } from '../../command/index.ts';
import {
  keepContentPublished,
  type OwnProcess,
  openOwnProcess,
  openRegistrySettings,
  openServingFiles,
  processEnvironment,
} from '../../runtime/index.ts';
import { type ControllersConfig, type controllersOptions, readControllersConfig } from '../../settings/index.ts';
import { foreignUploads } from '../foreign-uploads.ts';
import { issueServing } from '../issued-certificates.ts';
import { type Leadership, openLeadership } from '../leadership.ts';
import { otherShards } from '../other-shards.ts';

type Values = OptionValues<typeof controllersOptions>;

/** Of the manifests. */
const packageService = 'packages';
/** A standby process becomes ready after this time, even if it lacks content. */
const catchUpMs = 30_000;

/** Clients of a ready process find all catalogs; a catalog that cannot be fetched delays readiness for a limited time only. */
async function readyWhenCaughtUp(
  { clock, probes, signal }: OwnProcess,
  whenCaughtUp: Promise<void> | undefined,
): Promise<void> {
  await Promise.race([whenCaughtUp, clock.sleep(catchUpMs, { signal }).catch(() => undefined)]);
  probes.isReady = !signal.aborted;
}

/** How the catalogs are served; undefined where another process, or another program, serves them. */
function catalogParts(
  config: ControllersConfig,
  serving: ServingCertificate,
  systemNamespace: string,
): ControllersContext['catalogs'] {
  // Catalogs have no shards: the first one has them.
  if (!config.hasClusterCatalogs || (config.shard?.index ?? 1) > 1) return undefined;
  const url = config.catalogAddress ?? `https://catalogs.${systemNamespace}.svc`;
  return {
    catalogsDir: config.catalogDir,
    openCatalogServer: async (options) => {
      const server = await startCatalogServer({ ...options, ...config.catalogListen, serving });
      return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  };
}

/** Operator Lifecycle Manager has no shards: the first one has it. Every process serves packages, also while it stands by. */
async function olmParts(
  { olm: settings, shard, storeDir, packageListen, packagesTlsDir: dir }: ControllersConfig,
  own: OwnProcess,
  ofOthers: ServingCertificate,
): Promise<ControllersContext['olm']> {
  if (settings === undefined || (shard?.index ?? 1) > 1) return undefined;
  const { kube, systemNamespace: namespace } = own;
  const files = { ...own, dir: dir ?? '', caPath: `${dir}/ca.crt`, option: 'packages-tls-dir' };
  const serving = dir === undefined ? ofOthers : await openServingFiles(files);
  const packages = { ...packageListen, serving, serviceOn: () => ({ namespace, name: packageService, port: 443 }) };
  return { settings, olmDir: `${storeDir}/olm`, reviewKube: kube, packages };
}

/** Cluster updates have no shards: the first one has them. */
function releaseParts({
  clusterVersion: settings,
  shard,
  storeDir,
}: ControllersConfig): ControllersContext['clusterVersion'] {
  if ((shard?.index ?? 1) > 1) return undefined;
  return settings && { settings, releaseDir: `${storeDir}/releases` };
}

interface ContentParts {
  readonly own: OwnProcess;
  readonly leadership: Leadership;
  readonly serving: ServingCertificate;
  readonly url: string;
}

/** The content server, and what a standby process does with it. */
function contentParts(
  config: ControllersConfig,
  { own, leadership, serving, url }: ContentParts,
): Pick<ControllersContext, 'openContent' | 'whileStandby' | 'beforeWork'> {
  const { shard, sharedStore, listen } = config;
  const { systemNamespace: namespace } = own;
  let options: Parameters<OpenContentServer>[0] | undefined;
  return {
    openContent: async (given) => {
      options = given;
      const place = { access: own.access, kube: own.kube, namespace, port: listen.port, serving, contentUrl: url };
      const elsewhere = shard === undefined ? undefined : otherShards({ ...place, shard });
      const server = await startContentService({
        ...given,
        ...listen,
        serving,
        refusal: leadership.refusal,
        elsewhere,
      });
      return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    whileStandby: async ({ uploadedBundles: bundles, isOwnedUpload: isOwned }, signal) => {
      if (options === undefined || sharedStore !== undefined) return;
      await mirrorUploads({ ...options, bundles, isOwned, open: foreignUploads(own), signal });
    },
    beforeWork: () => keepContentPublished({ ...own, kube: leadership.kube }, { url, serving }),
  };
}

function leaderMetrics(shard: Shard | undefined, leadership: Leadership): MetricValues {
  const { index, count } = shard ?? { index: 0, count: 0 };
  const leads = [{ labels: { shard: String(index) }, value: leadership.isLeading() ? 1 : 0 }];
  return { longshore_leader: leads, longshore_shard: index, longshore_shards: count };
}

/** `longshore controllers`: the provisioners and the content server, until SIGTERM, or until another process leads, or another OLM is started: then with status 1. */
export async function controllers(values: Values): Promise<number> {
  const config = readControllersConfig(values);
  keepHeapSmall();
  await using own = await openOwnProcess(config, 'controllers');
  const { clock, log, metrics, systemNamespace, probes, whenStopped } = own;
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = config.isIssuing
    ? await issueServing(own)
    : await openServingFiles({ ...own, dir: config.tlsDir, caPath: config.caPath });
  await using leadership = openLeadership(own, config);
  const registries = await openRegistrySettings(config, log);
  const { storeDir, shard } = config;
  metrics.readFrom(() => Promise.resolve(leaderMetrics(shard, leadership)));
  await using running = await startControllers(config, {
    ...contentParts(config, { own, leadership, serving, url }),
    kube: leadership.kube,
    clock,
    log,
    metrics,
    storeDir,
    shard,
    handOverMs: config.leaseMs,
    hasOwnServer: false,
    registries,
    systemNamespace,
    whenStopped,
    catalogs: catalogParts(config, serving, systemNamespace),
    olm: await olmParts(config, own, serving),
    clusterVersion: releaseParts(config),
    // Machines have no shards: the first one has them.
    machines: (shard?.index ?? 1) > 1 ? undefined : config.machineSettings,
    election: leadership,
    environment: processEnvironment(),
    onSynced: (whenCaughtUp) => void readyWhenCaughtUp(own, whenCaughtUp),
  });
  if (leadership.isLeading()) {
    log.info({ contentUrl: url, controllers: running.health() }, 'controllers running');
  }
  const whenUnwelcome = Promise.race([leadership.whenLost, running.whenOtherOlm]);
  const status = await Promise.race([whenStopped.then(() => 0), whenUnwelcome.then(() => 1)]);
  probes.isReady = false;
  log.info('stopping');
  return status;
}
