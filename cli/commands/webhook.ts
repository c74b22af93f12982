import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, errorMessage, systemClock } from '../../src/base/index.ts';
import { startProbes } from '../../src/controller/index.ts';
import { registerWebhooks, startWebhookServer, type WebhookAddress } from '../../webhook/index.ts';
import { factsReader } from '../facts.ts';
import type { OptionValues } from '../options.ts';
import { openOwnCluster, ownNamespace } from '../own-cluster.ts';
import { readWebhookConfig } from '../process-config.ts';
import { openServingFiles } from '../serving-files.ts';
import { untilStopped } from '../stop.ts';

/** `longshore webhook`: registers itself and answers the API server until SIGTERM; then drains, and ends. */
export async function webhook(values: OptionValues): Promise<number> {
  const config = readWebhookConfig(values);
  const stopped = untilStopped();
  const log = await createLogger({ level: config.logLevel });
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const kube = stack.use(await openOwnCluster(config.kubeconfigPath));
  const systemNamespace = config.systemNamespace ?? (await ownNamespace());
  const probes = stack.use(await startProbes(config.probes));
  const runtime = { kube, clock: systemClock, log, signal: stop.signal };
  const serving = await openServingFiles({ dir: config.tlsDir, caPath: join(config.tlsDir, 'ca.crt'), ...runtime });
  const server = stack.use(
    await startWebhookServer({
      ...runtime,
      ...config.listen,
      serving,
      facts: factsReader(runtime, systemNamespace),
      systemNamespace,
      dependencyPolicy: config.dependencyPolicy,
    }),
  );
  const { externalAddress: origin } = config;
  const service = { namespace: systemNamespace, name: 'rukpak-webhook-service', port: 443 };
  const address: WebhookAddress = origin === undefined ? { service } : { origin };
  const register = async (caBundlePem: string): Promise<void> =>
    await registerWebhooks((object, options) => kube.apply(object, options), { address, caBundlePem, systemNamespace });
  await register(server.caBundlePem());
  void serving.keepFresh((next) => {
    register(next.caBundlePem).catch((thrown: unknown) => {
      log.error({ message: errorMessage(thrown) }, 'the new authority is not in the webhook configurations');
    });
  }, stop.signal);
  probes.isReady = true;
  await stopped;
  log.info({ drainMs: config.drainMs }, 'draining');
  probes.isReady = false;
  server.drain();
  await pause(config.drainMs);
  return 0;
}
