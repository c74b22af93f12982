import {
  type ClusterRelease,
  clusterOperatorResource,
  clusterVersionFieldManager,
  clusterVersionName,
  clusterVersionResource,
} from '../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../base/index.ts';
import { type ControllerDefinition, defineController, type Manager } from '../controller/index.ts';
import { type CacheChange, conditionsOf, groupOf, type KubeObject, type OwnerReference } from '../kube/index.ts';
import { type ApplyMode, defaultProfile, type ReleaseManifest } from '../release/index.ts';
import { addStatusAdapter } from './adapters/controller.ts';
import type { ApplyContext } from './apply/apply-task.ts';
import { takesTls } from './apply/inject-tls.ts';
import { ObservedObjects } from './apply/observed-objects.ts';
import { PendingDeletions } from './apply/pending-deletions.ts';
import { UpdateAvailability, type UpdateAvailabilityOptions } from './available-updates/update-availability.ts';
import type { EngineContext } from './engine.ts';
import type { Preconditions } from './facts.ts';
import { createFeatureReader, readProxy, readTls } from './features.ts';
import type { WaitPolicy } from './health/workloads.ts';
import { reportMetrics } from './metrics/report-metrics.ts';
import { architectureName, type LoadTerms } from './payload/load-release.ts';
import { ReleaseLoader } from './payload/release-loader.ts';
import type { ReleaseSource } from './payload/release-sources.ts';
import { evaluatePreconditions } from './preconditions/preconditions.ts';
import { type Intervals, usualIntervals } from './round/intervals.ts';
import { SyncWorker, type Work } from './round/sync-worker.ts';
import { type CapabilityRegistry, usualCapabilities } from './spec/capabilities.ts';
import { WaitTimes } from './status/operator-waits.ts';
import { updateTargets } from './status/report-updates.ts';
import { syncVersion, type VersionRun } from './sync.ts';
import type { VerifyRelease } from './verification/verification.ts';

/** How the update engine works. */
export interface ClusterVersionOptions {
  /** The release that a cluster without a history is installed with. */
  readonly initial?: ClusterRelease | undefined;
  /** Where releases come from, asked in this order. */
  readonly sources: readonly ReleaseSource[];
  /** For temporary files of this process alone. */
  readonly workDir: string;
  /** Undefined: releases need no signature. */
  readonly verify?: VerifyRelease | undefined;
  /** Default: those of the reference. */
  readonly preconditions?: Preconditions;
  /** Asks an update service, and evaluates risks. Undefined: available updates are not retrieved. */
  readonly updates?: Omit<UpdateAvailabilityOptions, 'clock' | 'onChange'> | undefined;
  /** Default: those of OpenShift. */
  readonly capabilities?: CapabilityRegistry;
  /** Default: strict for releases without ClusterOperators. */
  readonly waitPolicy?: WaitPolicy;
  /** For `exclude.release.openshift.io/NAME`. Default: none. */
  readonly engineId?: string;
  /** Default: as the reference. */
  readonly intervals?: Intervals;
  /** Within which a release is verified, for at most half of that, and retrieved. Default: four minutes. */
  readonly retrievalMs?: number;
}

const { apiVersion, kind } = clusterVersionResource;
const group = groupOf(apiVersion);
const versionKey = { namespace: '', name: clusterVersionName };

/** What of an operator a round may wait for. */
function reported(object: KubeObject | undefined): JsonValue {
  if (object === undefined) return null;
  const conditions = conditionsOf(object).filter(({ type }) => type === 'Available' || type === 'Degraded');
  const versions = objectsAt(objectAt(object as JsonObject, 'status'), 'versions');
  return [
    conditions.map(({ type, status }) => [type, status]),
    versions.map((one) => [textAt(one, 'name'), textAt(one, 'version')]),
  ];
}

function isReportChanged({ before, after }: CacheChange<KubeObject>): boolean {
  return !isJsonEqual(reported(before), reported(after));
}

function upgradeableOf(object: KubeObject | undefined): JsonValue {
  const found = object && conditionsOf(object).find(({ type }) => type === 'Upgradeable');
  return found === undefined ? null : [found.status, found.message];
}

function isUpgradeableChanged({ before, after }: CacheChange<KubeObject>): boolean {
  return !isJsonEqual(upgradeableOf(before), upgradeableOf(after));
}

/** Applies the release that the ClusterVersion requests, and reports how far it is.
 *  @see docs/spec/cluster-version.md#workflow-of-an-update */
export const clusterVersionController: ControllerDefinition<EngineContext, VersionRun> = defineController({
  name: 'clusterversion',
  for: clusterVersionResource,
  watches: (context) => [
    {
      target: clusterOperatorResource,
      requestsFor: (change) => {
        if (isReportChanged(change)) context.worker.wake();
        return isUpgradeableChanged(change) ? [versionKey] : [];
      },
    },
    { target: updateTargets.gates, requestsFor: () => [versionKey] },
    { target: updateTargets.acks, requestsFor: () => [versionKey] },
  ],
  begin: (context, object): VersionRun => ({ context, object }),
  steps: [syncVersion],
  gatherMs: 50,
  permissions: {
    // A release consists of objects of any kind, and grants permissions itself.
    cluster: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  },
  isOptional: true,
});

function ownerOf(version: KubeObject | undefined): OwnerReference {
  const { name = clusterVersionName, uid = '' } = version?.metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true };
}

function termsOf(manager: Manager, options: ClusterVersionOptions): LoadTerms {
  const versions = manager.cache(clusterVersionResource);
  const events = manager.eventRecorder(clusterVersionFieldManager);
  return {
    retrieval: { sources: options.sources, workDir: options.workDir, clusterProfile: defaultProfile },
    clock: manager.clock,
    verify: options.verify,
    retrievalMs: options.retrievalMs,
    preconditions:
      options.preconditions ??
      (({ clusterVersion, target }) =>
        Promise.resolve(evaluatePreconditions({ clusterVersion, desiredVersion: target.version }))),
    onEvent: (event) => {
      const version = versions.get(clusterVersionName);
      if (version !== undefined) events.record(version, event);
    },
  };
}

function hasOperators(manifests: readonly ReleaseManifest[]): boolean {
  return manifests.some(({ key }) => key.group === group && key.kind === clusterOperatorResource.kind);
}

interface Shared {
  readonly waits: WaitTimes;
  readonly deletions: PendingDeletions;
  readonly onChange: () => void;
}

function createWorker(
  manager: Manager,
  options: ClusterVersionOptions,
  { waits, deletions, onChange }: Shared,
): SyncWorker {
  const { kube, clock, log, signal } = manager;
  const versions = manager.cache(clusterVersionResource);
  const contextFor = async ({ payload }: Work, mode: ApplyMode['kind'], round: AbortSignal): Promise<ApplyContext> => {
    const owner = ownerOf(versions.get(clusterVersionName));
    const proxy = await readProxy(kube, round);
    const { hash, manifests } = payload;
    const tls = manifests.some(takesTls) ? await readTls(kube, round) : undefined;
    observed.begin({ terms: JSON.stringify([proxy, tls, owner.uid]), hash, manifests });
    return {
      kube,
      clock,
      owner,
      mode,
      waitPolicy: options.waitPolicy ?? (hasOperators(payload.manifests) ? 'reference' : 'strict'),
      deletions,
      waits,
      observed,
      proxy,
      tls,
      signal: round,
    };
  };
  const intervals = options.intervals ?? usualIntervals();
  const worker = new SyncWorker({ clock, log, intervals, contextFor, onChange, signal });
  const observed = new ObservedObjects({
    kube,
    clock,
    log,
    signal,
    onDrift: () => worker.correct(),
    onProgress: () => worker.wake(),
  });
  return worker;
}

function updatesOf(
  manager: Manager,
  { updates }: ClusterVersionOptions,
  { deletions, onChange }: Shared,
): EngineContext['updates'] {
  const { clock, signal } = manager;
  const availability = updates && new UpdateAvailability({ ...updates, clock, onChange });
  signal.addEventListener('abort', () => availability?.[Symbol.dispose](), { once: true });
  const { operators, gates, acks } = updateTargets;
  return {
    availability,
    operators: manager.cache(operators),
    gates: manager.cache(gates),
    acks: manager.cache(acks),
    deletions,
    architecture: architectureName(),
  };
}

/** Adds the update engine. It works on the ClusterVersion `version`, and does nothing without one. */
export function addClusterVersion(manager: Manager, options: ClusterVersionOptions): void {
  const { kube, clock, log, signal } = manager;
  const onChange = (): void => added.enqueue(clusterVersionName);
  const shared: Shared = { waits: new WaitTimes(), deletions: new PendingDeletions(clock), onChange };
  const terms = termsOf(manager, options);
  const worker = createWorker(manager, options, shared);
  const context: EngineContext = {
    kube,
    clock,
    log,
    versions: manager.cache(clusterVersionResource),
    loader: new ReleaseLoader({ terms, clock, log, onChange, signal }),
    worker,
    waits: shared.waits,
    deletions: shared.deletions,
    registry: options.capabilities ?? usualCapabilities,
    engineId: options.engineId ?? '',
    initial: options.initial,
    updates: updatesOf(manager, options, shared),
    readFeatures: createFeatureReader(kube, clock),
    memory: { running: undefined, implied: [], selection: undefined, isRestored: false, countedMs: 0 },
  };
  let work: Promise<void> = Promise.resolve();
  const added = manager.add(clusterVersionController, {
    context,
    workers: 1,
    beforeWork: () => {
      work = worker.run();
      return Promise.resolve();
    },
    afterWork: () => work,
  });
  addStatusAdapter(manager);
  reportMetrics(manager, context);
}
