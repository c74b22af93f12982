import { ownerNameLabel } from '../src/api/index.ts';
import { isNotFound, type KubeObject, refOf } from '../src/kube/index.ts';
import { isBundleOf } from './bundle-template.ts';
import type { ProvisionerContext } from './context.ts';

/** The Bundles that were made for the deployment. */
export function bundlesOf({ bundles }: ProvisionerContext, { metadata }: KubeObject): readonly KubeObject[] {
  const { name = '' } = metadata;
  return bundles.labelled(ownerNameLabel, name).filter((bundle) => isBundleOf(bundle, name));
}

/** Asks for the deletion of a Bundle that is not yet on its way. */
export async function deleteBundle(
  { kube }: ProvisionerContext,
  bundle: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  if (bundle.metadata.deletionTimestamp !== undefined) return;
  try {
    await kube.delete(refOf(bundle), { uid: bundle.metadata.uid, signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}
