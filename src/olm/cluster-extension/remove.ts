import { extensionFinalizer } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type Step } from '../../controller/index.ts';
import {
  conditionsOf,
  hasFinalizer,
  isNotFound,
  isOtherObject,
  type KubeObject,
  preconditionOf,
  refOf,
  removeFinalizer,
} from '../../kube/index.ts';
import { describeKept, neededByOthers } from '../platform-operator/needed-by-others.ts';
import { deploymentNameOf } from './choice.ts';
import { progressingCondition } from './conditions.ts';
import { fieldManager } from './context.ts';
import { ownDeployments } from './find.ts';
import type { ExtensionRun } from './run.ts';

/** Deletes a BundleDeployment as it was read: one that the garbage collector has just taken the owner off, as with `--cascade=orphan`, stays. */
async function remove({ context }: ExtensionRun, live: KubeObject, signal: AbortSignal): Promise<void> {
  const { deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await context.kube.delete(refOf(live), { ...preconditionOf(live), signal });
  } catch (thrown) {
    if (!isNotFound(thrown) && !isOtherObject(thrown)) throw thrown;
  }
}

/** Removes a dependency; what others need stays without an owner, as it is. */
async function removeDependency(
  run: ExtensionRun,
  live: KubeObject,
  { own, signal }: { readonly own: readonly KubeObject[]; readonly signal: AbortSignal },
): Promise<'removed' | 'kept'> {
  const { context, object } = run;
  const users = neededByOthers(context, live, own);
  if (users.length === 0) {
    await remove(run, live, signal);
    return 'removed';
  }
  const { ownerReferences = [] } = live.metadata;
  const left = ownerReferences.filter(({ uid }) => uid !== object.metadata.uid);
  const metadata = { ...preconditionOf(live), ownerReferences: left as unknown as JsonObject[] };
  const written = await context.kube.patch(refOf(live), { metadata }, { fieldManager, signal });
  context.deployments.wrote(written);
  context.events.record(object, { type: 'Warning', reason: 'DependencyKept', message: describeKept(live, users) });
  return 'kept';
}

/** Reports what is still to be removed, and what it waits for or fails of. */
function reportRemoval(run: ExtensionRun, left: readonly KubeObject[]): void {
  const removing = left.map((live) =>
    conditionsOf(live).find(({ type, status }) => type === 'Removing' && status === 'True'),
  );
  const failed = removing.filter((one) => one?.reason === 'RemovalFailed');
  const texts = (failed.length > 0 ? failed : removing).flatMap((one) => one?.message ?? []);
  const waiting = `Waiting for the removal of ${left.map(({ metadata }) => metadata.name).join(', ')}`;
  const message = failed.length > 0 ? texts.join('\n') : [waiting, ...texts].join(': ');
  run.status.set(run, [progressingCondition({ reason: failed.length > 0 ? 'Retrying' : 'RollingOut', message })]);
}

/** Removes what was installed for a ClusterExtension that is being deleted: its package first, then what that needed. Deleted with
 *  `--cascade=orphan`, it leaves its BundleDeployments. */
export const removeDeleted: Step<ExtensionRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  if (!hasFinalizer(object, extensionFinalizer)) return 'stop';
  const left = hasFinalizer(object, 'orphan') ? [] : ownDeployments(context, object);
  const main = left.filter(({ metadata }) => metadata.name === deploymentNameOf(object.metadata.name ?? ''));
  for (const live of main) await remove(run, live, signal);
  const dependencies = main.length > 0 ? [] : left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const live of dependencies) await removeDependency(run, live, { own: left, signal });
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
    const own = ownDeployments(run.context, run.object);
    if ((await removeDependency(run, live, { own, signal })) === 'kept') continue;
    const message = `BundleDeployment ${live.metadata.name ?? ''} is not needed any more`;
    run.context.events.record(run.object, { type: 'Normal', reason: 'Released', message });
  }
}
