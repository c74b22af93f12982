/** The controller of BundleDeployment: one step a file part, in the order of the list below. Door: `bundleDeploymentController`. */
import { bundleDeploymentResource, bundleResource, ownerNameLabel } from '../../src/api/index.ts';
import { type ControllerDefinition, defineController, type Step } from '../../src/controller/index.ts';
import { type CacheChange, type KubeObject, type NamespacedName, namespacedName } from '../../src/kube/index.ts';
import { bundleDeploymentPermissions } from '../permissions.ts';
import { removeDeployment } from '../removal.ts';
import { skipUnserved } from '../unserved.ts';
import { requireAccount } from './account.ts';
import { conclude, installDesired } from './desired-version.ts';
import { ensureBundle } from './ensure-bundle.ts';
import { ensureRecord } from './ensure-record.ts';
import { noteIncomplete } from './incomplete.ts';
import { noteInstalled } from './note-installed.ts';
import { skipPaused } from './pause.ts';
import { beginDeployment, type DeploymentContext, type DeploymentRun } from './run.ts';

export { BundleWaits } from './bundle-waits.ts';
export { ChartTurns } from './chart-turns.ts';
export { DriftPace } from './drift-pace.ts';
export { InstallGate } from './install-gate.ts';
export type { DeploymentContext, DeploymentHooks } from './run.ts';

/** A deployment that is to go is only taken apart. */
const tearDown: Step<DeploymentRun> = async (run, reconcile) => {
  if (run.object.metadata.deletionTimestamp === undefined) return undefined;
  await removeDeployment(run, reconcile);
  return 'stop';
};

const steps: readonly Step<DeploymentRun>[] = [
  skipUnserved('Installed'),
  tearDown,
  ensureRecord,
  noteIncomplete,
  skipPaused,
  requireAccount,
  ensureBundle,
  noteInstalled,
  installDesired,
  conclude,
];

async function forget({ hooks, ...context }: DeploymentContext, { name }: NamespacedName): Promise<void> {
  await Promise.resolve();
  context.handOvers.forget(name);
  hooks.gate.forget(name);
  context.dependencies.forget(name);
  hooks.waits.forget(name);
  hooks.drift.forget(name);
  hooks.charts.forget(name);
  context.permissions.forget(name);
  context.valuesWatches.forget(name);
  context.unserved.forget('BundleDeployment', name);
}

async function begin(context: DeploymentContext, object: KubeObject): Promise<DeploymentRun | undefined> {
  if (context.shards.hasDeployment(object)) return beginDeployment(context, object);
  await forget(context, namespacedName(object));
  return undefined;
}

function ownerOfBundle({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] {
  const owner = (after ?? before)?.metadata.labels?.[ownerNameLabel];
  return owner === undefined ? [] : [{ namespace: '', name: owner }];
}

/** Brings the cluster to hold what the template of a BundleDeployment asks for, and nothing else of it. */
export const bundleDeploymentController: ControllerDefinition<DeploymentContext, DeploymentRun> = defineController({
  name: 'bundledeployment',
  for: bundleDeploymentResource,
  watches: ({ dependencies }) => [
    { target: bundleResource, requestsFor: ownerOfBundle },
    { target: bundleResource, requestsFor: (change) => dependencies.requestsFor(change) },
    { target: bundleDeploymentResource, requestsFor: (change) => dependencies.requestsFor(change) },
  ],
  begin,
  steps,
  forget,
  permissions: bundleDeploymentPermissions,
});
