import { type InstalledReason, parseBundle } from '../../src/api/index.ts';
import { InstallBlocked } from '../../src/apply/index.ts';
import { errorMessage, TerminalError, TransientError } from '../../src/base/index.ts';
import type { ReconcileContext, Step } from '../../src/controller/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { ownerOf, recordInventory, revisionOf, wishesOf } from '../installed-record.ts';
import { bundleCondition, notInstalled } from './conditions.ts';
import { activeOf, type DeploymentRun, ownedBundles, report } from './run.ts';

async function loadObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { name = '', uid = '' } = bundle.metadata;
  try {
    return (await run.context.unpacker.load({ name, uid }, { signal })) as unknown as KubeObject[];
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    run.hooks.onContentLost(name);
    const message = errorMessage(thrown);
    await report(run, [{ type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed', message }], { signal });
    throw thrown;
  }
}

/** Installs the objects of a Bundle for the deployment. */
async function installObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  work: { readonly objects: readonly KubeObject[]; readonly signal: AbortSignal },
): Promise<void> {
  await run.context.engine.install({
    owner: ownerOf(run.object),
    revision: revisionOf(run.object, bundle),
    ...wishesOf(run.object),
    record: async (inventory) => {
      run.object = await recordInventory(run.context, run.object, { inventory, signal: work.signal });
    },
    isUpgrade: activeOf(run) !== '',
    crdSafety: {
      annotations: run.object.metadata.annotations,
      isRestored: bundle.metadata.name === activeOf(run),
    },
    onKept: (why) => {
      run.kept.push(why);
      run.context.events.record(run.object, { type: 'Warning', reason: 'CrdInUse', message: why });
    },
    ...work,
  });
}

/** While the wanted version cannot be installed the one before is kept whole: drift from it, and what a broken-off pivot has
 *  written, is put right. A failure here is not the deployment's news. */
export async function keepActive(run: DeploymentRun, { signal, log }: ReconcileContext): Promise<void> {
  const { engine, unpacker } = run.context;
  const active = ownedBundles(run).find(({ metadata }) => metadata.name === activeOf(run));
  if (active === undefined || active.metadata.name === run.bundle?.metadata.name) return;
  if (engine.isInPlace(ownerOf(run.object), revisionOf(run.object, active))) return;
  const { name = '', uid = '' } = active.metadata;
  try {
    const objects = (await unpacker.load({ name, uid }, { signal })) as unknown as KubeObject[];
    await installObjects(run, active, { objects, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    log.warn({ bundle: name, message: errorMessage(thrown) }, 'the active version could not be kept whole');
  }
}

function failureReason(run: DeploymentRun, thrown: unknown): InstalledReason {
  const active = activeOf(run);
  if (active === '') return 'InstallFailed';
  if (active === run.bundle?.metadata.name) return 'ReconcileFailed';
  return thrown instanceof InstallBlocked && thrown.isConflict ? 'ErrorGettingReleaseState' : 'UpgradeFailed';
}

async function reportInstallFailure(run: DeploymentRun, thrown: unknown, signal: AbortSignal): Promise<void> {
  const isKnown = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (signal.aborted || !isKnown || run.bundle === undefined) return;
  run.hooks.setBlocked(ownerOf(run.object).name, true);
  const message = errorMessage(thrown);
  const reason = failureReason(run, thrown);
  const installed = { type: 'Installed', status: 'False', reason, message } as const;
  await report(run, [bundleCondition(parseBundle(run.bundle)), installed, notInstalled], { signal });
}

/** Brings the objects of the template's Bundle into the cluster. */
export const install: Step<DeploymentRun> = async (run, context) => {
  const { bundle } = run;
  const { signal } = context;
  if (bundle === undefined) return 'stop';
  const owner = ownerOf(run.object);
  if (run.context.engine.isInPlace(owner, revisionOf(run.object, bundle))) return undefined;
  const objects = await loadObjects(run, bundle, signal);
  try {
    await installObjects(run, bundle, { objects, signal });
  } catch (thrown) {
    await reportInstallFailure(run, thrown, signal);
    await keepActive(run, context);
    throw thrown;
  }
  run.hooks.setBlocked(owner.name, false);
  return undefined;
};
