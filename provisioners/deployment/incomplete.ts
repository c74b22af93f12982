import { deleteCrdsAnnotation } from '../../src/api/index.ts';
import type { Step } from '../../src/controller/index.ts';
import { describeRef } from '../../src/kube/index.ts';
import { actingOwnerOf, isAsked, namespaceTerms, ownerOf } from '../installed-record.ts';
import { type DeploymentRun, recordOf, setStatus, standingOf } from './run.ts';

const maxNamed = 10;
const subject = 'of the first installation, which is not complete';

/** Whether a first installation has begun and has not come to its end. */
export function isIncomplete(run: DeploymentRun): boolean {
  const { installation } = recordOf(run);
  return installation === 'Creating' || installation === 'TakingOver';
}

/** What exists of a first installation that did not come to its end; undefined without one, and where nothing does. */
export async function describeIncomplete(run: DeploymentRun, signal: AbortSignal): Promise<string | undefined> {
  if (!isIncomplete(run)) return undefined;
  const { inventory, installation } = recordOf(run);
  const present = await run.context.engine.presentObjects(actingOwnerOf(run.object), inventory, signal);
  if (present.length === 0) return undefined;
  const more = present.length > maxNamed ? ` and ${present.length - maxNamed} more` : '';
  const names = present.slice(0, maxNamed).map(describeRef).join(', ');
  const isMixed = installation === 'TakingOver';
  const abandoned = 'removed when the template asks for something else that cannot be installed';
  const end = isMixed
    ? `Some existed before; what is known to be new is ${abandoned}, everything when the BundleDeployment is deleted`
    : `They are ${abandoned}, or when the BundleDeployment is deleted`;
  return `${subject}, ${present.length} objects exist: ${names}${more}. ${end}`;
}

/** A message with what `describeIncomplete` has found. */
export function withLeft(message: string, left: string | undefined): string {
  return left === undefined ? message : `${message}; ${left}`;
}

/** Whether the condition reports what a first installation has left, or that it waits for a hook. */
function isShown(run: DeploymentRun): boolean {
  const { reason, message = '' } = standingOf(run).conditions.find(({ type }) => type === 'Installed') ?? {};
  const isWaiting = reason === 'HookRunning' && recordOf(run).hooks?.phase !== 'Between';
  return isWaiting || message.includes(subject);
}

/** After a restart the condition reports what an interrupted first installation has left, whatever it reported before. */
export const noteIncomplete: Step<DeploymentRun> = async (run, { signal }) => {
  const isEnded = run.context.engine.revisionOf(ownerOf(run.object)) !== undefined;
  if (isEnded || isShown(run)) return undefined;
  const what = await describeIncomplete(run, signal);
  if (what === undefined) return undefined;
  const message = `The installation was interrupted and goes on; ${what}`;
  setStatus(run, [{ type: 'Installed', status: 'False', reason: 'InstallIncomplete', message }]);
  await run.status.flush(run, signal);
  return undefined;
};

/** Deletes what the first installation of another Bundle has created, once the one that the template asks for now cannot be installed. */
export async function rollBackAbandoned(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { installation: progress, installingBundle, inventory: recorded } = recordOf(run);
  if (!isIncomplete(run) || installingBundle === run.bundle?.metadata.uid) return;
  const onRetained = (message: string): void => {
    run.context.events.record(run.object, { type: 'Warning', reason: 'CrdInUse', message });
  };
  const mayDeleteCrds = isAsked(run.object, deleteCrdsAnnotation);
  const terms = { ...namespaceTerms(run.context, run.object), mayDeleteCrds, onRetained, signal };
  await run.context.engine.rollBack({ owner: actingOwnerOf(run.object), recorded, progress, ...terms });
}
