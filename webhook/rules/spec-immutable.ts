import { isSameSpec } from '../../src/api/index.ts';
import type { JsonValue } from '../../src/base/index.ts';
import { deny, silence, type Verdict } from './rule.ts';

/** The spec of a Bundle never changes. */
export function specImmutable(oldSpec: JsonValue, newSpec: JsonValue): Verdict {
  return isSameSpec(oldSpec, newSpec) ? silence : deny('bundle.spec is immutable');
}
