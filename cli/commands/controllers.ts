import { startContentService } from '../../provisioners/index.ts';
import { errorMessage } from '../../src/base/index.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import { publishContent } from '../content.ts';
import { keepYoungHeapSmall } from '../heap.ts';
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
  const { kube, log, signal, systemNamespace, probes } = own;
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = await openServingFiles({ ...own, dir: config.tlsDir, caPath: config.caPath });
  const publish = async (caBundlePem: string): Promise<void> =>
    await publishContent(kube, systemNamespace, { url, caBundlePem });
  const openContent: Parameters<typeof openProvisioners>[1]['openContent'] = async (options) => {
    const { host, port } = config.listen;
    const server = await startContentService({ ...options, serving, metrics: createMetrics(), host, port });
    await publish(serving.current().caBundlePem);
    void serving.keepFresh((next) => {
      publish(next.caBundlePem).catch((thrown: unknown) => {
        log.error({ message: errorMessage(thrown) }, 'the authority of the content server is not told');
      });
    }, signal);
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
