import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { unprocessablePatch } from './json-patch.ts';
import {
  expectedMap,
  formatAsText,
  formatGoValue,
  goTypeOf,
  missingMergeKey,
  patchFailure,
} from './strategic-errors.ts';

/** What identifies an item of a merging list: the value of `mergeKey` for objects, the item itself for scalars. */
export function identityOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item;
  if (!isJsonObject(item)) throw expectedMap(item);
  const value = Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  if (value === undefined) throw missingMergeKey(item, mergeKey);
  return value;
}

/** Whether the lists hold objects. @throws StatusError for lists of lists and for mixed items */
export function holdsObjects(original: readonly JsonValue[], patch: readonly JsonValue[]): boolean {
  const [first, ...rest] = [...original, ...patch];
  if (first === undefined) return false;
  if (Array.isArray(first) || first === null) throw unprocessablePatch();
  const type = goTypeOf(first);
  if (rest.some((item) => goTypeOf(item) !== type)) {
    const lists = [original, patch].map((list) => formatGoValue([...list])).join(' ');
    throw patchFailure(`list element types are not identical: [${lists}]`);
  }
  return isJsonObject(first);
}

/** The identity of an item that was accepted already; null where it has none. */
function lenientIdentity(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '' || !isJsonObject(item)) return item;
  return (Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined) ?? null;
}

function positions(list: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const index = new Map<JsonValue, number>();
  for (const [position, item] of list.entries()) {
    const identity = lenientIdentity(item, mergeKey);
    if (!index.has(identity)) index.set(identity, position);
  }
  return index;
}

function sorted(items: JsonValue[], order: Map<JsonValue, number>, mergeKey: string): JsonValue[] {
  const rank = (item: JsonValue): number => order.get(lenientIdentity(item, mergeKey)) ?? -1;
  return items.sort((a, b) => rank(a) - rank(b));
}

export interface Ordering {
  /** The order of the items that the patch speaks of. */
  readonly patchOrder: readonly JsonValue[];
  readonly serverOrder: readonly JsonValue[];
  readonly mergeKey: string;
}

/** Puts merged items in order: those in `patchOrder` in that order, the others keep their place relative to live neighbours. */
export function orderItems(merged: readonly JsonValue[], ordering: Ordering): JsonValue[] {
  const { mergeKey } = ordering;
  const inPatch = positions(ordering.patchOrder, mergeKey);
  const onServer = positions(ordering.serverOrder, mergeKey);
  const left = merged.filter((item) => !inPatch.has(lenientIdentity(item, mergeKey)));
  const right = merged.filter((item) => inPatch.has(lenientIdentity(item, mergeKey)));
  sorted(left, onServer, mergeKey);
  sorted(right, inPatch, mergeKey);
  return interleave(left, right, (item) => onServer.get(lenientIdentity(item, mergeKey)));
}

function interleave(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  rank: (item: JsonValue) => number | undefined,
): JsonValue[] {
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of right) {
    const limit = rank(item);
    for (
      let candidate = left[next];
      candidate !== undefined && isBefore(rank(candidate), limit);
      candidate = left[next]
    ) {
      result.push(candidate);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...left.slice(next)];
}

function isBefore(rank: number | undefined, limit: number | undefined): boolean {
  return rank !== undefined && limit !== undefined && rank < limit;
}

/** Splits directives from the items of a keyed patch list and applies them to the live list. */
export function applyListDirectives(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): { original: readonly JsonValue[]; patch: readonly JsonObject[] } {
  const items: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let isReplaced = false;
  for (const item of patch) {
    if (!isJsonObject(item)) throw expectedMap(item);
    const directive = Object.hasOwn(item, '$patch') ? item['$patch'] : undefined;
    if (directive === undefined) items.push(item);
    else if (directive === 'delete') deleted.add(identityOf(item, mergeKey));
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'merge') throw patchFailure('merging lists cannot yet be specified in the patch');
    else throw patchFailure(`unknown patch type: ${formatAsText(directive)} in map: ${formatGoValue(item)}`);
  }
  if (isReplaced) return { original: items, patch: [] };
  const isKept = (item: JsonValue): boolean => !isJsonObject(item) || !deleted.has(item[mergeKey] ?? null);
  return { original: deleted.size === 0 ? original : original.filter(isKept), patch: items };
}

/** The order of the live items that kube-apiserver goes by once a patch with an order is merged: it works in the list that it compares with,
 *  so what a patch deletes there makes room for what it adds. */
export function liveOrderAfter(
  live: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  if (mergeKey === '' || !holdsObjects(live, patch)) return live;
  const isDirective = (item: JsonValue): item is JsonObject => isJsonObject(item) && Object.hasOwn(item, '$patch');
  const directives = patch.filter(isDirective);
  if (directives.length === 0) return live;
  const deleted = new Set(directives.filter((item) => item['$patch'] === 'delete').map((item) => item[mergeKey]));
  const kept = live.filter((item) => !deleted.has(lenientIdentity(item, mergeKey)));
  const isReplaced = directives.some((item) => item['$patch'] === 'replace');
  const known = new Set(kept.map((item) => lenientIdentity(item, mergeKey)));
  const added = patch.filter((item) => !isDirective(item) && !known.has(lenientIdentity(item, mergeKey)));
  const filled = isReplaced ? kept : [...kept, ...added].slice(0, live.length);
  return [...filled, ...live.slice(filled.length)];
}

/** Checks that the items of a patch list come in the order of its `$setElementOrder` list. */
export function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const isDirective = (item: JsonValue): boolean => isJsonObject(item) && Object.hasOwn(item, '$patch');
  const items = patch.filter((item) => !isDirective(item));
  let next = 0;
  for (const entry of order) {
    const item = items[next];
    if (item === undefined) return;
    if (identityOf(item, mergeKey) === identityOf(entry, mergeKey)) next += 1;
  }
  if (next < items.length) {
    const [patchText, orderText] = [formatGoValue([...patch]), formatGoValue([...order])];
    throw patchFailure(`The order in patch list:\n${patchText}\n doesn't match $setElementOrder list:\n${orderText}\n`);
  }
}
