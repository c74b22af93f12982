import { group, type InstalledReason, parseBundle } from '../../src/api/index.ts';
import { InstallBlocked, PermissionsMissing } from '../../src/apply/index.ts';
import { errorMessage, TerminalError, TransientError, WaitingError } from '../../src/base/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import { conversionFailed, type Rendered, renderFailed } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { conceal } from '../concealed-values.ts';
import { fetchOf } from '../fetches.ts';
import { recordHelmRelease, removeHelmReleases } from '../helm-release-record.ts';
import { ownerOf } from '../installed-record.ts';
import { type BundleChange, bundleCondition, notInstalled, refetchCondition } from './conditions.ts';
import { asksForHelmRelease, hadHelmRelease, releaseShelfOf } from './helm-releases.ts';
import { type HookWait, hasHooksLeft, installHooked, isApplied } from './hooked-install.ts';
import { describeIncomplete, rollBackAbandoned, withLeft } from './incomplete.ts';
import { desiredRevision, isInPlace, isLeftForNow } from './install-objects.ts';
import { isContentLost, type LoadedRendition, load, noteRendition, readValues } from './load.ts';
import { blocked, type Outcome } from './outcome.ts';
import { activeOf, type DeploymentRun, type Stage, setStatus } from './run.ts';

/** Errors that are about the deployment's configuration, or the cluster. */
const unfitReasons: ReadonlySet<string> = new Set([conversionFailed, renderFailed]);

function loadFailure(message: string): BundleChange {
  return { type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed', message };
}

/** So many objects take long enough that the status shows it before. */
const manyObjects = 100;

/** Content that is not stored is fetched again, and the end of that starts the next reconcile: nothing changes until then.
 *  @throws `thrown`, or why it cannot be fetched again */
function awaitContent(run: DeploymentRun, bundle: KubeObject, thrown: unknown): void {
  const { name = '', uid = '' } = bundle.metadata;
  const isLost = isContentLost(thrown);
  const failure = isLost ? run.context.fetches.failureOf(fetchOf({ name, uid })) : undefined;
  if (isLost && !(failure?.error instanceof TerminalError)) {
    run.hooks.onContentLost(name);
    return setStatus(run, [refetchCondition(name, failure)]);
  }
  const error = failure?.error ?? thrown;
  const message = errorMessage(error);
  setStatus(run, [loadFailure(message)]);
  throw error;
}

/** The Bundle does not fit the deployment's configuration, or the cluster. */
async function reportUnfit(run: DeploymentRun, bundle: KubeObject, work: Unfit): Promise<Outcome> {
  const message = `Failed to unpack the ${bundle.metadata.name ?? ''} Bundle: ${work.error.message}`;
  const unconverted = { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed', message } as const;
  setStatus(run, [work.error.reason === renderFailed ? loadFailure(work.error.message) : unconverted]);
  await rollBackAbandoned(run, work.signal);
  return blocked(work.error);
}

interface Unfit {
  readonly error: TerminalError;
  readonly signal: AbortSignal;
}

/** What to install, or why that is not there. */
async function loadDesired(
  run: DeploymentRun,
  bundle: KubeObject,
  signal: AbortSignal,
): Promise<LoadedRendition | Outcome> {
  try {
    return await load(run, bundle, signal);
  } catch (thrown) {
    if (signal.aborted || thrown instanceof WaitingError) throw thrown;
    const isUnfit = thrown instanceof TerminalError && unfitReasons.has(thrown.reason);
    if (isUnfit) return await reportUnfit(run, bundle, { error: thrown, signal });
    awaitContent(run, bundle, thrown);
    return blocked();
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
  conceal(thrown, run.values?.secrets);
  const isKnown = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (signal.aborted || !isKnown || run.bundle === undefined) return;
  await rollBackAbandoned(run, signal);
  const left = await describeIncomplete(run, signal);
  const message = withLeft(errorMessage(thrown), left);
  const reason = failureReason(run, thrown);
  const installed = { type: 'Installed', status: 'False', reason, message } as const;
  setStatus(run, [bundleCondition(parseBundle(run.bundle)), installed, notInstalled]);
}

/** What the outcome of a try depends on, as far as the deployment decides it: any of our annotations may be meant to change it. */
function inputsOf(run: DeploymentRun, bundle: KubeObject): string {
  const { uid, generation, annotations = {} } = run.object.metadata;
  const ours = Object.entries(annotations).filter(([key]) => key.startsWith(`${group}/`));
  const sorted = ours.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([uid, generation, desiredRevision(run, bundle), sorted]);
}

/** The installation goes on when the hook has ended. While the version before is active, its condition stays. */
function reportHookWait(run: DeploymentRun, { waitingFor, isApplied: isWritten }: HookWait): Outcome {
  if (activeOf(run) === '' && run.bundle !== undefined) {
    const message = `Waiting for the ${waitingFor}`;
    const installed = { type: 'Installed', status: 'Unknown', reason: 'HookRunning', message } as const;
    setStatus(run, [bundleCondition(parseBundle(run.bundle)), installed]);
  }
  return isWritten ? { kind: 'Held' } : blocked();
}

/** Records the release for Helm, where the deployment asks for that; without it, what is installed is installed as well. */
async function followHelmReleases(
  run: DeploymentRun,
  { bundle, rendition }: { readonly bundle: KubeObject; readonly rendition: LoadedRendition },
  signal: AbortSignal,
): Promise<void> {
  if (rendition.release === undefined) return;
  const shelf = releaseShelfOf(run, signal);
  const rendered = rendition as unknown as Rendered;
  try {
    if (asksForHelmRelease(run)) {
      await recordHelmRelease({ rendered, revision: desiredRevision(run, bundle) }, shelf);
    } else if (hadHelmRelease(run)) await removeHelmReleases(shelf);
  } catch (thrown) {
    signal.throwIfAborted();
    const message = `The release is not recorded for Helm: ${errorMessage(thrown)}`;
    run.context.events.record(run.object, { type: 'Warning', reason: 'HelmReleaseFailed', message });
  }
}

/** Not where everything is written, and what is obsolete is taken away in steps. */
function isFailure(thrown: unknown, signal: AbortSignal): thrown is Error {
  const isUnderWay = thrown instanceof WaitingError && thrown.reason === 'Pruning';
  return !signal.aborted && thrown instanceof Error && !isUnderWay;
}

/** Tries once. A failure is reported, rolled back, and not tried again before its time. */
async function tryInstall(
  run: DeploymentRun,
  bundle: KubeObject,
  { rendition, signal }: { readonly rendition: LoadedRendition; readonly signal: AbortSignal },
): Promise<Outcome | undefined> {
  const { gate } = run.hooks;
  const attempt = gate.begin(ownerOf(run.object).name, inputsOf(run, bundle));
  let isUntouched = true;
  const onWrite = (): void => {
    isUntouched = false;
  };
  try {
    const wait = await installHooked(run, { bundle, rendition, signal, onWrite });
    if (wait !== undefined) return reportHookWait(run, wait);
    await noteRendition(run, rendition, signal);
    await followHelmReleases(run, { bundle, rendition }, signal);
    return undefined;
  } catch (thrown) {
    if (!isFailure(thrown, signal)) throw thrown;
    if (thrown instanceof PermissionsMissing) run.context.permissions.add(attempt.name, thrown.namespaces);
    await reportInstallFailure(run, thrown, signal);
    const retryAfterMs = gate.failed(attempt, thrown, { isUntouched });
    const isHeld = hasHooksLeft(run, bundle) && isApplied(run);
    if (!(thrown instanceof TransientError)) return isHeld ? { kind: 'Held', error: thrown } : blocked(thrown);
    const error = new TransientError(thrown.reason, thrown.message, { cause: thrown, retryAfterMs });
    return isHeld ? { kind: 'Held', error } : blocked(error);
  }
}

/** Reads what the values of a chart are made of; the outcome where that cannot be had. */
async function findValues(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<Outcome | undefined> {
  try {
    run.values = await readValues(run, bundle, { signal, isFollowed: true });
    return undefined;
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof TransientError || thrown instanceof TerminalError)) throw thrown;
    setStatus(run, [loadFailure(errorMessage(thrown))]);
    return blocked(thrown);
  }
}

/** The outcome as long as the last failure is too recent. */
async function pauseAfterFailure(
  run: DeploymentRun,
  bundle: KubeObject,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { gate } = run.hooks;
  const pause = gate.pauseOf(gate.begin(ownerOf(run.object).name, inputsOf(run, bundle)));
  if (pause === undefined) return undefined;
  // A slow write of an abandoned version may arrive after its rollback.
  await rollBackAbandoned(run, signal);
  if (!pause.isFinal) requeueAfter(run, pause.ms);
  return hasHooksLeft(run, bundle) && isApplied(run) ? { kind: 'Held' } : blocked();
}

/** Brings the objects of the template's Bundle into the cluster. */
export const install: Stage = async (run, bundle, { signal }) => {
  const blockedByValues = await findValues(run, bundle, signal);
  if (blockedByValues !== undefined) return blockedByValues;
  const hasHooks = hasHooksLeft(run, bundle);
  if ((await isInPlace(run, bundle, signal)) && !hasHooks) return undefined;
  if (!hasHooks && isLeftForNow(run, bundle)) return { kind: 'Contested' };
  const pause = await pauseAfterFailure(run, bundle, signal);
  if (pause !== undefined) return pause;
  const rendition = await loadDesired(run, bundle, signal);
  if ('kind' in rendition) return rendition;
  if (rendition.objects.length > manyObjects) {
    setStatus(run, [bundleCondition(parseBundle(bundle))]);
    await run.status.flush(run, signal);
  }
  return await tryInstall(run, bundle, { rendition, signal });
};
