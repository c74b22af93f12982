import type { KubeObject } from './kube-object.ts';
import { StatusError } from './status-error.ts';

/** Members and items that one object may have, beside its managedFields; the largest definitions that are published have half of it. A short one, as `{}`,
 *  becomes hundreds of bytes with its defaults and violations. */
const maxValues = 100_000;

/** Members and items in a value, all levels together. Not recursive. */
function countValues({ metadata, ...rest }: KubeObject): number {
  const { managedFields: _ignored, ...ownMetadata } = metadata;
  const open: unknown[] = [ownMetadata, rest];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const value of Object.values(next as object)) {
      count += 1;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return count;
}

/** Refuses an object of very many small values, before defaults are added to each. One that is stored already may become smaller.
 *  @throws StatusError 413 */
export function assertFewValues(object: KubeObject, live?: KubeObject): void {
  const count = countValues(object);
  if (count <= maxValues || (live !== undefined && count <= countValues(live))) return;
  const message = `Request entity too large: the object has ${count} fields and items, the limit is ${maxValues}`;
  throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}
