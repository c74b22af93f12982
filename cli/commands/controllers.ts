import { mirrorUploads, startContentService } from '../../provisioners/index.ts';
import { keepContentPublished } from '../content.ts';
import { foreignUploads } from '../foreign-uploads.ts';
import { keepYoungHeapSmall } from '../heap.ts';
import { issueServing } from '../issued-certificates.ts';
import { openLeadership } from '../leadership.ts';
import type { OptionValues } from '../options.ts';
import { openOwnProcess } from '../own-process.ts';
import { readControllersConfig } from '../process-config.ts';
import { openProvisioners, type ProvisioningContext } from '../provisioning.ts';
import { openServingFiles } from '../serving-files.ts';

/** `longshore controllers`: the provisioners and the content server, until SIGTERM, or until another process leads: then with status 1. */
export async function controllers(values: OptionValues): Promise<number> {
  const config = readControllersConfig(values);
  keepYoungHeapSmall();
  await using own = await openOwnProcess(config, 'longshore-controllers');
  const { log, metrics, systemNamespace, probes } = own;
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = config.isIssuing
    ? await issueServing(own)
    : await openServingFiles({ ...own, dir: config.tlsDir, caPath: config.caPath });
  await using leadership = openLeadership(own, config);
  const { kube, refusal } = leadership;
  let mirror = async (_names: () => readonly string[], _signal: AbortSignal): Promise<void> => {};
  const openContent: ProvisioningContext['openContent'] = async (options) => {
    const { host, port } = config.listen;
    mirror = (names, standby) => mirrorUploads({ ...options, names, open: foreignUploads(own), signal: standby });
    const server = await startContentService({ ...options, serving, refusal, host, port });
    return { contentUrl: url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  const beforeWork: ProvisioningContext['beforeWork'] = async ({ uploadedBundles }) => {
    probes.isReady = true;
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
  metrics.readFrom(() => Promise.resolve({ longshore_leader: leadership.isLeading() ? 1 : 0 }));
  const { storeDir } = config;
  const context = { kube, storeDir, systemNamespace, log, metrics, openContent, beforeWork };
  await using _ = await openProvisioners(config, context);
  log.info({ contentUrl: url }, 'controllers running');
  const status = await Promise.race([own.whenStopped.then(() => 0), leadership.whenLost.then(() => 1)]);
  probes.isReady = false;
  log.info('stopping');
  return status;
}
