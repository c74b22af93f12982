import { startContentService } from '../../provisioners/index.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import { keepContentPublished } from '../content.ts';
import { keepYoungHeapSmall } from '../heap.ts';
import { issueServing } from '../issued-certificates.ts';
import type { OptionValues } from '../options.ts';
import { openOwnProcess } from '../own-process.ts';
import { readControllersConfig } from '../process-config.ts';
import { openProvisioners } from '../provisioning.ts';
import { openServingFiles } from '../serving-files.ts';

/** `longshore controllers`: the provisioners and the content server, until SIGTERM. */
export async function controllers(values: OptionValues): Promise<number> {
  const config = readControllersConfig(values);
  keepYoungHeapSmall();
  await using own = await openOwnProcess(config);
  const { kube, log, systemNamespace, probes } = own;
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = config.isIssuing
    ? await issueServing(own)
    : await openServingFiles({ ...own, dir: config.tlsDir, caPath: config.caPath });
  const openContent: Parameters<typeof openProvisioners>[1]['openContent'] = async (options) => {
    const { host, port } = config.listen;
    const server = await startContentService({ ...options, serving, metrics: createMetrics(), host, port });
    await keepContentPublished(own, { url, serving });
    return { contentUrl: url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  const context = { kube, storeDir: config.storeDir, systemNamespace, log, openContent };
  await using _ = await openProvisioners(config, context);
  probes.isReady = true;
  log.info({ contentUrl: url }, 'controllers running');
  await own.whenStopped;
  probes.isReady = false;
  log.info('stopping');
  return 0;
}
