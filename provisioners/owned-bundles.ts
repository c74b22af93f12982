import { ownerNameLabel } from '../src/api/index.ts';
import { isNotFound, type KubeObject, refOf } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import { isControlledBy, isRecordedAs, readRecord } from './deployment-record.ts';

/** The Bundles that the provisioner created for the deployment, as they were created: their content may be installed for it. Labels and names
 *  prove nothing: users who may create Bundles choose them. */
export function bundlesOf(
  { bundles }: Pick<ProvisionerContext, 'bundles'>,
  deployment: KubeObject,
): readonly KubeObject[] {
  const recorded = readRecord(deployment)?.bundles ?? [];
  return recorded.flatMap((entry) => {
    const bundle = bundles.get(entry.name);
    if (bundle === undefined || !isControlledBy(bundle, deployment.metadata.uid)) return [];
    return isRecordedAs(bundle, entry) ? [bundle] : [];
  });
}

/** The Bundles that go with the deployment: those that it controls, regardless of who created them, and those that were created for it, though they
 *  were orphaned. */
export function controlledBundles(
  { bundles }: Pick<ProvisionerContext, 'bundles'>,
  deployment: KubeObject,
): readonly KubeObject[] {
  const { name = '', uid } = deployment.metadata;
  const labelled = bundles.labelled(ownerNameLabel, name).filter((bundle) => isControlledBy(bundle, uid));
  const recorded = (readRecord(deployment)?.bundles ?? []).flatMap((entry) => {
    const bundle = bundles.get(entry.name);
    return bundle?.metadata.uid === entry.uid ? [bundle] : [];
  });
  return [...new Map([...labelled, ...recorded].map((bundle) => [bundle.metadata.uid, bundle])).values()];
}

/** Asks for the deletion of a Bundle that is not being deleted yet. */
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
