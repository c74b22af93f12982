import { parseBundle } from '../src/api/index.ts';
import { clientFor } from '../src/apply/index.ts';
import { errorMessage, sha256Digest, WaitingError } from '../src/base/index.ts';
import { findFormat, type RenderedHook, readChartConfig } from '../src/formats/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import { deleteHooks, hooksOf } from './chart-hooks/index.ts';
import { withInstalledConfig } from './deployment/history.ts';
import { runPhase, saveHooks } from './deployment/hooked-install.ts';
import { load, readValues } from './deployment/load.ts';
import { activeOf, type DeploymentRun, ownedBundles, recordOf } from './deployment/run.ts';
import type { HookRecord } from './deployment-record.ts';
import { actingOwnerOf, configOf } from './installed-record.ts';

const waitMs = 2_000;

/** The Bundle of the chart that is installed; undefined where something else is. */
function installedChart(run: DeploymentRun): KubeObject | undefined {
  const active = ownedBundles(run).find(({ metadata }) => metadata.name === activeOf(run));
  if (active === undefined) return undefined;
  return findFormat(parseBundle(active).spec.provisionerClassName)?.hasReleases === true ? active : undefined;
}

/** The hooks of the installed chart that concern its removal. What they are is not known any more where its content is lost: the removal goes on. */
async function removalHooks(run: DeploymentRun, signal: AbortSignal): Promise<readonly RenderedHook[]> {
  const active = installedChart(run);
  if (active === undefined) return [];
  const object = withInstalledConfig(run);
  try {
    if (readChartConfig(configOf(run.object)).skipsHooks) return [];
    const values = await readValues({ ...run, object }, active, { signal, isFollowed: false });
    const { hooks = [] } = await load({ ...run, object, values }, active, signal);
    return hooks.filter(({ events }) => events.includes('pre-delete') || events.includes('post-delete'));
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof WaitingError) throw thrown;
    const message = `The hooks of the chart are not run, because what it was installed from is not there any more: ${errorMessage(thrown)}`;
    run.context.events.record(run.object, { type: 'Warning', reason: 'HooksSkipped', message });
    return [];
  }
}

const phases = {
  Before: { event: 'pre-delete', next: 'Between' },
  After: { event: 'post-delete', next: 'Done' },
} as const;
const order = ['Before', 'Between', 'After', 'Done'];

/** Whether a phase of the removal has come to its end, and whether it has begun. */
function progressOf(run: DeploymentRun, phase: keyof typeof phases): 'ahead' | 'begun' | 'past' {
  const { hooks } = recordOf(run);
  if (hooks?.event !== 'delete' || order.indexOf(hooks.phase) < order.indexOf(phase)) return 'ahead';
  return hooks.phase === phase ? 'begun' : 'past';
}

async function enterPhase(run: DeploymentRun, phase: HookRecord['phase'], signal: AbortSignal): Promise<void> {
  const revision = sha256Digest(run.object.metadata.uid ?? '');
  const { objects = [] } = recordOf(run).hooks ?? {};
  await saveHooks(run, { revision, event: 'delete', phase, step: 0, objects }, signal);
}

/** Runs the hooks of the installed chart before its objects are removed, or after that.
 *  @throws WaitingError HookRunning · TransientError HookFailed, HookBlocked */
export async function runRemovalHooks(
  run: DeploymentRun,
  { phase, signal }: { readonly phase: keyof typeof phases; readonly signal: AbortSignal },
): Promise<void> {
  const progress = progressOf(run, phase);
  if (progress === 'past') return;
  const hooks = await removalHooks(run, signal);
  const { event, next } = phases[phase];
  if (hooksOf(hooks, event).length === 0) return;
  if (progress === 'ahead') await enterPhase(run, phase, signal);
  const waitingFor = await runPhase(run, { event, hooks }, signal);
  if (waitingFor !== undefined) {
    throw new WaitingError('HookRunning', `waiting for the ${waitingFor}`, { afterMs: waitMs });
  }
  await enterPhase(run, next, signal);
}

/** Deletes what hooks have left. */
export async function deleteHookObjects(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { hooks, tests } = recordOf(run);
  const objects = [...(hooks?.objects ?? []), ...(tests?.objects ?? [])];
  if (objects.length === 0) return;
  const owner = actingOwnerOf(withInstalledConfig(run));
  await deleteHooks(objects, { kube: clientFor(run.context.kube, owner), uid: owner.uid, signal });
}
