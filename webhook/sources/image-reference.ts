import { type BundleSource, parseImageReference } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { type AdmissionResult, allowed, denyInvalid } from '../review/result.ts';

/** The reference can be read as one. */
export function imageReference({ type, image }: BundleSource): AdmissionResult {
  if (type !== 'image' || image === undefined) return allowed;
  try {
    parseImageReference(image.ref);
    return allowed;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || typeof thrown.cause !== 'string') throw thrown;
    return denyInvalid(`bundle.spec.source.image.ref "${image.ref}" is not a valid image reference: ${thrown.cause}`);
  }
}
