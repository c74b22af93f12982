import { readInventory } from '../src/apply/index.ts';
import { WaitingError } from '../src/base/index.ts';
import { hasFinalizer, type KubeObject, removeFinalizer } from '../src/kube/index.ts';
import { fieldManager, type ProvisionerContext } from './context.ts';
import { installedObjectsFinalizer, ownerOf } from './installed-record.ts';
import { bundlesOf, deleteBundle } from './owned-bundles.ts';

const bundleRecheckMs = 30_000;

/** Takes a deployment apart that is to go: what was installed goes in reverse order, then the Bundles, then itself.
 *  @throws WaitingError while something still exists */
export async function removeDeployment(
  context: ProvisionerContext,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(object, installedObjectsFinalizer)) return;
  const recorded = readInventory(object.metadata) ?? { kinds: [], namespaces: [] };
  await context.engine.uninstall(ownerOf(object), recorded, signal);
  const bundles = bundlesOf(context, object);
  for (const bundle of bundles) await deleteBundle(context, bundle, signal);
  if (bundles.length > 0) {
    const names = bundles.map(({ metadata }) => metadata.name).join(', ');
    throw new WaitingError('Removing', `waiting for the removal of ${names}`, { afterMs: bundleRecheckMs });
  }
  await removeFinalizer(context.kube, object, { finalizer: installedObjectsFinalizer, fieldManager, signal });
}
