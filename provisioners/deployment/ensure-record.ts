import { parseBundleDeployment } from '../../src/api/index.ts';
import { emptyInventory } from '../../src/apply/index.ts';
import type { Step } from '../../src/controller/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { entryOf, formerInventory, isControlledBy, readRecord, writeRecord } from '../deployment-record.ts';
import { installedAtMs } from '../helm-release.ts';
import { markInstalled } from '../installed-record.ts';
import { continueWith, type DeploymentRun } from './run.ts';

/** When the Bundle that the status names as active was there for sure: when its installation was reported, or when RukPak wrote the release. */
async function activeSinceMs(run: DeploymentRun, signal: AbortSignal): Promise<number | undefined> {
  const { conditions = [] } = parseBundleDeployment(run.object).status ?? {};
  const installed = conditions.find(({ type }) => type === 'Installed');
  if (installed?.status === 'True') return Date.parse(installed.lastTransitionTime);
  return await installedAtMs(run.context, run.object, signal);
}

/** The Bundle that RukPak, or a version that kept no record, has installed; undefined for one that came after the installation. */
async function formerBundle(run: DeploymentRun, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { activeBundle = '' } = parseBundleDeployment(run.object).status ?? {};
  const bundle = run.context.bundles.get(activeBundle);
  if (bundle === undefined || !isControlledBy(bundle, run.object.metadata.uid)) return undefined;
  const sinceMs = await activeSinceMs(run, signal);
  const isOlder = sinceMs !== undefined && Date.parse(bundle.metadata.creationTimestamp ?? '') <= sinceMs;
  return isOlder ? bundle : undefined;
}

/** The first record of a deployment that was installed before there was one: nothing of it is ever rolled back. */
async function recordFormer(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { activeBundle = '' } = parseBundleDeployment(run.object).status ?? {};
  // The record of a new one begins with its first Bundle.
  if (activeBundle === '') return;
  const bundle = await formerBundle(run, signal);
  const bundles = bundle === undefined ? [] : [entryOf(bundle)];
  const former = {
    bundles,
    installation: 'Done',
    installingBundle: '',
    inventory: formerInventory(run.object) ?? emptyInventory,
  } as const;
  continueWith(run, await writeRecord(run.context, run.object, { record: former, signal }));
}

/** Begins the record of a deployment that has none, and restores the finalizer and the metadata of the ApplySet where they were
 *  removed: `kubectl replace` with a file that has none of them is enough. */
export const ensureRecord: Step<DeploymentRun> = async (run, { signal }) => {
  const record = readRecord(run.object);
  if (record === undefined) await recordFormer(run, signal);
  else if (record.installation !== 'NotStarted' && record.inventory.kinds.length > 0) {
    continueWith(run, await markInstalled(run.context, run.object, { inventory: record.inventory, signal }));
  }
  return undefined;
};
