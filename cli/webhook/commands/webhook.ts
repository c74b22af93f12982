import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startWebhook } from '../../../manager/index.ts';
import { createContentAccess } from '../../../provisioners/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { keepRegistered, type MetricsAccess, type WebhookAddress } from '../../../webhook/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { openOwnProcess, openServingFiles } from '../../runtime/index.ts';
import { readWebhookConfig, type webhookOptions } from '../../settings/index.ts';

type Values = OptionValues<typeof webhookOptions>;

const accessDeadlineMs = 10_000;

/** Users with permission to get the path `/metrics`. */
function metricsAccess(kube: KubeClient): MetricsAccess {
  const access = createContentAccess(kube);
  return async (token) => {
    const signal = AbortSignal.timeout(accessDeadlineMs);
    const user = await access.authenticate({ token }, signal);
    if (user === undefined) return 'unknown';
    return (await access.isAllowed(user, { verb: 'get', path: '/metrics' }, signal)) ? 'allowed' : 'forbidden';
  };
}

/** `longshore webhook`: registers itself and answers the API server until SIGTERM; then drains, and ends. */
export async function webhook(values: Values): Promise<number> {
  const config = readWebhookConfig(values);
  await using own = await openOwnProcess(config, 'webhook');
  const { log, systemNamespace, probes } = own;
  const serving = await openServingFiles({ dir: config.tlsDir, caPath: join(config.tlsDir, 'ca.crt'), ...own });
  const parts = { ...own, ...config.listen, serving, metricsAccess: metricsAccess(own.kube) };
  await using server = await startWebhook(config, parts);
  const { externalAddress: origin, hasClusterCatalogs, hasMachines } = config;
  const service = { namespace: systemNamespace, name: 'rukpak-webhook-service', port: 443 };
  const address: WebhookAddress = origin === undefined ? { service } : { origin };
  const registered = keepRegistered({ ...own, address, serving, hasClusterCatalogs, hasMachines });
  await Promise.race([registered, own.whenStopped]);
  probes.isReady = true;
  await own.whenStopped;
  log.info({ drainMs: config.drainMs }, 'draining');
  probes.isReady = false;
  server.drain();
  await pause(config.drainMs);
  return 0;
}
