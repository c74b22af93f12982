import type { JsonValue } from '../../src/base/index.ts';

/** Quotes of a text, or brackets. */
const aroundBytes = 2;

/** What is left of `room` after a value was written as JSON; negative as soon as that is too little. Values that aliases share count each time. Never more than
 *  JSON takes. */
export function roomAfter(room: number, value: JsonValue | undefined): number {
  // The comma; the last value has none, which more than a bracket makes up for.
  let left = room - 1;
  if (typeof value === 'string') return left - aroundBytes - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  left -= aroundBytes;
  for (const [key, child] of Object.entries(value)) {
    const keyBytes = Array.isArray(value) ? 0 : key.length + aroundBytes + 1;
    left = roomAfter(left - keyBytes, child);
    if (left < 0) break;
  }
  return left;
}
