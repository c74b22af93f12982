import type { ClusterVersionSpec } from '../../api/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';

/** A release whose signatures are to be verified before anything of it is read. */
export interface VerificationRequest {
  /** Pull spec. */
  readonly image: string;
  /** Of the release that runs, whose keys decide; empty when none does. */
  readonly running: readonly ReleaseManifest[];
  /** `spec.signatureStores`, which replace the stores of the running release. */
  readonly stores: NonNullable<ClusterVersionSpec['signatureStores']>;
}

/** Verifies the signatures of a release image.
 *  @returns false when it was accepted without: nothing can be verified here, and the settings allow that
 *  @throws UnverifiedReleaseError, or an error of what names the keys */
export type VerifyRelease = (request: VerificationRequest, signal: AbortSignal) => Promise<boolean>;
