import { parseBundle } from '../../src/api/index.ts';
import { errorMessage, TransientError } from '../../src/base/index.ts';
import type { Step } from '../../src/controller/index.ts';
import {
  describeRef,
  isAlreadyExists,
  isConflict,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../../src/kube/index.ts';
import { bundleOfTemplate, isBundleOf, obsoleteBundles } from '../bundle-template.ts';
import { fieldManager } from '../context.ts';
import { actingOwnerOf, ownerOf } from '../installed-record.ts';
import { deleteBundle } from '../owned-bundles.ts';
import { bearsAll, findMatch, metadataPatch } from './bundle-match.ts';
import { bundleCondition } from './conditions.ts';
import { keepActive } from './install.ts';
import { activeOf, type DeploymentRun, deploymentOf, lookAgain, ownedBundles, report } from './run.ts';

/** A Bundle of the wanted name that the cache has not shown yet, or that somebody else made.
 *  @throws TransientError BundleNameTaken */
async function existingBundle(run: DeploymentRun, wanted: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { name = '', uid } = run.object.metadata;
  const found = await run.context.kube.get(refOf(wanted), { signal });
  const isOurs = isBundleOf(found, name) || found.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (isOurs && findMatch([found], wanted, undefined) !== undefined) return found;
  const why = isOurs ? 'has other content than the template asks for' : `was not made for BundleDeployment "${name}"`;
  throw new TransientError('BundleNameTaken', `${describeRef(refOf(wanted))} exists and ${why}: delete it to go on`);
}

async function createBundle(run: DeploymentRun, wanted: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const keep = { wanted: wanted.metadata.name ?? '', active: activeOf(run) };
  const obsolete = obsoleteBundles([...ownedBundles(run), wanted], keep);
  for (const bundle of obsolete) await deleteBundle(run.context, bundle, signal);
  try {
    const created = await run.context.kube.create(wanted, { fieldManager, signal });
    const message = `Created the ${created.metadata.name} Bundle`;
    run.context.events.record(run.object, { type: 'Normal', reason: 'BundleCreated', message });
    return created;
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    return await existingBundle(run, wanted, signal);
  }
}

/** Labels and annotations of the template go to the Bundle in place: its content, and so its name, stay. */
async function relabel(
  run: DeploymentRun,
  bundle: KubeObject,
  work: { readonly wanted: KubeObject; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { kube } = run.context;
  const { wanted, signal } = work;
  const live = await kube.get(refOf(bundle), { signal });
  const metadata = { ...metadataPatch(live, wanted), ...preconditionOf(live) };
  const relabelled = await kube.patch(refOf(bundle), { metadata }, { fieldManager, signal });
  const message = `Gave the ${bundle.metadata.name} Bundle the labels and annotations of the template`;
  run.context.events.record(run.object, { type: 'Normal', reason: 'BundleRelabelled', message });
  return relabelled;
}

async function bundleFor(run: DeploymentRun, signal: AbortSignal): Promise<KubeObject> {
  const wanted = bundleOfTemplate(deploymentOf(run));
  const match = findMatch(ownedBundles(run), wanted, activeOf(run));
  let bundle = match ?? (await createBundle(run, wanted, signal));
  const isGoing = bundle.metadata.deletionTimestamp !== undefined;
  if (!isGoing && !bearsAll(bundle, wanted)) bundle = await relabel(run, bundle, { wanted, signal });
  if (bundle !== match) run.context.bundles.wrote(bundle);
  return bundle;
}

/** Finds or makes the Bundle of the template. */
export const ensureBundle: Step<DeploymentRun> = async (run, { signal }) => {
  try {
    run.bundle = await bundleFor(run, signal);
  } catch (thrown) {
    if (signal.aborted || isConflict(thrown)) throw thrown;
    const message = errorMessage(thrown);
    const reason = 'ReconcileFailed';
    await report(run, [{ type: 'HasValidBundle', status: 'Unknown', reason, message }], { signal });
    throw thrown;
  }
  return undefined;
};

/** Without an unpacked Bundle there is nothing to do: a change of the Bundle starts the next reconcile. A Bundle that says
 *  nothing yet may be unpacked before anybody could read that it is waited for. */
export const checkBundle: Step<DeploymentRun> = async (run, context) => {
  const { signal } = context;
  if (run.bundle === undefined) return 'stop';
  const isGoing = run.bundle.metadata.deletionTimestamp !== undefined;
  const { status, ...rest } = parseBundle(run.bundle);
  const condition = bundleCondition(isGoing || status === undefined ? rest : { ...rest, status });
  if (condition.reason === 'UnpackSuccessful') return undefined;
  const { waits } = run.hooks;
  const quietMs = status === undefined ? waits.quietMs(ownerOf(run.object).name, run.bundle.metadata.uid ?? '') : 0;
  if (quietMs > 0) lookAgain(run, quietMs);
  else await report(run, [condition], { signal });
  if (condition.reason === 'UnpackFailed') await run.context.engine.takeBack(actingOwnerOf(run.object), signal);
  await keepActive(run, context);
  return 'stop';
};
