/** The controller of BundleDeployment: one step a file part, in the order of the list below. Door: `reconcileBundleDeployment`. */
import { parseBundleDeployment } from '../../src/api/index.ts';
import { WaitingError } from '../../src/base/index.ts';
import { type ReconcileContext, runSteps, type Step } from '../../src/controller/index.ts';
import type { ProvisionerContext } from '../context.ts';
import { removeDeployment } from '../removal.ts';
import { reportUnserved } from '../unserved.ts';
import { requireAccount } from './account.ts';
import { awaitDependencies } from './dependencies.ts';
import { checkBundle, ensureBundle } from './ensure-bundle.ts';
import { ensureRecord } from './ensure-record.ts';
import { noteIncomplete } from './incomplete.ts';
import { install } from './install.ts';
import { noteInstalled } from './note-installed.ts';
import { heedPause } from './pause.ts';
import type { DeploymentHooks, DeploymentRun } from './run.ts';
import { removeOldBundles, reportInstalled } from './settle.ts';

export { BundleWaits } from './bundle-waits.ts';
export { DriftPace } from './drift-pace.ts';
export { InstallGate } from './install-gate.ts';
export type { DeploymentHooks } from './run.ts';

/** A deployment that is to go is only taken apart. */
const tearDown: Step<DeploymentRun> = async ({ context, object }, reconcile) => {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  await removeDeployment(context, object, reconcile);
  return 'stop';
};

const steps: readonly Step<DeploymentRun>[] = [
  tearDown,
  ensureRecord,
  heedPause,
  requireAccount,
  ensureBundle,
  noteInstalled,
  noteIncomplete,
  checkBundle,
  awaitDependencies,
  install,
  reportInstalled,
  removeOldBundles,
];

/** Brings the cluster to hold what the deployment's template asks for, and nothing else of it. */
export async function reconcileBundleDeployment(
  context: ProvisionerContext & { readonly hooks: DeploymentHooks },
  name: string,
  run: ReconcileContext,
): Promise<void> {
  const object = context.deployments.get(name);
  if (object === undefined || !context.shards.hasDeployment(object)) {
    context.hooks.gate.forget(name);
    context.dependencies.release(name);
    context.hooks.waits.forget(name);
    context.hooks.drift.forget(name);
    context.rights.forget(name);
    context.unserved.forget('BundleDeployment', name);
    return;
  }
  if (!context.classes.has(parseBundleDeployment(object).spec.provisionerClassName)) {
    return await reportUnserved(context, object, { type: 'Installed', cache: context.deployments, signal: run.signal });
  }
  const subject: DeploymentRun = { context, hooks: context.hooks, object, kept: [] };
  await runSteps(steps, subject, run);
  const { againAfterMs: afterMs } = subject;
  if (afterMs !== undefined) throw new WaitingError('LookAgain', 'waiting for what time alone brings', { afterMs });
}
