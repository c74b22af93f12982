import type { KubeClient } from '../../src/kube/index.ts';

/** A client that is cut off after `count` writes: the request itself still arrives or not, nothing after it does. */
export function cutOff(kube: KubeClient, count: number, onCut: () => void): KubeClient {
  let left = count;
  const guard = async <T>(isDryRun: boolean | undefined, write: () => Promise<T>): Promise<T> => {
    if (isDryRun === true) return await write();
    if (left-- <= 0) {
      onCut();
      throw new Error('cut off');
    }
    return await write();
  };
  return {
    ...kube,
    create: (object, options) => guard(options.isDryRun, () => kube.create(object, options)),
    patch: (ref, patch, options) => guard(options.isDryRun, () => kube.patch(ref, patch, options)),
    apply: (object, options) => guard(options.isDryRun, () => kube.apply(object, options)),
    delete: (ref, options) => guard(false, () => kube.delete(ref, options)),
  };
}
