import {
  type Bundle,
  bundleResource,
  cachedBundleFinalizer,
  ownerNameLabel,
  pausedAnnotation,
} from '../src/api/index.ts';
import {
  errorMessage,
  type JsonObject,
  TerminalError,
  TransientError,
  traced,
  WaitingError,
} from '../src/base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  resultOf,
  type Step,
  type WorkFailure,
  type WorkState,
} from '../src/controller/index.ts';
import {
  hasFinalizer,
  type KubeObject,
  type NamespacedName,
  preconditionOf,
  refOf,
  removeFinalizer,
} from '../src/kube/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';
import { imagePullBackOff } from '../src/sources/index.ts';
import { noteProperties } from './bundle-properties.ts';
import { type BundleRun, bundleOf, type ContentState, detached, identityOf, newRun, setOutcome } from './bundle-run.ts';
import { dependencyWatches, inputWatches, shardWatches } from './bundle-watches.ts';
import type { ProvisionerContext } from './context.ts';
import { fetchOf, outlookOf } from './fetches.ts';
import { fieldManager } from './field-manager.ts';
import { bundlePermissions } from './permissions.ts';
import { askShared, forgetShared, isShelved, isUnshared, noteStored, sharedPlaceOf } from './shared-content.ts';
import { placeOf, readSourceInputs } from './source-inputs.ts';
import type { UnpackedContent, UnpackRequest } from './unpacker/index.ts';
import { skipUnserved } from './unserved.ts';

/** Progress is not reported before: most fetches have ended by then. */
const firstProgressMs = 2_000;
const progressPauseMs = 500;
const maxShownWarnings = 10;
/** The end of a fetch requests a reconcile; should that be missed, it is seen then. */
const fetchLookMs = 60_000;
/** A Bundle may be seen before the BundleDeployment that made it. */
const strangeMs = 5_000;

const removeContent: Step<BundleRun> = async (run, { signal, log }) => {
  if (run.object.metadata.deletionTimestamp === undefined) return undefined;
  if (!hasFinalizer(run.object, cachedBundleFinalizer)) return 'stop';
  try {
    const { name = '' } = run.object.metadata;
    await run.context.fetches.cancel(name);
    run.context.requested.delete(name);
    await run.context.unpacker.discard(name);
    await forgetShared(run.context, run.object.metadata.uid ?? '', { signal, log });
  } catch (thrown) {
    const message = errorMessage(thrown);
    const reason = 'ProcessingFinalizerFailed';
    setOutcome(run, { phase: 'Failing', status: 'Unknown', reason, message });
    throw thrown;
  }
  await removeFinalizer(run.context.kube, run.object, { finalizer: cachedBundleFinalizer, fieldManager, signal });
  log.info('bundle removed');
  return 'stop';
};

const ensureFinalizer: Step<BundleRun> = async (run, { signal }) => {
  if (hasFinalizer(run.object, cachedBundleFinalizer)) return undefined;
  const finalizers = [...(run.object.metadata.finalizers ?? []), cachedBundleFinalizer];
  const metadata = { finalizers, ...preconditionOf(run.object) };
  const written = await run.context.kube.patch(refOf(run.object), { metadata }, { fieldManager, signal });
  run.context.bundles.wrote(written);
  run.status.rebase(run, written);
  return undefined;
};

function setUnpacked(run: BundleRun, content: UnpackedContent): void {
  const message = `Successfully unpacked the ${bundleOf(run).spec.source.type} Bundle`;
  const resolvedSource = content.resolvedSource as unknown as JsonObject;
  const before = bundleOf(run).status?.phase;
  const outcome = { phase: 'Unpacked', status: 'True', reason: 'UnpackSuccessful', message } as const;
  const pinned = bundleOf(run).status?.resolvedSource === undefined ? { resolvedSource } : {};
  setOutcome(run, { ...outcome, ...pinned });
  // An Event of the deployment covers a Bundle that was unpacked before anyone could wait for it.
  const isEvent =
    before === undefined ? run.object.metadata.labels?.[ownerNameLabel] === undefined : before !== 'Unpacked';
  if (isEvent) run.status.event({ type: 'Normal', reason: outcome.reason, message });
}

function isUploaded({ source }: Bundle['spec']): boolean {
  return definitionOf(source).isUploaded === true;
}

/** Whether the very same content can be had again; an upload cannot. */
function isPinned({ spec, status }: Bundle): boolean {
  return status?.phase === 'Unpacked' && status.resolvedSource !== undefined && !isUploaded(spec);
}

/** Whether the Bundle stays Unpacked while its content is fetched again. */
function staysUnpacked({ content: { kind } }: BundleRun): boolean {
  return kind === 'Lost' || kind === 'Renewed';
}

/** Whether the requirements of the content are not known, because an earlier version of Longshore has stored it. */
function mustBeRead(run: BundleRun, { isOutdated, isEvicted }: UnpackedContent): boolean {
  return isOutdated && !isEvicted && run.context.dependencies.policy !== 'off' && isPinned(bundleOf(run));
}

/** Records on the Bundle where the shared store has its content. */
async function recordPlace(run: BundleRun, content: UnpackedContent, signal: AbortSignal): Promise<void> {
  const { kube, unpacker, bundles } = run.context;
  if (unpacker.shared === undefined) return;
  const written = await noteStored(kube, run.object, { ...content, signal });
  if (written !== run.object) bundles.wrote(written);
  run.status.rebase(run, written);
}

function mustBeRenewed(run: BundleRun, content: UnpackedContent): boolean {
  const { context, object } = run;
  const isRequested = content.isEvicted && context.requested.has(object.metadata.name ?? '');
  return isRequested || isUnshared(context, content) || mustBeRead(run, content);
}

function contentState(run: BundleRun, content: UnpackedContent | undefined): ContentState {
  const { context, object } = run;
  if (content === undefined) {
    const isLost = isPinned(bundleOf(run)) || isShelved(context, object);
    return { kind: isLost ? 'Lost' : 'Absent' };
  }
  const isUnpacked = bundleOf(run).status?.phase === 'Unpacked';
  if (isUnshared(context, content) && !isUnpacked) return { kind: 'Unshared', content };
  return { kind: mustBeRenewed(run, content) ? 'Renewed' : 'Present', content };
}

/** Stored content is never fetched again, whatever the status shows; evicted content is if it is requested, and content of which too
 *  little is known. */
const useStoredContent: Step<BundleRun> = async (run, { signal }) => {
  const { context } = run;
  run.content = contentState(run, await context.unpacker.find(identityOf(run.object)));
  if (run.content.kind !== 'Present' && run.content.kind !== 'Renewed') return undefined;
  const { kind, content } = run.content;
  if (!isUnshared(context, content)) await recordPlace(run, content, signal);
  if (!mustBeRead(run, content)) {
    run.status.rebase(run, await noteProperties(context, run.object, { content, signal }));
  }
  setUnpacked(run, content);
  if (kind === 'Renewed') return undefined;
  context.requested.delete(run.object.metadata.name ?? '');
  return 'stop';
};

/** What a paused Bundle has stays; nothing is fetched for it. */
const checkPause: Step<BundleRun> = async (run) => {
  if (run.object.metadata.annotations?.[pausedAnnotation] !== 'true') return undefined;
  await run.context.fetches.cancel(run.object.metadata.name ?? '');
  if (staysUnpacked(run)) return 'stop';
  const message = `paused: nothing is fetched while the annotation ${pausedAnnotation} is "true"`;
  setOutcome(run, { phase: 'Pending', status: 'False', reason: 'UnpackPending', message });
  return 'stop';
};

/** Shows progress lines in the status, a few a second at most, one write at a time. */
function progressReporter(
  run: BundleRun,
  signal: AbortSignal,
): { show: (line: string) => void; settle: () => Promise<void> } {
  let lastMs = run.context.clock.now() + firstProgressMs - progressPauseMs;
  let writing: Promise<void> = Promise.resolve();
  let isBusy = false;
  const write = async (message: string): Promise<void> => {
    try {
      setOutcome(run, { phase: 'Unpacking', status: 'False', reason: 'Unpacking', message });
      await run.status.flush(run, signal);
    } catch (thrown) {
      run.context.log.debug({ why: errorMessage(thrown) }, 'progress not shown');
    }
    isBusy = false;
  };
  return {
    show: (line) => {
      const nowMs = run.context.clock.now();
      if (isBusy || staysUnpacked(run) || nowMs - lastMs < progressPauseMs) return;
      lastMs = nowMs;
      isBusy = true;
      writing = write(line);
    },
    settle: () => writing,
  };
}

/** Brings content from the shared store, or from its source and then into the shared store.
 *  @throws what the shared store threw, where the source can only be waited for */
async function obtain(run: BundleRun, reconcile: ReconcileContext): Promise<void> {
  const { signal, log } = reconcile;
  const { context, object, content } = run;
  const local = 'content' in content ? content.content : undefined;
  const help = await askShared(context, object, { local, signal, log });
  if (help.isDone) return;
  try {
    await unpack(run, reconcile);
  } catch (thrown) {
    throw thrown instanceof WaitingError && help.problem !== undefined ? help.problem : thrown;
  }
  await context.unpacker.shared?.share(identityOf(object), { replaced: sharedPlaceOf(context, object), signal });
}

/** Fetches, checks and stores; reports nothing but progress. */
async function unpack(run: BundleRun, { signal, log }: ReconcileContext): Promise<void> {
  const { spec, status } = bundleOf(run);
  const inputs = await readSourceInputs(run.context, spec.source, signal);
  const progress = progressReporter(run, signal);
  try {
    const source = status?.resolvedSource ?? spec.source;
    const { provisionerClassName } = spec;
    const bundle = identityOf(run.object);
    const expectedDigest = run.content.kind === 'Renewed' ? run.content.content.digest : undefined;
    const firstSource = source === spec.source ? undefined : spec.source;
    const request = { bundle, provisionerClassName, source, firstSource, expectedDigest, ...inputs } as UnpackRequest;
    const content = await run.context.unpacker.unpack(request, { signal, onProgress: progress.show });
    const { digest, sizeBytes, warnings } = content;
    log.info({ digest, sizeBytes }, 'bundle stored');
    run.context.metrics?.add('longshore_fetched_bytes_total', { source: spec.source.type }, sizeBytes);
    if (warnings.length === 0 || staysUnpacked(run)) return;
    const message = warnings.slice(0, maxShownWarnings).join('; ');
    run.context.events.record(run.object, { type: 'Warning', reason: 'QuestionableMetadata', message });
  } finally {
    await progress.settle();
  }
}

/** The same, with metrics. */
async function measured(run: BundleRun, reconcile: ReconcileContext): Promise<void> {
  const { metrics, clock } = run.context;
  const source = bundleOf(run).spec.source.type;
  const startedMs = clock.now();
  const count = (thrown?: unknown): void => {
    if (reconcile.signal.aborted) return;
    metrics?.add('longshore_fetches_total', { source, result: resultOf(thrown) });
    metrics?.time('longshore_fetch_duration_seconds', { source }, Math.max(0, clock.now() - startedMs));
  };
  try {
    const attributes = { 'longshore.object': run.object.metadata.name ?? '' };
    await traced({ name: `fetch ${source}`, attributes }, () => obtain(run, reconcile));
    count();
  } catch (thrown) {
    count(thrown);
    throw thrown;
  }
}

/** Content that was lost for good is reported on the Bundle; content that was evicted on the deployment that requests it. */
function isReportedElsewhere({ content: { kind } }: BundleRun, error: WorkFailure['error']): boolean {
  return kind === 'Renewed' || (kind === 'Lost' && !(error instanceof TerminalError));
}

function setFailure(run: BundleRun, failure: WorkFailure): void {
  const { error } = failure;
  const { message } = error;
  if (isReportedElsewhere(run, error)) {
    run.context.events.record(run.object, { type: 'Warning', reason: 'UnpackFailed', message });
    return;
  }
  const isTagAwaited = error instanceof TransientError && error.reason === imagePullBackOff;
  if (error instanceof WaitingError || isTagAwaited) {
    setOutcome(run, { phase: 'Pending', status: 'False', reason: 'UnpackPending', message });
    if (isTagAwaited) {
      const cause = `${message}: ${errorMessage(error.cause)}`;
      run.status.event({ type: 'Warning', reason: 'UnpackPending', message: cause });
    }
    return;
  }
  const shown = `${message} (${outlookOf(failure)})`;
  const before = bundleOf(run).status?.conditions?.find(({ type }) => type === 'Unpacked')?.message;
  setOutcome(run, { phase: 'Failing', status: 'False', reason: 'UnpackFailed', message: shown });
  if (before !== shown) run.status.event({ type: 'Warning', reason: 'UnpackFailed', message });
}

/** The failure as the controller understands it: looked at again when it is time for the next try. */
function rethrow({ error, nextTryMs }: WorkFailure, nowMs: number): never {
  if (nextTryMs === undefined) throw error;
  const afterMs = Math.max(0, nextTryMs - nowMs);
  if (error instanceof WaitingError) throw new WaitingError(error.reason, error.message, { afterMs });
  throw new TransientError(error.reason, error.message, { cause: error, retryAfterMs: afterMs });
}

/** `Pending` after `Failing` was written elsewhere: there is another upload. */
function isReplaced(state: WorkState, { spec, status }: Bundle): boolean {
  const isReported = state.kind === 'failed' && !state.isNew;
  return isReported && isUploaded(spec) && status?.phase === 'Pending';
}

/** What takes no time is not reported: most contents are stored before anyone could have read that they are fetched.
 *  @throws WaitingError until there is something to report */
function setBeginning(run: BundleRun, quietMs: number): void {
  const phase = bundleOf(run).status?.phase;
  if (staysUnpacked(run) || (phase !== undefined && phase !== 'Unpacked')) return;
  if (quietMs > 0) throw new WaitingError('Unpacking', 'content is being fetched', { afterMs: quietMs });
  setOutcome(run, { phase: 'Unpacking', status: 'False', reason: 'Unpacking', message: '' });
}

/** Starts what takes long beside this reconcile, which comes back when it has ended. */
const fetchContent: Step<BundleRun> = async (run, reconcile) => {
  const { context } = run;
  const bundle = identityOf(run.object);
  const { spec } = bundleOf(run);
  let state = context.fetches.stateOf(fetchOf(bundle));
  if (isReplaced(state, bundleOf(run)) && context.fetches.restart(bundle.name)) {
    state = { kind: 'due' };
  }
  if (state.kind === 'failed') {
    setFailure(run, state);
    rethrow(state, context.clock.now());
  }
  if (state.kind === 'due') {
    const work = (signal: AbortSignal): Promise<void> => measured(detached(run), { ...reconcile, signal });
    context.fetches.start(fetchOf(bundle), work, placeOf(spec.source));
    state = context.fetches.stateOf(fetchOf(bundle));
  }
  if (state.kind === 'running') setBeginning(run, state.quietMs);
  // Nothing is done yet: the same failure as that of the last try is not reported again.
  throw new WaitingError('Unpacking', 'content is being fetched', { afterMs: fetchLookMs });
};

const steps: readonly Step<BundleRun>[] = [
  skipUnserved('Unpacked'),
  removeContent,
  ensureFinalizer,
  useStoredContent,
  checkPause,
  fetchContent,
];

async function begin(context: ProvisionerContext, object: KubeObject): Promise<BundleRun | undefined> {
  const isOurs = context.shards.hasBundle(object);
  if (isOurs === undefined)
    throw new WaitingError('OwnerUnknown', 'its BundleDeployment is not known yet', { afterMs: strangeMs });
  if (isOurs) return newRun(context, object);
  await context.fetches.cancel(object.metadata.name ?? '');
  return undefined;
}

async function forget(context: ProvisionerContext, { name }: NamespacedName): Promise<void> {
  context.requested.delete(name);
  context.unserved.forget('Bundle', name);
  await context.fetches.cancel(name);
}

/** Brings a Bundle to Unpacked: fetched once, pinned, and fetched again only from the pin when its content was lost. */
export const bundleController: ControllerDefinition<ProvisionerContext, BundleRun> = defineController({
  name: 'bundle',
  for: bundleResource,
  watches: (context) => [...inputWatches(context), ...shardWatches(context), ...dependencyWatches(context)],
  begin,
  steps,
  forget,
  permissions: bundlePermissions,
});
