import { isJsonEqual, type JsonObject } from '../base/index.ts';
import type { KubeClient } from './client.ts';
import type { KindCache } from './kind-cache.ts';
import { isNotFound, isOtherObject } from './kube-error.ts';
import { type KubeObject, refOf } from './kube-object.ts';

/** Writes the status when it differs from what `object` shows; returns the object as it is then. `null` members are removed.
 *  An object that was deleted meanwhile is no error, and another one of its name is left alone. */
export async function writeStatus(
  context: {
    readonly kube: KubeClient;
    readonly cache: KindCache;
    readonly fieldManager: string;
    readonly signal: AbortSignal;
  },
  object: KubeObject,
  status: JsonObject,
): Promise<KubeObject> {
  const before = (object['status'] ?? {}) as JsonObject;
  const changed = Object.entries(status).filter(([key, value]) => !isJsonEqual(before[key] ?? null, value ?? null));
  if (changed.length === 0) return object;
  const { kube, cache, fieldManager, signal } = context;
  try {
    const { uid } = object.metadata;
    const patch = { ...(uid !== undefined && { metadata: { uid } }), status: Object.fromEntries(changed) };
    const written = await kube.patch(refOf(object), patch, { fieldManager, subresource: 'status', signal });
    cache.wrote(written);
    return written;
  } catch (thrown) {
    if (isNotFound(thrown) || isOtherObject(thrown)) return object;
    throw thrown;
  }
}
