import type { CallOptions, KubeClient } from './client.ts';
import { isNotFound } from './kube-error.ts';
import type { KubeObject, ObjectRef } from './kube-object.ts';

/** The object; undefined when the server reports that it, or its kind, does not exist. */
export async function findObject(
  kube: Pick<KubeClient, 'get'>,
  ref: ObjectRef,
  options?: CallOptions,
): Promise<KubeObject | undefined> {
  try {
    return await kube.get(ref, options);
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** The object with that uid; undefined when it does not exist any more, or another one has its name. */
export async function findSame(
  kube: Pick<KubeClient, 'get'>,
  ref: ObjectRef,
  { uid, ...options }: CallOptions & { readonly uid: string | undefined },
): Promise<KubeObject | undefined> {
  const found = await findObject(kube, ref, options);
  return found?.metadata.uid === uid ? found : undefined;
}
