import { isSameSpec } from '../../src/api/index.ts';
import type { JsonValue } from '../../src/base/index.ts';
import { type AdmissionResult, allowed, deny } from './rule.ts';

/** The spec of a Bundle never changes. */
export function specImmutable(oldSpec: JsonValue, newSpec: JsonValue): AdmissionResult {
  return isSameSpec(oldSpec, newSpec) ? allowed : deny('bundle.spec is immutable');
}
