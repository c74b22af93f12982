import type { ClusterVersion } from '../api/index.ts';

/** A release that a cluster can be updated to, as far as it is known. */
export interface TargetRelease {
  /** Empty while the payload was not loaded. */
  readonly version: string;
  readonly image: string;
}

/** What preconditions are evaluated on. `status.desired` of the object is the current release. */
export interface UpdateFacts {
  readonly clusterVersion: ClusterVersion;
  readonly target: TargetRelease;
}

/** A precondition that is not met, or that could not be evaluated. */
export interface Finding {
  /** Of the precondition, for instance `ClusterVersionUpgradeable`. */
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** Otherwise a warning: the update starts all the same. */
  readonly isBlocking: boolean;
}

/** Evaluates all preconditions of an update.
 *  @see docs/spec/cluster-version.md#preconditions */
export type Preconditions = (facts: UpdateFacts, signal: AbortSignal) => Promise<readonly Finding[]>;
