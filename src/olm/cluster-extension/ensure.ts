import { orphanAnnotation } from '../../api/index.ts';
import { TransientError } from '../../base/index.ts';
import { describeRef, type KubeObject, refOf } from '../../kube/index.ts';
import type { ExtensionChoice } from '../../operators/index.ts';
import { fieldManager } from './context.ts';
import { correction, type DeploymentRequest, desiredDeployment, differences, isOwnedBy } from './deployment-object.ts';
import { type ExtensionRun, extensionOf } from './run.ts';

/** @throws TransientError NameTaken when the BundleDeployment has another owner */
function assertOwn({ object }: ExtensionRun, live: KubeObject): void {
  if (isOwnedBy(live, object.metadata.uid)) return;
  const text = `${describeRef(refOf(live))} exists and was not made for this ClusterExtension: give the ClusterExtension another name, or delete it, with the annotation ${orphanAnnotation}: "true" if what it has installed is to stay and be taken over`;
  throw new TransientError('NameTaken', text);
}

/** Creates or corrects a BundleDeployment; returns it as it is then.
 *  @throws TransientError NameTaken */
export async function ensureDeployment(
  run: ExtensionRun,
  request: DeploymentRequest,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { kube, deployments } = run.context;
  const live = deployments.get(request.name);
  const extension = extensionOf(run);
  if (live === undefined) {
    const made = await kube.create(desiredDeployment(extension, request), { fieldManager, signal });
    deployments.wrote(made);
    return made;
  }
  assertOwn(run, live);
  if (live.metadata.deletionTimestamp !== undefined) return live;
  const desired = desiredDeployment(extension, request);
  const changed = differences(live, desired);
  if (changed.length === 0) return live;
  const written = await kube.patch(refOf(live), correction(live, desired, extension), { fieldManager, signal });
  deployments.wrote(written);
  return written;
}

/** The same choice keeps its time, and the channel that it was chosen from: what stays is chosen from none. */
export function withTime(choice: ExtensionChoice, before: ExtensionChoice | undefined): ExtensionChoice {
  if (before?.bundle !== choice.bundle || before.image !== choice.image) return choice;
  return { ...before, ...choice, chosenAt: before.chosenAt };
}
