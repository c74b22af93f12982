import type { BundleSource } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyInvalid } from '../review/result.ts';

const fullHash = /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

/** A commit is named by its whole hash, SHA-1 or SHA-256. */
export function gitCommit({ type, git }: BundleSource): AdmissionResult {
  const commit = git?.ref.commit;
  if (type !== 'git' || commit === undefined || fullHash.test(commit)) return allowed;
  return denyInvalid(`bundle.spec.source.git.ref.commit "${commit}" must be a full commit hash`);
}
