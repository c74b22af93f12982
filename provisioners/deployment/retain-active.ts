import { errorMessage, type JsonObject, WaitingError } from '../../src/base/index.ts';
import { type ReconcileContext, requeueAfter } from '../../src/controller/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { conceal } from '../concealed-values.ts';
import { actingOwnerOf } from '../installed-record.ts';
import { refreshHealth } from './health.ts';
import { isInstalledConfigRecorded, withInstalledConfig } from './history.ts';
import { installObjects, isInPlace, isLeftForNow, wasInstalledAsIs } from './install-objects.ts';
import { isContentLost, load, readValues } from './load.ts';
import { activeOf, type DeploymentRun, ownedBundles } from './run.ts';

/** The content that is installed cannot be had again, whatever Bundle has the name of the active one now. */
function reportLostActive(run: DeploymentRun): void {
  const name = activeOf(run);
  if (name === '') return;
  const message = `Bundle "${name}", which is installed, was deleted: its objects stay, but drift from it is not corrected until the Bundle of the template is installed`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'ActiveBundleLost', message });
}

/** With another install namespace its objects would be deleted; another account may not be meant for its content. */
function reportUnknownConfig(run: DeploymentRun): void {
  const message = `The configuration that Bundle "${activeOf(run)}" was installed with is not recorded: drift from it is not corrected until the Bundle of the template is installed`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'ActiveConfigUnknown', message });
}

/** Corrects drift from the active version, with the configuration that it was installed with. */
async function restoreActive(run: DeploymentRun, active: KubeObject, signal: AbortSignal): Promise<void> {
  const object = withInstalledConfig(run);
  const values = await readValues({ ...run, object }, active, { signal, isFollowed: false });
  const former: DeploymentRun = { ...run, object, values };
  if (!isInstalledConfigRecorded(run) && !wasInstalledAsIs(former, active)) return reportUnknownConfig(run);
  if (run.context.isAccountRequired && actingOwnerOf(former.object).account === undefined) return;
  try {
    if ((await isInPlace(former, active, signal)) || isLeftForNow(former, active)) return;
    await installObjects(former, active, { rendition: await load(former, active, signal), signal });
  } catch (thrown) {
    conceal(thrown, values.secrets);
    throw thrown;
  } finally {
    const spec = run.object['spec'] as JsonObject;
    run.object = { ...former.object, spec };
    if (former.requeueAfterMs !== undefined) requeueAfter(run, former.requeueAfterMs);
  }
}

async function tryRestore(run: DeploymentRun, active: KubeObject, { signal, log }: ReconcileContext): Promise<void> {
  try {
    await restoreActive(run, active, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof WaitingError) return requeueAfter(run, thrown.afterMs);
    const { name = '' } = active.metadata;
    if (isContentLost(thrown)) run.hooks.onContentLost(name);
    log.warn({ bundle: name, message: errorMessage(thrown) }, 'the active version could not be restored');
  }
}

/** While the desired version cannot be installed, the active one is retained: drift from it, and what a failed pivot has written, is corrected. The
 *  configuration of the desired version does not apply to it: another install namespace would delete its objects, volumes included, and another account
 *  would install what its owner has not seen. A failure here is not reported on the deployment. */
export async function retainActive(run: DeploymentRun, context: ReconcileContext): Promise<void> {
  // Restoring may take long.
  await run.status.flush(run, context.signal);
  const active = ownedBundles(run).find(({ metadata }) => metadata.name === activeOf(run));
  try {
    if (active === undefined) reportLostActive(run);
    else if (active.metadata.name !== run.bundle?.metadata.name) await tryRestore(run, active, context);
  } finally {
    if (!context.signal.aborted) await refreshHealth(run, context.signal);
  }
}
