import { parseBundle } from '../../src/api/index.ts';
import { errorMessage, TransientError, WaitingError } from '../../src/base/index.ts';
import { requeueAfter, type Step } from '../../src/controller/index.ts';
import {
  describeRef,
  isAlreadyExists,
  isConflict,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../../src/kube/index.ts';
import { bundleOfTemplate, obsoleteBundles } from '../bundle-template.ts';
import { entryOf, isControlledBy, isRecordedAs } from '../deployment-record.ts';
import { fieldManager } from '../field-manager.ts';
import { ownerOf } from '../installed-record.ts';
import { controlledBundles, deleteBundle } from '../owned-bundles.ts';
import { findMatch, hasAllMetadata, metadataPatch } from './bundle-match.ts';
import { bundleCondition } from './conditions.ts';
import { rollBackAbandoned } from './incomplete.ts';
import { blocked } from './outcome.ts';
import {
  activeOf,
  type DeploymentRun,
  deploymentOf,
  ownedBundles,
  recordOf,
  type Stage,
  saveRecord,
  setStatus,
} from './run.ts';

/** Until a Bundle has gone whose place is needed; its end is noticed as well. */
const replacedRecheckMs = 1_000;

/** A Bundle that has the name, was not created by the provisioner, and has the deployment as its controller: it is deleted with the deployment, so
 *  that its author gave it away. An answer to our own creation that was lost leaves one, too. Its content is never used.
 *  @throws WaitingError BundleReplaced */
async function replace(run: DeploymentRun, found: KubeObject, signal: AbortSignal): Promise<never> {
  const what = describeRef(refOf(found));
  const message = `${what} is deleted and created again: it is not the Bundle that was created for the BundleDeployment`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'BundleReplaced', message });
  await deleteBundle(run.context, found, signal);
  throw new WaitingError('BundleReplaced', `waiting for deletion of ${what}`, { afterMs: replacedRecheckMs });
}

/** A Bundle of the desired name that the cache has not shown yet, or that another client created.
 *  @throws TransientError BundleNameTaken */
async function existingBundle(run: DeploymentRun, desired: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { name = '', uid } = run.object.metadata;
  const found = await run.context.kube.get(refOf(desired), { signal });
  const isOurs = isControlledBy(found, uid);
  const isRecorded = recordOf(run).bundles.some((entry) => isRecordedAs(found, entry));
  if (isOurs && isRecorded && findMatch([found], desired, undefined) !== undefined) return found;
  if (isOurs && !isRecorded) return await replace(run, found, signal);
  const why = isOurs
    ? 'has other content than the template asks for'
    : `was not created for BundleDeployment "${name}"`;
  const advice = `delete it (kubectl delete bundle ${found.metadata.name ?? ''}), and it is created again`;
  throw new TransientError('BundleNameTaken', `${describeRef(refOf(desired))} exists and ${why}: ${advice}`);
}

async function createBundle(run: DeploymentRun, desired: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const keep = { desired: desired.metadata.name ?? '', active: activeOf(run) };
  const obsolete = obsoleteBundles([...controlledBundles(run.context, run.object), desired], keep);
  for (const bundle of obsolete) await deleteBundle(run.context, bundle, signal);
  try {
    const created = await run.context.kube.create(desired, { fieldManager, signal });
    run.context.bundles.wrote(created);
    // A Bundle that is not recorded would be replaced, together with what was uploaded for it.
    await saveRecord(run, ({ bundles }) => ({ bundles: [...bundles, entryOf(created)] }), signal);
    const message = `Created the ${created.metadata.name} Bundle`;
    run.context.events.record(run.object, { type: 'Normal', reason: 'BundleCreated', message });
    return created;
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    return await existingBundle(run, desired, signal);
  }
}

/** Labels and annotations of the template go to the Bundle in place: its content, and so its name, stay. */
async function relabel(
  run: DeploymentRun,
  bundle: KubeObject,
  work: { readonly desired: KubeObject; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { kube } = run.context;
  const { desired, signal } = work;
  const live = await kube.get(refOf(bundle), { signal });
  const metadata = { ...metadataPatch(live, desired), ...preconditionOf(live) };
  const relabelled = await kube.patch(refOf(bundle), { metadata }, { fieldManager, signal });
  const message = `Gave the ${bundle.metadata.name} Bundle the labels and annotations of the template`;
  run.context.events.record(run.object, { type: 'Normal', reason: 'BundleRelabelled', message });
  return relabelled;
}

async function bundleFor(run: DeploymentRun, signal: AbortSignal): Promise<KubeObject> {
  const desired = bundleOfTemplate(deploymentOf(run));
  const match = findMatch(ownedBundles(run), desired, activeOf(run));
  let bundle = match ?? (await createBundle(run, desired, signal));
  const isBeingDeleted = bundle.metadata.deletionTimestamp !== undefined;
  if (!isBeingDeleted && !hasAllMetadata(bundle, desired)) bundle = await relabel(run, bundle, { desired, signal });
  if (bundle !== match) run.context.bundles.wrote(bundle);
  return bundle;
}

/** Finds or makes the Bundle of the template. */
export const ensureBundle: Step<DeploymentRun> = async (run, { signal }) => {
  try {
    run.bundle = await bundleFor(run, signal);
  } catch (thrown) {
    if (signal.aborted || isConflict(thrown) || thrown instanceof WaitingError) throw thrown;
    const message = errorMessage(thrown);
    const reason = 'ReconcileFailed';
    setStatus(run, [{ type: 'HasValidBundle', status: 'Unknown', reason, message }]);
    throw thrown;
  }
  return undefined;
};

/** Only an unpacked Bundle is installed: a change of the Bundle starts the next reconcile. A Bundle without a status may be unpacked before
 *  anyone could read that it is waited for. */
export const checkBundle: Stage = async (run, bundle, { signal }) => {
  const isBeingDeleted = bundle.metadata.deletionTimestamp !== undefined;
  const { status, ...rest } = parseBundle(bundle);
  const condition = bundleCondition(isBeingDeleted || status === undefined ? rest : { ...rest, status });
  if (condition.reason === 'UnpackSuccessful') return undefined;
  const { waits } = run.hooks;
  const quietMs = status === undefined ? waits.quietMs(ownerOf(run.object).name, bundle.metadata.uid ?? '') : 0;
  if (quietMs > 0) requeueAfter(run, quietMs);
  else setStatus(run, [condition]);
  if (condition.reason === 'UnpackFailed') await rollBackAbandoned(run, signal);
  return blocked();
};
