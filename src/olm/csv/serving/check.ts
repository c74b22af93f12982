import type { ClusterServiceVersion } from '../../../api/index.ts';
import { errorMessage, remainingMs, TerminalError } from '../../../base/index.ts';

import { conditionsOf, type KubeObject, NoKindMatch } from '../../../kube/index.ts';
import type { ServingContext } from './context.ts';
import { conversionFault } from './conversions.ts';
import { apiServiceName, ownedApiServices, servedDeployments, webhooksOf } from './descriptions.ts';
import { isBackendDisrupted } from './disruption.ts';
import { deleteObject, ensureWebhook } from './ensure-webhook.ts';
import { ownedBy } from './ownership.ts';
import { allConfigurationsOf, cacheOf, configurationsOf, hasCurrentDescription } from './webhooks.ts';

/** Whether APIs or webhooks are served: rows I4 to I8. `Disrupted` passes within minutes.
 *  @see docs/spec/olm-v0.md#state-machine */
export type ServingHealth =
  | { readonly state: 'Healthy' }
  | { readonly state: 'NotInstalled' }
  | { readonly state: 'Disrupted' }
  | { readonly state: 'Failed'; readonly message: string };

/** What was found out about the APIs and the webhooks of an operator. */
export interface ServingCheck {
  readonly apiServices: ServingHealth;
  readonly webhooks: ServingHealth;
}

const healthy: ServingHealth = { state: 'Healthy' };

/** How long what the API server serves may lag behind what it reports. */
const discoveryMs = 60_000;

/** Since when an APIService is available, in milliseconds since the epoch; undefined where it is not. */
function availableSince(apiService: KubeObject): number | undefined {
  const available = conditionsOf(apiService).find(({ type, status }) => type === 'Available' && status === 'True');
  return available === undefined ? undefined : Date.parse(available.lastTransitionTime ?? '');
}

async function isKindServed(
  { reader }: ServingContext,
  apiVersion: string,
  { kind, signal }: { readonly kind: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  try {
    await reader.resolve(apiVersion, kind, { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

async function checkApis(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal: AbortSignal | undefined,
): Promise<ServingHealth> {
  for (const api of ownedApiServices(csv)) {
    const live = context.caches.apiServices.get(apiServiceName(api));
    if (live === undefined) return { state: 'NotInstalled' };
    const sinceMs = availableSince(live);
    if (sinceMs === undefined) {
      return { state: (await isBackendDisrupted(context, csv, signal)) ? 'Disrupted' : 'NotInstalled' };
    }
    const isServed = await isKindServed(context, `${api.group}/${api.version}`, { kind: api.kind, signal });
    if (!isServed)
      return { state: remainingMs(sinceMs, discoveryMs, context.clock.now()) > 0 ? 'Disrupted' : 'NotInstalled' };
  }
  return healthy;
}

/** Deletes configurations of descriptions that were removed. */
async function removeOthers(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { validatingWebhooks, mutatingWebhooks } = context.caches;
  for (const cache of [validatingWebhooks, mutatingWebhooks]) {
    const described = webhooksOf(csv).filter((description) => cacheOf(context, description) === cache);
    const made = new Set(described.flatMap((description) => configurationsOf(cache, csv, description)));
    for (const other of allConfigurationsOf(cache, csv)) {
      if (!made.has(other)) await deleteObject(context, other, signal);
    }
  }
}

/** Corrects what another client has changed of webhooks that are installed, and follows the namespaces of the group. */
async function correctWebhooks(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isOwn = ownedBy(context, csv);
  for (const served of servedDeployments(csv)) {
    const secret = context.caches.secrets.get(served.secret, served.namespace);
    if (secret === undefined || !isOwn(secret)) continue;
    const pair = context.certificates.validPair(secret, served, context.clock.now());
    if (pair === undefined) continue;
    for (const description of served.webhooks) {
      await ensureWebhook(context, csv, { webhook: { description, served, pair }, signal });
    }
  }
}

async function checkWebhooks(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal: AbortSignal | undefined,
): Promise<ServingHealth> {
  await removeOthers(context, csv, signal);
  for (const description of webhooksOf(csv)) {
    const cache = cacheOf(context, description);
    if (cache === undefined) {
      const message = conversionFault(context, description);
      if (message !== undefined) return { state: 'Failed', message };
    } else if (!configurationsOf(cache, csv, description).some((one) => hasCurrentDescription(one, description))) {
      return { state: 'NotInstalled' };
    }
  }
  try {
    await correctWebhooks(context, csv, signal);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return { state: 'Failed', message: errorMessage(thrown) };
  }
  return healthy;
}

/** Checks APIServices and webhooks. Corrects webhook configurations that another client has changed, and deletes those whose description was removed. */
export async function checkServing(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal?: AbortSignal,
): Promise<ServingCheck> {
  const apiServices = await checkApis(context, csv, signal);
  return { apiServices, webhooks: await checkWebhooks(context, csv, signal) };
}
