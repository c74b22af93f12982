import { extensionFinalizer } from '../../api/index.ts';
import { conditionsOf, type Step } from '../../controller/index.ts';
import { hasFinalizer, isNotFound, isOtherObject, type KubeObject, refOf, removeFinalizer } from '../../kube/index.ts';
import { deploymentNameOf } from './choice.ts';
import { progressingCondition } from './conditions.ts';
import { fieldManager } from './context.ts';
import { ownDeployments } from './find.ts';
import type { ExtensionRun } from './run.ts';

async function remove({ context }: ExtensionRun, live: KubeObject, signal: AbortSignal): Promise<void> {
  const { uid, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await context.kube.delete(refOf(live), { ...(uid !== undefined && { uid }), signal });
  } catch (thrown) {
    if (!isNotFound(thrown) && !isOtherObject(thrown)) throw thrown;
  }
}

function reportRemoval(run: ExtensionRun, left: readonly KubeObject[]): void {
  const texts = left.flatMap((live) =>
    conditionsOf(live)
      .filter(({ type, reason }) => type === 'Removing' && reason === 'RemovalFailed')
      .map(({ message }) => message),
  );
  const message = `Waiting for the removal of ${left.map(({ metadata }) => metadata.name).join(', ')}`;
  run.status.set(run, [
    progressingCondition(
      texts.length === 0 ? { reason: 'RollingOut', message } : { reason: 'Retrying', message: texts.join('\n') },
    ),
  ]);
}

/** Removes what was installed for a ClusterExtension that is being deleted: its package first, then what that needed. Deleted with
 *  `--cascade=orphan`, it leaves its BundleDeployments. */
export const removeDeleted: Step<ExtensionRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  if (!hasFinalizer(object, extensionFinalizer)) return 'stop';
  const left = hasFinalizer(object, 'orphan') ? [] : ownDeployments(context, object);
  const main = left.filter(({ metadata }) => metadata.name === deploymentNameOf(object.metadata.name ?? ''));
  for (const live of main.length > 0 ? main : left) await remove(run, live, signal);
  if (left.length > 0) {
    reportRemoval(run, left);
    return 'stop';
  }
  await removeFinalizer(context.kube, object, { finalizer: extensionFinalizer, fieldManager, signal });
  return 'stop';
};

/** Deletes BundleDeployments of dependencies that are not needed any more. */
export async function removeUnneeded(
  run: ExtensionRun,
  others: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const live of others) {
    if (live.metadata.deletionTimestamp !== undefined) continue;
    await remove(run, live, signal);
    const message = `BundleDeployment ${live.metadata.name ?? ''} is not needed any more`;
    run.context.events.record(run.object, { type: 'Normal', reason: 'Released', message });
  }
}
