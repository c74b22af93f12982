import { type BundleSource, isSourceType, sourceTypes } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyInvalid } from '../review/result.ts';

/** `type` is one of the known ones. */
export function sourceType({ type }: BundleSource): AdmissionResult {
  if (isSourceType(type)) return allowed;
  return denyInvalid(`bundle.spec.source.type "${type}" is not supported: must be one of ${sourceTypes.join(', ')}`);
}
