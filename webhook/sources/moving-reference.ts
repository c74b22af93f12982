import type { BundleSource } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, warn } from '../review/result.ts';

function movingField({ type, image, git }: BundleSource): string | undefined {
  if (type === 'image' && image !== undefined) return image.ref.includes('@') ? undefined : 'image.ref';
  if (type !== 'git' || git === undefined || git.ref.commit !== undefined) return undefined;
  return git.ref.branch === undefined ? 'git.ref.tag' : 'git.ref.branch';
}

/** Warns of a reference whose content its owner can change. */
export function movingReference(source: BundleSource): AdmissionResult {
  const field = movingField(source);
  if (field === undefined) return allowed;
  return warn([`bundle.spec.source.${field} may move: pin a digest (commit) to be sure of the content`]);
}
