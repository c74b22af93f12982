import { type Cluster, type KubeObject, type ResourceType, StatusError } from './core/index.ts';
import { readManifests } from './manifests.ts';
import type { ApiServerOptions } from './options.ts';
import { localiseWebhooks, type WebhookAddress } from './webhook-server.ts';

const as = 'system:apiserver';
const conflictTries = 10;

/** Creates an object of the start, or brings what is written in it up to date in the one that is there, whose status may be written meanwhile. */
export async function install(cluster: Cluster, type: ResourceType, object: KubeObject): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const live = cluster.get(type, { namespace: '', name: object.metadata.name ?? '' });
    try {
      if (live === undefined) await cluster.create(type, object, { as });
      else await cluster.update(type, { ...live, ...object, metadata: live.metadata }, { as });
      return;
    } catch (thrown) {
      const isConflict = thrown instanceof StatusError && thrown.failure.reason === 'Conflict';
      if (!isConflict || attempt >= conflictTries) throw thrown;
    }
  }
}

/** The objects that a server is started with. */
export interface FirstObjects {
  readonly crds: readonly KubeObject[];
  readonly webhooks: readonly KubeObject[];
}

const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Reads them; webhooks that name a Service are called at `address` instead. */
export async function readFirstObjects(
  options: Pick<ApiServerOptions, 'crds' | 'webhooks'>,
  address: WebhookAddress | undefined,
): Promise<FirstObjects> {
  const [crds, webhooks] = await Promise.all([
    readManifests(options.crds ?? [], ['CustomResourceDefinition']),
    readManifests(options.webhooks ?? [], webhookKinds),
  ]);
  if (address === undefined) return { crds, webhooks };
  const localise = (object: KubeObject): KubeObject => localiseWebhooks(object, address);
  return { crds: crds.map(localise), webhooks: webhooks.map(localise) };
}
