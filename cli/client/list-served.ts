import { type KubeClient, type KubeObject, type ListTarget, NoKindMatch } from '../../src/kube/index.ts';

/** The objects of a kind; none where the cluster does not serve it. */
export async function listServed(
  kube: KubeClient,
  target: ListTarget,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly KubeObject[]> {
  try {
    return (await kube.list(target, options)).items;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return [];
    throw thrown;
  }
}
