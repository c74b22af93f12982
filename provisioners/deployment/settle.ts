import { parseBundle } from '../../src/api/index.ts';
import { type ReconcileContext, requeueAfter } from '../../src/controller/index.ts';
import { controlledBundles, deleteBundle } from '../owned-bundles.ts';
import { bundleCondition, healthCondition, keptConditions } from './conditions.ts';
import { currentHealth, oldBundlesStayMs } from './health.ts';
import { installedStatus } from './history.ts';
import { type DeploymentRun, deploymentOf, existingEntries, recordOf, saveRecord, setStatus } from './run.ts';

/** Reports that the Bundle is installed, and the health of the installed objects. */
export async function reportInstalled(run: DeploymentRun, { signal, log }: ReconcileContext): Promise<void> {
  if (run.bundle === undefined) return;
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
  if (isPivot) log.info({ bundle: name, previous: before?.activeBundle }, 'bundle installed');
}

/** Removes the entries of Bundles that were deleted from the record. */
async function forgetDeletedBundles(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { bundles } = recordOf(run);
  if (existingEntries(run, bundles).length < bundles.length) await saveRecord(run, () => ({}), signal);
}

/** The Bundles of earlier templates are deleted last: when what was installed is healthy, or has had enough time to become healthy. */
export async function removeOldBundles(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const old = controlledBundles(run.context, run.object).filter(
    ({ metadata }) => metadata.name !== run.bundle?.metadata.name && metadata.deletionTimestamp === undefined,
  );
  if (old.length === 0) return await forgetDeletedBundles(run, signal);
  const stayMs = oldBundlesStayMs(run);
  if (stayMs > 0) return requeueAfter(run, stayMs);
  for (const bundle of old) await deleteBundle(run.context, bundle, signal);
  const names = old.map(({ metadata }) => metadata.name).join(', ');
  run.context.events.record(run.object, {
    type: 'Normal',
    reason: 'OldBundlesRemoved',
    message: `Removed the Bundles of earlier templates: ${names}`,
  });
}
