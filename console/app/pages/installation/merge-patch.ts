import { isValues, type Value } from '../../ui/schema/schema.ts';

/** The JSON merge patch that makes `after` of `before`: members that are gone become null.
 *  Nulls of `after` cannot be written that way. */
export function mergePatch(before: Value, after: Value): Value {
  if (!isValues(before) || !isValues(after)) return after;
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]));
  return Object.fromEntries([
    ...removed.map((key) => [key, null] as const),
    ...changed.map(([key, value]) => [key, mergePatch(before[key], value)] as const),
  ]);
}
