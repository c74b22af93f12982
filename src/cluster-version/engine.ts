import type { ClusterRelease } from '../api/index.ts';
import type { Clock, Logger } from '../base/index.ts';
import type { KindCache, KubeClient } from '../kube/index.ts';
import type { LoadedManifests, ReleasePayload } from '../release/index.ts';
import type { PendingDeletions } from './apply/pending-deletions.ts';
import type { ReadFeatures } from './features.ts';
import type { LoadedRelease } from './payload/load-release.ts';
import type { ReleaseLoader } from './payload/release-loader.ts';
import type { SyncWorker } from './round/sync-worker.ts';
import type { CapabilityRegistry } from './spec/capabilities.ts';
import type { WaitTimes } from './status/operator-waits.ts';
import type { UpdateReporting } from './status/report-updates.ts';

/** What reconciles of the ClusterVersion share. */
export interface EngineContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly versions: KindCache;
  readonly loader: ReleaseLoader;
  readonly worker: SyncWorker;
  readonly waits: WaitTimes;
  readonly deletions: PendingDeletions;
  readonly registry: CapabilityRegistry;
  /** For `exclude.release.openshift.io/NAME`. */
  readonly engineId: string;
  /** The release that a cluster without a history is installed with. */
  readonly initial: ClusterRelease | undefined;
  /** Which updates there are, and what is against them. */
  readonly updates: UpdateReporting;
  readonly readFeatures: ReadFeatures;
  readonly memory: EngineMemory;
}

/** What outlives a reconcile. */
export interface EngineMemory {
  /** The release that is applied. */
  running: LoadedRelease | undefined;
  /** Capabilities that releases implied. */
  implied: readonly string[];
  /** The manifests of a release that the cluster loads, and with which features. */
  selection:
    | { readonly payload: ReleasePayload; readonly featuresText: string; readonly loaded: LoadedManifests }
    | undefined;
  /** Whether the status of an earlier process was read. */
  isRestored: boolean;
  /** When counters were last written. */
  countedMs: number;
}
