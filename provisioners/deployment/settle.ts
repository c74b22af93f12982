import { parseBundle } from '../../src/api/index.ts';
import { requeueAfter, type Step } from '../../src/controller/index.ts';
import { controlledBundles, deleteBundle } from '../owned-bundles.ts';
import { bundleCondition, healthCondition, keptConditions } from './conditions.ts';
import { currentHealth, oldBundlesStayMs } from './health.ts';
import { installedStatus } from './history.ts';
import { type DeploymentRun, deploymentOf, existingEntries, recordOf, saveRecord, setStatus } from './run.ts';

/** Says that the Bundle is installed, and how the installed objects are. */
export const reportInstalled: Step<DeploymentRun> = async (run, { signal, log }) => {
  if (run.bundle === undefined) return 'stop';
  const { name = '' } = run.bundle.metadata;
  const before = deploymentOf(run).status;
  const message = `Instantiated bundle ${name} successfully`;
  const reason = 'InstallationSucceeded';
  const installed = { type: 'Installed', status: 'True', reason, message } as const;
  const health = (await currentHealth(run, signal)) ?? healthCondition([]);
  const isPivot = before?.activeBundle !== name;
  const healthy = { ...health, isFresh: isPivot };
  const kept = keptConditions(run.kept, isPivot);
  setStatus(run, [bundleCondition(parseBundle(run.bundle)), installed, healthy, ...kept], {
    activeBundle: name,
    ...(await installedStatus(run, run.bundle)),
  });
  // Before the Bundles of earlier templates are deleted.
  await run.status.flush(run, signal);
  if (!isPivot) return undefined;
  log.info({ bundle: name, previous: before?.activeBundle }, 'bundle installed');
  return undefined;
};

/** Removes the entries of Bundles that were deleted from the record. */
async function forgetDeletedBundles(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { bundles } = recordOf(run);
  if (existingEntries(run, bundles).length < bundles.length) await saveRecord(run, () => ({}), signal);
}

/** The Bundles of earlier templates go last: when what was installed is healthy, or has had time enough to become so. */
export const removeOldBundles: Step<DeploymentRun> = async (run, { signal }) => {
  const old = controlledBundles(run.context, run.object).filter(
    ({ metadata }) => metadata.name !== run.bundle?.metadata.name && metadata.deletionTimestamp === undefined,
  );
  if (old.length === 0) {
    await forgetDeletedBundles(run, signal);
    return undefined;
  }
  const stayMs = oldBundlesStayMs(run);
  if (stayMs > 0) {
    requeueAfter(run, stayMs);
    return undefined;
  }
  for (const bundle of old) await deleteBundle(run.context, bundle, signal);
  const names = old.map(({ metadata }) => metadata.name).join(', ');
  run.context.events.record(run.object, {
    type: 'Normal',
    reason: 'OldBundlesRemoved',
    message: `Removed the Bundles of earlier templates: ${names}`,
  });
  return undefined;
};
