import type { BundleSource } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyAsRukPak } from '../review/result.ts';
import { leavesRoot } from './path.ts';

/** The directory is inside the repository. */
export function gitDirectory({ type, git }: BundleSource): AdmissionResult {
  if (type !== 'git' || !leavesRoot(git?.directory ?? '')) return allowed;
  return denyAsRukPak(
    'bundle.spec.source.git.directory begins with "../": directory must define path within the repository',
  );
}
