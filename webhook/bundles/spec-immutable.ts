import { isSameSpec } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { type AdmissionResult, allowed, denyAsRukPak } from '../review/result.ts';

/** The spec of a Bundle never changes. */
export function specImmutable(oldSpec: JsonObject, newSpec: JsonObject): AdmissionResult {
  return isSameSpec(oldSpec, newSpec) ? allowed : denyAsRukPak('bundle.spec is immutable');
}
