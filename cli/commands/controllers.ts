import { startContentService } from '../../provisioners/index.ts';
import { createLogger, errorMessage, systemClock } from '../../src/base/index.ts';
import { startProbes } from '../../src/controller/index.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import { publishContent } from '../content.ts';
import { keepYoungHeapSmall } from '../heap.ts';
import type { OptionValues } from '../options.ts';
import { openOwnCluster, ownNamespace } from '../own-cluster.ts';
import { readControllersConfig } from '../process-config.ts';
import { openProvisioners } from '../provisioning.ts';
import { openServingFiles } from '../serving-files.ts';
import { untilStopped } from '../stop.ts';

/** `longshore controllers`: the provisioners and the content server, until SIGTERM. */
export async function controllers(values: OptionValues): Promise<number> {
  const config = readControllersConfig(values);
  keepYoungHeapSmall();
  const stopped = untilStopped();
  const log = await createLogger({ level: config.logLevel });
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const kube = stack.use(await openOwnCluster(config.kubeconfigPath));
  const systemNamespace = config.systemNamespace ?? (await ownNamespace());
  const probes = stack.use(await startProbes(config.probes));
  const url = config.externalAddress ?? `https://core.${systemNamespace}.svc`;
  const serving = await openServingFiles({
    dir: config.tlsDir,
    caPath: config.caPath,
    clock: systemClock,
    log,
    signal: stop.signal,
  });
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
    }, stop.signal);
    return { contentUrl: url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  stack.use(await openProvisioners(config, { kube, storeDir: config.storeDir, systemNamespace, log, openContent }));
  probes.isReady = true;
  log.info({ contentUrl: url }, 'controllers running');
  await stopped;
  probes.isReady = false;
  log.info('stopping');
  return 0;
}
