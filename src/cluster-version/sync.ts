import {
  type ClusterRelease,
  type ClusterVersion,
  type ClusterVersionStatus,
  clusterVersionName,
  parseClusterVersion,
  type UpdateHistory,
} from '../api/index.ts';
import { formatTimestamp, isJsonEqual, type JsonObject, type JsonValue } from '../base/index.ts';
import { parseVersion } from '../constraints/index.ts';
import { type ReconcileRun, requeueAfter, type Step } from '../controller/index.ts';
import { type ClusterChoices, defaultProfile, type LoadedManifests, selectManifests } from '../release/index.ts';
import type { EngineContext } from './engine.ts';
import type { AcceptedPayload } from './payload/accepted-payload.ts';
import { architectureName, type LoadedRelease, type LoadRequest } from './payload/load-release.ts';
import type { LoadState } from './payload/release-loader.ts';
import type { Work, WorkerStatus } from './round/sync-worker.ts';
import { type Capabilities, impliedCapabilities, resolveCapabilities } from './spec/capabilities.ts';
import { type DesiredRelease, desiredRelease, ownRelease } from './spec/desired-release.ts';
import { invalidMessage, type ValidatedSpec, validateSpec } from './spec/validate-spec.ts';
import { updateConditions } from './status/conditions.ts';
import { mergeHistory, stateOf } from './status/history.ts';
import { doneBefore, progressOf } from './status/progress.ts';
import { completeDesired, reportAvailability, reportUpgradeable, withoutUpdates } from './status/report-updates.ts';
import { StatusDraft } from './status/status-draft.ts';
import { writeStatus } from './status/write-status.ts';

/** One reconcile of the ClusterVersion. */
export interface VersionRun extends ReconcileRun {
  readonly context: EngineContext;
}

/** What a reconcile works with. */
interface Sync {
  readonly context: EngineContext;
  readonly version: ClusterVersion;
  readonly validated: ValidatedSpec;
  readonly draft: StatusDraft;
  readonly run: VersionRun;
  readonly signal: AbortSignal;
}

/** Objects that are being deleted, in the status. */
const maxDeletions = 500;
/** Between two writes of nothing but counters. */
const countIntervalMs = 2_000;

/** Continues where an earlier process was. */
function restore({ memory, waits, deletions, clock }: EngineContext, { status }: ClusterVersion): void {
  if (memory.isRestored) return;
  memory.isRestored = true;
  for (const { object, since } of status?.progress?.waitingFor ?? []) {
    const name = object.split('/').at(-1) ?? '';
    if (since !== undefined) waits.begin(name, Math.min(Date.parse(since), clock.now()));
  }
  const pending = status?.pendingDeletions ?? [];
  deletions.restore(pending.map((one) => ({ group: '', namespace: '', since: '', ...one })));
}

function reportInvalid({ draft, validated: { errors } }: Sync): void {
  if (errors.length === 0) return draft.remove('Invalid');
  const message = invalidMessage(errors);
  draft.set([{ type: 'Invalid', status: 'True', reason: 'InvalidClusterVersion', message }]);
}

function describe({ version, image }: { readonly version: string; readonly image: string }): string {
  return `version="${version}" image="${image}"`;
}

function isAcceptedImage(draft: StatusDraft, image: string): boolean {
  const { status, message } = draft.find('ReleaseAccepted') ?? {};
  return status === 'True' && message?.includes(` image="${image}"`) === true;
}

function reportLoading({ draft, run, context }: Sync, target: DesiredRelease, state: LoadState): void {
  const type = 'ReleaseAccepted';
  switch (state.kind) {
    case 'loading': {
      // After a restart an accepted release is read again.
      if (isAcceptedImage(draft, target.image)) return;
      const message = `Retrieving and verifying payload ${describe(target)}`;
      return draft.set([{ type, status: 'Unknown', reason: 'RetrievePayload', message }]);
    }
    case 'rejected':
      requeueAfter(run, state.retryAtMs - context.clock.now());
      return draft.set([{ type, status: 'False', reason: state.reason, message: state.message }]);
    case 'accepted': {
      const { version, architecture } = state.release.payload.metadata;
      const name = architecture === 'multi' ? 'Multi' : architectureName();
      const message = `Payload loaded ${describe({ ...target, version })} architecture="${name}"`;
      return draft.set([{ type, status: 'True', reason: 'PayloadLoaded', message }]);
    }
  }
}

/** The running release is requested again: nothing is loaded. */
function reportAccepted({ draft, version }: Sync, { payload, image }: LoadedRelease): void {
  const accepted = (version.status?.conditions ?? []).find(({ type }) => type === 'ReleaseAccepted');
  const loaded = `Payload loaded ${describe({ version: payload.metadata.version, image })}`;
  if (accepted?.status === 'True' && accepted.message?.startsWith(loaded) === true) return;
  draft.set([{ type: 'ReleaseAccepted', status: 'True', reason: 'PayloadLoaded', message: loaded }]);
}

/** Whether the cluster had accepted the release before: neither its signature nor preconditions are evaluated again. */
function isLocal({ context, version }: Sync, { image }: DesiredRelease): boolean {
  const [newest] = version.status?.history ?? [];
  if (newest === undefined) return image === context.initial?.image;
  return newest.image === image || ownRelease(version, context.initial)?.image === image;
}

/** A request to load a release. Preconditions are evaluated on what is known now, not on what was written last. */
function loadRequest(sync: Sync, target: DesiredRelease, isRunning: boolean): LoadRequest {
  const { context, version, draft, validated } = sync;
  const clusterVersion = { ...version, status: draft.value as unknown as ClusterVersionStatus };
  const running = context.worker.status?.work.payload.manifests ?? [];
  const verification = { running, stores: validated.spec.signatureStores ?? [] };
  const isTrusted = target.image === context.initial?.image;
  return { target, clusterVersion, isLocal: isRunning, isTrusted, verification };
}

/** The release that the cluster ran when this process started, if another one is requested: its keys decide about that, and it stays reconciled. */
function releaseBefore({ context, version }: Sync, target: DesiredRelease): DesiredRelease | undefined {
  const [newest] = version.status?.history ?? [];
  const own = newest === undefined || newest.image === '' ? ownRelease(version, context.initial) : newest;
  const { version: name = '', image = '' } = own ?? {};
  return image === '' || image === target.image ? undefined : { version: name, image, isForced: false };
}

/** Loads the release that runs before another one is verified with its keys. */
function resumedRelease(sync: Sync, target: DesiredRelease): LoadedRelease | 'loading' | undefined {
  const before = releaseBefore(sync, target);
  if (before === undefined) return undefined;
  const state = sync.context.loader.request(loadRequest(sync, before, true));
  if (state.kind === 'accepted') return state.release;
  if (state.kind === 'rejected' && target.isForced) return undefined;
  if (state.kind === 'rejected') reportLoading(sync, before, state);
  return 'loading';
}

/** The release to apply: the requested one once it is accepted, until then the one that runs. */
function acceptedRelease(sync: Sync, target: DesiredRelease): LoadedRelease | undefined {
  const { memory, loader, worker } = sync.context;
  const { running } = memory;
  const isInstalling = worker.status?.state === 'Initializing';
  if (running !== undefined && (running.image === target.image || isInstalling)) {
    loader.forget();
    reportAccepted(sync, running);
    return running;
  }
  const isRunning = isLocal(sync, target);
  if (running === undefined && !isRunning) {
    const resumed = resumedRelease(sync, target);
    if (resumed !== undefined) return resumed === 'loading' ? undefined : resumed;
  }
  const state = loader.request(loadRequest(sync, target, isRunning));
  reportLoading(sync, target, state);
  return state.kind === 'accepted' ? state.release : running;
}

/** The manifests that the cluster loads; each manifest that is done leads to a reconcile, so the last selection is retained. */
async function selected({ context, signal }: Sync, { payload }: LoadedRelease): Promise<LoadedManifests> {
  const { version } = payload.metadata;
  const { memory } = context;
  const features = await context.readFeatures(version, signal);
  const featuresText = JSON.stringify(features);
  const { selection } = memory;
  if (selection?.payload === payload && selection.featuresText === featuresText) return selection.loaded;
  const loaded = selectManifests(payload.manifests, {
    engine: context.engineId,
    profile: defaultProfile,
    featureSet: features.featureSet,
    enabledFeatureGates: new Set(features.enabledFeatureGates),
    majorVersion: parseVersion(version).major,
  });
  memory.selection = { payload, featuresText, loaded };
  return loaded;
}

function choicesOf({ validated: { spec } }: Sync, { known, enabled }: Capabilities): ClusterChoices {
  const capabilities = { known: new Set(known), enabled: new Set(enabled) };
  return { capabilities, overrides: spec.overrides ?? [] };
}

/** Capabilities of the spec, of earlier processes, and those that the new release implies. */
function capabilitiesFor(sync: Sync, next: LoadedManifests): Capabilities {
  const { context, version, validated } = sync;
  const { memory, registry, worker } = context;
  const before = [...(version.status?.capabilities?.enabledCapabilities ?? []), ...memory.implied];
  const capabilities = resolveCapabilities(validated.spec, before, registry);
  const current = worker.status?.work.payload;
  if (current === undefined || current.hash === next.versionHash) return capabilities;
  const implied = impliedCapabilities(current.manifests, next.manifests, choicesOf(sync, capabilities));
  memory.implied = [...memory.implied, ...implied];
  return resolveCapabilities(validated.spec, [...before, ...implied], registry);
}

function reportCapabilities({ draft }: Sync, { known, enabled, implicit }: Capabilities): void {
  draft.setFields({ capabilities: { enabledCapabilities: [...enabled], knownCapabilities: [...known] } });
  const type = 'ImplicitlyEnabledCapabilities';
  if (implicit.length === 0) {
    draft.set([{ type, status: 'False', reason: 'AsExpected', message: 'Capabilities match configured spec' }]);
    return;
  }
  const message = `The following capabilities could not be disabled: ${implicit.join(', ')}`;
  draft.set([{ type, status: 'True', reason: 'CapabilitiesImplicitlyEnabled', message }]);
}

function releaseOf({ payload: { metadata }, image }: LoadedRelease): ClusterRelease {
  const { version, url, channels, architecture } = metadata;
  return {
    ...(architecture === 'multi' ? { architecture: 'Multi' as const } : {}),
    version,
    image,
    ...(url === '' ? {} : { url }),
    ...(channels.length === 0 ? {} : { channels }),
  };
}

function payloadOf(release: LoadedRelease, { manifests, versionHash: hash }: LoadedManifests): AcceptedPayload {
  const { image, isVerified, isLocal: wasLocal, acceptedRisks } = release;
  return { image, release: releaseOf(release), manifests, hash, isVerified, isLocal: wasLocal, acceptedRisks };
}

/** Passes the release on to the worker, with what the spec states about it. */
async function assign(sync: Sync, release: LoadedRelease, target: DesiredRelease): Promise<void> {
  const { context, version } = sync;
  const { worker, waits, memory } = context;
  const next = await selected(sync, release);
  const capabilities = capabilitiesFor(sync, next);
  reportCapabilities(sync, capabilities);
  const work: Work = {
    generation: version.metadata.generation ?? 0,
    payload: payloadOf(release, next),
    isForced: release.image === target.image && target.isForced,
    choices: choicesOf(sync, capabilities),
  };
  if (memory.running !== undefined && memory.running.image !== release.image) waits.clear();
  memory.running = release;
  const { progress, history = [] } = version.status ?? {};
  worker.take(work, { state: stateOf(history, release.image), ...doneBefore(progress, next.versionHash) });
}

function reportWork(sync: Sync, status: WorkerStatus): void {
  const { context, draft, validated, version } = sync;
  const { payload } = status.work;
  const isReconciling = status.state === 'Reconciling';
  const isCompleted = status.completed > 0;
  const nowMs = context.clock.now();
  const facts = {
    desired: payload.release,
    isCompleted: isCompleted && isReconciling,
    isVerified: payload.isVerified,
    acceptedRisks: payload.isLocal ? undefined : payload.acceptedRisks,
    now: formatTimestamp(nowMs),
  };
  const history: readonly UpdateHistory[] = mergeHistory(version.status?.history ?? [], facts);
  draft.setFields({
    desired: payload.release as unknown as JsonObject,
    history: history as unknown as JsonObject[],
    observedGeneration: status.work.generation,
    versionHash: payload.hash,
    progress: progressOf(status, context.waits) as unknown as JsonObject,
    pendingDeletions: context.deletions.list().slice(0, maxDeletions) as unknown as JsonObject[],
  });
  if (!draft.has('Available')) draft.set([{ type: 'Available', status: 'False', reason: '', message: '' }]);
  const { release, image } = payload;
  const { done, total, failure } = status;
  const text = (release.version ?? '') === '' ? image : (release.version ?? '');
  const isInvalid = validated.errors.length > 0;
  const facets = { version: text, isReconciling, isCompleted, done, total, failure, isInvalid };
  draft.set(updateConditions({ ...facets, waits: context.waits, nowMs }));
}

/** Nothing is applied yet. */
function reportStart({ draft, version }: Sync, target: DesiredRelease): void {
  const { version: name, image } = target;
  if (
    version.status === undefined ||
    version.status.desired.image === undefined ||
    version.status.desired.image === ''
  ) {
    draft.setFields({ desired: { version: name, image } });
  }
  const message = `Working towards ${name === '' ? image : name}`;
  const missing = [
    { type: 'Available', status: 'False', reason: '', message: '' },
    { type: 'Failing', status: 'False', reason: '', message: '' },
    { type: 'Progressing', status: 'True', reason: '', message },
  ] as const;
  draft.set(missing.filter(({ type }) => !draft.has(type)));
}

function reportUnknown({ draft }: Sync): void {
  const message = 'No configured operator version, unable to update cluster';
  draft.set([
    { type: 'Available', status: 'False', reason: '', message: '' },
    { type: 'Failing', status: 'True', reason: 'NoDesiredImage', message },
    {
      type: 'Progressing',
      status: 'False',
      reason: 'NoDesiredImage',
      message: `Error ensuring the cluster version is up to date: ${message}`,
    },
  ]);
}

async function syncRelease(sync: Sync): Promise<void> {
  const { context, version, validated } = sync;
  const target = desiredRelease(version, validated.spec, context.initial);
  if (target === undefined) return reportUnknown(sync);
  const release = acceptedRelease(sync, target);
  if (release === undefined) return reportStart(sync, target);
  await assign(sync, release, target);
  const { status } = context.worker;
  if (status !== undefined) reportWork(sync, status);
}

/** The status without what only counts. */
function withoutCounters({ progress: _progress, conditions, ...status }: JsonObject): JsonValue {
  const list = Array.isArray(conditions) ? conditions : [];
  const uncounted = list.map((condition) => {
    const { message, ...rest } = condition as JsonObject;
    return rest['type'] === 'Progressing' ? rest : { ...rest, message: message ?? '' };
  });
  return { ...status, conditions: uncounted };
}

async function write({ context, version, draft, run, signal }: Sync): Promise<void> {
  const { kube, clock, memory, versions } = context;
  const before = (version.status ?? {}) as unknown as JsonObject;
  const isCount = isJsonEqual(withoutCounters(before), withoutCounters(draft.value));
  const waitMs = memory.countedMs + countIntervalMs - clock.now();
  if (isCount && waitMs > 0 && waitMs <= countIntervalMs) return requeueAfter(run, waitMs);
  const fallback = (why: string): JsonObject | undefined => withoutUpdates(draft, why);
  const written = await writeStatus(kube, run.object, { status: draft.value, fallback, signal });
  if (written !== run.object) memory.countedMs = clock.now();
  versions.wrote(written);
  run.object = written;
}

/** Reads what is requested, has it applied, and reports how far that is. */
export const syncVersion: Step<VersionRun> = async (run, { signal, log }) => {
  const { context, object } = run;
  if (object.metadata.name !== clusterVersionName) {
    log.warn({ expected: clusterVersionName }, 'ClusterVersion left alone: it has another name');
    return 'stop';
  }
  if (object.metadata.deletionTimestamp !== undefined) return 'stop';
  const version = parseClusterVersion(object);
  restore(context, version);
  const draft = new StatusDraft(version, context.clock.now());
  const sync: Sync = { context, version, validated: validateSpec(version), draft, run, signal };
  reportInvalid(sync);
  const { updates } = context;
  reportUpgradeable(version, draft, updates);
  const { requeueAfterMs, current } = reportAvailability(version, { spec: sync.validated.spec, draft }, updates);
  if (requeueAfterMs !== undefined) requeueAfter(run, requeueAfterMs);
  await syncRelease(sync);
  completeDesired(draft, current);
  reportUpgradeable(version, draft, updates);
  await write(sync);
  return undefined;
};
