import { group, type InstalledReason, parseBundle } from '../../src/api/index.ts';
import {
  clientFor,
  type InstallationProgress,
  InstallBlocked,
  type Inventory,
  PermissionsMissing,
} from '../../src/apply/index.ts';
import { errorMessage, type JsonObject, TerminalError, TransientError, traced } from '../../src/base/index.ts';
import { type ReconcileContext, requeueAfter, type Step } from '../../src/controller/index.ts';
import { conversionFailed } from '../../src/formats/index.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { fetchOf } from '../fetches.ts';
import { takeOverRelease } from '../helm-release.ts';
import { actingOwnerOf, markInstalled, namespaceTerms, ownerOf, revisionOf, wishesOf } from '../installed-record.ts';
import { placeOf, type Rendition, termsFor } from '../rendition.ts';
import type { BundleIdentity } from '../unpacker/index.ts';
import { bundleCondition, notInstalled, refetchCondition } from './conditions.ts';
import { refreshHealth } from './health.ts';
import { withInstalledConfig } from './history.ts';
import { describeIncomplete, rollBackAbandoned } from './incomplete.ts';
import { awaitRenewal } from './renewal.ts';
import { activeOf, continueWith, type DeploymentRun, ownedBundles, recordOf, saveRecord, setStatus } from './run.ts';

function isContentLost(thrown: unknown): boolean {
  return thrown instanceof TransientError && thrown.reason === 'ContentLost';
}

/** Says why there are no objects; throws unless it is for the time being that the content is not there. */
function reportLoadFailure(run: DeploymentRun, { name, uid }: BundleIdentity, thrown: unknown): void {
  const isLost = isContentLost(thrown);
  const failure = isLost ? run.context.fetches.failureOf(fetchOf({ name, uid })) : undefined;
  if (isLost && !(failure?.error instanceof TerminalError)) {
    run.hooks.onContentLost(name);
    return setStatus(run, [refetchCondition(name, failure)]);
  }
  const error = failure?.error ?? thrown;
  const message = errorMessage(error);
  setStatus(run, [{ type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed', message }]);
  throw error;
}

async function countLoad<T>({ context: { metrics } }: DeploymentRun, loading: Promise<T>): Promise<T> {
  try {
    const loaded = await loading;
    metrics?.add('longshore_content_loads_total', { result: 'stored' });
    return loaded;
  } catch (thrown) {
    metrics?.add('longshore_content_loads_total', { result: isContentLost(thrown) ? 'lost' : 'failed' });
    throw thrown;
  }
}

interface LoadedRendition extends Rendition {
  /** Of the content that the objects were rendered from. */
  readonly contentDigest: string;
}

/** The objects of a Bundle as the deployment's configuration wants them. */
async function load(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<LoadedRendition> {
  const { kube, unpacker, servingCertificates } = run.context;
  const { name = '', uid = '' } = bundle.metadata;
  const { provisionerClassName } = parseBundle(bundle).spec;
  const terms = await termsFor(run.object, provisionerClassName, { kube, signal });
  const expectedDigest = recordOf(run).bundles.find((entry) => entry.uid === uid)?.contentDigest;
  const asked = { bundle: { name, uid }, provisionerClassName, terms, expectedDigest };
  const rendered = await traced({ name: 'load content', attributes: { 'longshore.object': name } }, () =>
    countLoad(run, unpacker.load(asked, { signal })),
  );
  const owner = actingOwnerOf(run.object);
  const isFirst = recordOf(run).installation === 'NotStarted';
  const reading = { kube: clientFor(kube, owner), isFirst, signal };
  const objects = await servingCertificates.complete(owner.name, rendered.objects as unknown as KubeObject[], reading);
  return { ...rendered, objects, contentDigest: rendered.digest };
}

/** Says that the Bundle does not fit the deployment's configuration, or the cluster. */
async function reportUnfit(run: DeploymentRun, thrown: TerminalError, context: ReconcileContext): Promise<void> {
  const message = `Failed to unpack the ${run.bundle?.metadata.name ?? ''} Bundle: ${thrown.message}`;
  const change = { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed', message } as const;
  setStatus(run, [change]);
  await rollBackAbandoned(run, context.signal);
  await keepActive(run, context);
}

/** Undefined while the content is fetched again: nothing changes until then, and the end of the fetch starts the next reconcile. */
async function loadWanted(
  run: DeploymentRun,
  bundle: KubeObject,
  context: ReconcileContext,
): Promise<LoadedRendition | undefined> {
  const { name = '', uid = '' } = bundle.metadata;
  const { signal } = context;
  try {
    return await load(run, bundle, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof TerminalError && thrown.reason === conversionFailed) {
      await reportUnfit(run, thrown, context);
      throw thrown;
    }
    reportLoadFailure(run, { name, uid }, thrown);
    return undefined;
  }
}

/** Names what is installed, certificates included. */
function fullRevisionOf(run: DeploymentRun, bundle: KubeObject): string {
  const state = run.context.servingCertificates.stateOf(run.object.metadata.name ?? '');
  return `${revisionOf(run.object, bundle)}${state}`;
}

interface Work {
  readonly rendition: LoadedRendition;
  readonly signal: AbortSignal;
  /** Called before anything is written. */
  readonly onWrite?: () => void;
}

const maxToldObjects = 10;
/** So many objects take long enough to be told beforehand. */
const manyObjects = 100;

function tellOfRepair(run: DeploymentRun, revision: string, repaired: readonly ObjectRef[]): void {
  if (repaired.length === 0) return;
  const isContested = run.hooks.drift.repaired(ownerOf(run.object).name, revision);
  const more = repaired.length > maxToldObjects ? ` and ${repaired.length - maxToldObjects} more` : '';
  const names = repaired.slice(0, maxToldObjects).map(describeRef).join(', ');
  const message = `Put right what somebody changed or removed: ${names}${more}`;
  run.context.events.record(run.object, { type: 'Normal', reason: 'DriftRepaired', message });
  if (!isContested) return;
  const contest = `Somebody keeps changing ${names}${more}: find out who by its managedFields; until that ends it is put right less and less often, every 5 minutes at last`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'DriftContested', message: contest });
}

/** Whether drift is to be left as it is for a while, because somebody makes it again and again. */
function isLeftForNow(run: DeploymentRun, bundle: KubeObject): boolean {
  const waitMs = run.hooks.drift.pauseMs(ownerOf(run.object).name, revisionOf(run.object, bundle));
  if (waitMs > 0) requeueAfter(run, waitMs);
  return waitMs > 0;
}

/** Where objects are by the record, or, where that names none, RukPak has installed them. */
async function inventoryFor(run: DeploymentRun, signal: AbortSignal): Promise<Inventory> {
  const { inventory, installation } = recordOf(run);
  if (installation !== 'Done' || inventory.kinds.length > 0 || activeOf(run) === '') return inventory;
  return (await takeOverRelease(run.context, run.object, signal)) ?? inventory;
}

/** Records what is to be installed, and from which content, before the first object of it is written. */
async function recordInstallation(
  run: DeploymentRun,
  next: {
    readonly bundle: KubeObject;
    readonly contentDigest: string;
    readonly inventory: Inventory;
    readonly progress: InstallationProgress;
  },
  signal: AbortSignal,
): Promise<void> {
  const { inventory, progress: installation, contentDigest } = next;
  const { uid = '' } = next.bundle.metadata;
  const installingBundle = installation === 'Done' ? '' : uid;
  await saveRecord(
    run,
    (before) => {
      const bundles = before.bundles.map((entry) => (entry.uid === uid ? { ...entry, contentDigest } : entry));
      return { bundles, inventory, installation, installingBundle };
    },
    signal,
  );
  continueWith(run, await markInstalled(run.context, run.object, { inventory, signal }));
}

/** Installs the objects of a Bundle for the deployment. */
async function installObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  { rendition, signal, onWrite }: Work,
): Promise<void> {
  const { contentDigest } = rendition;
  const repaired = await run.context.engine.install({
    owner: actingOwnerOf(run.object),
    revision: fullRevisionOf(run, bundle),
    ...wishesOf(run.object),
    recorded: await inventoryFor(run, signal),
    ...placeOf(rendition),
    ...namespaceTerms(run.context, run.object),
    record: async (inventory, progress) => {
      onWrite?.();
      await recordInstallation(run, { bundle, contentDigest, inventory, progress }, signal);
    },
    isUpgrade: activeOf(run) !== '',
    crdSafety: {
      annotations: run.object.metadata.annotations,
      isRestored: bundle.metadata.name === activeOf(run),
    },
    onRetained: (why) => {
      run.kept.push(why);
      run.context.events.record(run.object, { type: 'Warning', reason: 'CrdInUse', message: why });
    },
    onUnfitNamespace: (message) => {
      run.context.events.record(run.object, { type: 'Warning', reason: 'NamespaceTooStrict', message });
    },
    objects: rendition.objects,
    signal,
  });
  tellOfRepair(run, revisionOf(run.object, bundle), repaired);
}

function isSettled(run: DeploymentRun, bundle: KubeObject): boolean {
  const isInPlace = run.context.engine.isInPlace(ownerOf(run.object), fullRevisionOf(run, bundle));
  return isInPlace || isLeftForNow(run, bundle);
}

/** The content that is installed cannot be had again, whatever Bundle has the name of the active one now. */
function reportLostActive(run: DeploymentRun): void {
  const name = activeOf(run);
  if (name === '') return;
  const message = `Bundle "${name}", which is installed, was deleted: its objects stay, but drift from it is not corrected until the Bundle of the template is installed`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'ActiveBundleLost', message });
}

/** Corrects drift from the active version, with the configuration that it was installed with. */
async function restoreActive(run: DeploymentRun, active: KubeObject, signal: AbortSignal): Promise<void> {
  const former: DeploymentRun = { ...run, object: withInstalledConfig(run) };
  if (run.context.isAccountRequired && actingOwnerOf(former.object).account === undefined) return;
  try {
    if (isSettled(former, active)) return;
    await installObjects(former, active, { rendition: await load(former, active, signal), signal });
  } finally {
    const spec = run.object['spec'] as JsonObject;
    run.object = { ...former.object, spec };
    if (former.requeueAfterMs !== undefined) requeueAfter(run, former.requeueAfterMs);
  }
}

/** While the desired version cannot be installed, the active one is kept: drift from it, and what a failed pivot has written, is corrected. The
 *  configuration of the desired version does not apply to it: another install namespace would delete its objects, volumes included, and another account
 *  would install what its owner has not seen. A failure here is not reported on the deployment. */
export async function keepActive(run: DeploymentRun, { signal, log }: ReconcileContext): Promise<void> {
  // Restoring may take long.
  await run.status.flush(run, signal);
  const active = ownedBundles(run).find(({ metadata }) => metadata.name === activeOf(run));
  if (active === undefined) return reportLostActive(run);
  if (active.metadata.name === run.bundle?.metadata.name) return;
  try {
    await restoreActive(run, active, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const { name = '' } = active.metadata;
    if (isContentLost(thrown)) run.hooks.onContentLost(name);
    log.warn({ bundle: name, message: errorMessage(thrown) }, 'the active version could not be kept whole');
  } finally {
    if (!signal.aborted) await refreshHealth(run, signal);
  }
}

function failureReason(run: DeploymentRun, thrown: unknown): InstalledReason {
  if (thrown instanceof PermissionsMissing) return 'PermissionsMissing';
  const active = activeOf(run);
  if (active === '') return 'InstallFailed';
  if (active === run.bundle?.metadata.name) return 'ReconcileFailed';
  return thrown instanceof InstallBlocked && thrown.isConflict ? 'ErrorGettingReleaseState' : 'UpgradeFailed';
}

async function reportInstallFailure(run: DeploymentRun, thrown: unknown, signal: AbortSignal): Promise<void> {
  const isKnown = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (signal.aborted || !isKnown || run.bundle === undefined) return;
  await rollBackAbandoned(run, signal);
  const left = await describeIncomplete(run, signal);
  const message = [errorMessage(thrown), left].filter((text) => text !== undefined).join('; ');
  const reason = failureReason(run, thrown);
  const installed = { type: 'Installed', status: 'False', reason, message } as const;
  setStatus(run, [bundleCondition(parseBundle(run.bundle)), installed, notInstalled]);
}

/** What the outcome of a try depends on, as far as the deployment says it: any of our annotations may be meant to change it. */
function inputsOf({ object }: DeploymentRun, bundle: KubeObject): string {
  const { uid, generation, annotations = {} } = object.metadata;
  const ours = Object.entries(annotations).filter(([key]) => key.startsWith(`${group}/`));
  const sorted = ours.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([uid, generation, revisionOf(object, bundle), sorted]);
}

/** Tries once, if the content is there. What fails is told, undone, and not tried again before its time. */
async function tryInstall(
  run: DeploymentRun,
  bundle: KubeObject,
  context: ReconcileContext,
): Promise<'stop' | undefined> {
  const { gate } = run.hooks;
  const { signal } = context;
  const rendition = await loadWanted(run, bundle, context);
  if (rendition === undefined) {
    await keepActive(run, context);
    await refreshHealth(run, signal);
    return 'stop';
  }
  if (rendition.objects.length > manyObjects) {
    setStatus(run, [bundleCondition(parseBundle(bundle))]);
    await run.status.flush(run, signal);
  }
  const attempt = gate.begin(ownerOf(run.object).name, inputsOf(run, bundle));
  let isUntouched = true;
  const onWrite = (): void => {
    isUntouched = false;
  };
  try {
    await installObjects(run, bundle, { rendition, signal, onWrite });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof PermissionsMissing) run.context.rights.waits(attempt.name);
    await reportInstallFailure(run, thrown, signal);
    const retryAfterMs = gate.failed(attempt, thrown, { isUntouched });
    await keepActive(run, context);
    if (!(thrown instanceof TransientError)) throw thrown;
    throw new TransientError(thrown.reason, thrown.message, { cause: thrown, retryAfterMs });
  }
  return undefined;
}

/** Brings the objects of the template's Bundle into the cluster. */
export const install: Step<DeploymentRun> = async (run, context) => {
  const { bundle } = run;
  if (bundle === undefined) return 'stop';
  const owner = ownerOf(run.object);
  const { gate } = run.hooks;
  if (!run.context.engine.isInPlace(owner, fullRevisionOf(run, bundle))) {
    if (isLeftForNow(run, bundle)) {
      await refreshHealth(run, context.signal);
      return 'stop';
    }
    const pause = gate.pauseOf(gate.begin(owner.name, inputsOf(run, bundle)));
    if (pause !== undefined) {
      await keepActive(run, context);
      if (!pause.isFinal) requeueAfter(run, pause.ms);
      return 'stop';
    }
    if ((await tryInstall(run, bundle, context)) === 'stop') return 'stop';
  }
  gate.forget(owner.name);
  run.context.rights.forget(owner.name);
  awaitRenewal(run);
  return undefined;
};
