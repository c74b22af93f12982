import type { Step } from '../../src/controller/index.ts';
import { isRevisionOf, ownerOf } from '../installed-record.ts';
import { namedVersion } from './history.ts';
import { isIncomplete } from './incomplete.ts';
import { activeOf, type DeploymentRun, ownedBundles, saveRecord, setStatus } from './run.ts';

/** A first installation that came to its end, which could not be recorded then. */
async function recordDone(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  if (isIncomplete(run)) await saveRecord(run, () => ({ installation: 'Done', installingBundle: '' }), signal);
}

/** Reports what is installed, though the status could not be written when it was installed, and the template asks for another
 *  Bundle by now: it is the one to be kept whole until that is in place. */
export const noteInstalled: Step<DeploymentRun> = async (run, { signal }) => {
  const revision = run.context.engine.revisionOf(ownerOf(run.object));
  if (revision === undefined) return undefined;
  await recordDone(run, signal);
  const bundle = ownedBundles(run).find((owned) => isRevisionOf(revision, owned));
  const { name = '', uid } = bundle?.metadata ?? {};
  if (bundle === undefined || uid === run.bundle?.metadata.uid || name === activeOf(run)) return undefined;
  const installed = {
    type: 'Installed',
    status: 'True',
    reason: 'InstallationSucceeded',
    message: `Instantiated bundle ${name} successfully`,
    // The template of the present one asks for something else.
    observedGeneration: (run.object.metadata.generation ?? 1) - 1,
  } as const;
  const version = await namedVersion(run, bundle);
  setStatus(run, [installed], { activeBundle: name, ...version });
  await run.status.flush(run, signal);
  return undefined;
};
