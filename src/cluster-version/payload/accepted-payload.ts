import type { ClusterRelease } from '../../api/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';

/** A release that was retrieved, checked and accepted. */
export interface AcceptedPayload {
  /** Pull spec, as requested. */
  readonly image: string;
  /** As the status reports it. */
  readonly release: ClusterRelease;
  /** What the cluster loads of it, in order. */
  readonly manifests: readonly ReleaseManifest[];
  readonly hash: string;
  readonly isVerified: boolean;
  /** Risks and failed checks in spite of which it was accepted, one per line. */
  readonly acceptedRisks: string;
  /** Whether it is the release that the cluster ran before, which is neither verified nor checked again. */
  readonly isLocal: boolean;
}
