import { type CallOptions, type KubeClient } from './client.ts';
import { isNotFound } from './kube-error.ts';
import { type KubeObject, refOf } from './kube-object.ts';

/** Whether `object` has `finalizer`. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** Removes one finalizer; fails with a conflict when the object changed meanwhile. Returns the object as it is then; undefined when it was deleted before,
 *  which is not an error. */
export async function removeFinalizer(
  kube: KubeClient,
  object: KubeObject,
  options: CallOptions & { readonly finalizer: string; readonly fieldManager: string },
): Promise<KubeObject | undefined> {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== options.finalizer);
  const metadata = { finalizers, ...preconditionOf(object) };
  try {
    return await kube.patch(refOf(object), { metadata }, options);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return undefined;
  }
}

/** Metadata of a merge patch, or preconditions of a deletion, that lets it pass only while the object is as it was read. */
export function preconditionOf(object: KubeObject): { uid?: string; resourceVersion?: string } {
  const { uid, resourceVersion } = object.metadata;
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}
