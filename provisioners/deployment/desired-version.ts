import type { ReconcileContext, Step } from '../../src/controller/index.ts';
import { ownerOf } from '../installed-record.ts';
import { runTests } from './chart-tests.ts';
import { awaitDependencies } from './dependencies.ts';
import { checkBundle } from './ensure-bundle.ts';
import { refreshHealth } from './health.ts';
import { install } from './install.ts';
import type { Outcome } from './outcome.ts';
import { awaitRenewal } from './renewal.ts';
import { retainActive } from './retain-active.ts';
import type { DeploymentRun, Stage } from './run.ts';
import { removeOldBundles, reportInstalled } from './settle.ts';

const stages: readonly Stage[] = [checkBundle, awaitDependencies, install];

/** Goes as far towards the version that the template asks for as is possible now. */
export const installDesired: Step<DeploymentRun> = async (run, context) => {
  const { bundle } = run;
  if (bundle === undefined) return 'stop';
  for (const stage of stages) {
    run.outcome = await stage(run, bundle, context);
    if (run.outcome !== undefined) return undefined;
  }
  run.outcome = { kind: 'Installed' };
  return undefined;
};

type Conclusion<Kind> = (
  run: DeploymentRun,
  outcome: Extract<Outcome, { readonly kind: Kind }>,
  context: ReconcileContext,
) => Promise<void>;

/** What follows from an outcome. */
const conclusions: { readonly [Kind in Outcome['kind']]: Conclusion<Kind> } = {
  Installed: async (run, _, context) => {
    const { name } = ownerOf(run.object);
    run.hooks.gate.forget(name);
    run.context.permissions.forget(name);
    awaitRenewal(run);
    await reportInstalled(run, context);
    await removeOldBundles(run, context.signal);
    await runTests(run, context.signal);
  },
  Blocked: async (run, { error }, context) => {
    await retainActive(run, context);
    if (error !== undefined) throw error;
  },
  Held: async (run, { error }, context) => {
    await refreshHealth(run, context.signal);
    if (error !== undefined) throw error;
  },
  Contested: (run, _, { signal }) => refreshHealth(run, signal),
};

/** Ends the reconcile as its outcome requires. */
export const conclude: Step<DeploymentRun> = async (run, context) => {
  const { outcome } = run;
  if (outcome === undefined) return 'stop';
  await (conclusions[outcome.kind] as Conclusion<typeof outcome.kind>)(run, outcome as never, context);
  return undefined;
};
