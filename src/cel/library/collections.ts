import { compareValues, equalValues } from '../values/compare.ts';
import {
  ArrayList,
  Duration,
  EntryMap,
  Failure,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import { addValues } from './arithmetic.ts';
import type { Implementations } from './declare.ts';

function onList(compute: (list: ListValue, args: readonly Value[]) => Value) {
  return ([list = null, ...args]: readonly Value[]): Value =>
    list instanceof ListValue ? compute(list, args) : noSuchOverload(list);
}

function isSorted(list: ListValue): Value {
  for (let index = 1; index < list.size; index += 1) {
    if (compareValues(list.at(index - 1), list.at(index)) === 1n) return false;
  }
  return true;
}

function sumFrom(zero: Value) {
  return onList((list) => {
    let total = zero;
    for (const item of list) {
      total = addValues(total, item);
      if (total instanceof Failure) return total;
    }
    return total;
  });
}

/** The first item that none precedes; `better` is how the best so far compares with a better one. */
function extreme(name: string, better: bigint) {
  return onList((list) => {
    let best: Value | undefined;
    for (const item of list) {
      if (item instanceof Failure) return item;
      if (best === undefined || compareValues(best, item) === better) best = item;
    }
    return best ?? new Failure(`${name} called on empty list`);
  });
}

function indexOf(list: ListValue, [item = null]: readonly Value[]): Value {
  for (let index = 0; index < list.size; index += 1) {
    if (equalValues(list.at(index), item) === true) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf(list: ListValue, [item = null]: readonly Value[]): Value {
  for (let index = list.size - 1; index >= 0; index -= 1) {
    if (equalValues(list.at(index), item) === true) return BigInt(index);
  }
  return -1n;
}

function isWithin(item: Value, list: ListValue): boolean {
  return [...list].some((other) => equalValues(other, item) === true);
}

function onLists(compute: (a: ListValue, b: ListValue) => boolean) {
  return ([a = null, b = null]: readonly Value[]): Value =>
    a instanceof ListValue && b instanceof ListValue ? compute(a, b) : noSuchOverload(a);
}

function containsAll(list: ListValue, items: ListValue): boolean {
  return [...items].every((item) => isWithin(item, list));
}

const zeros: ReadonlySet<Value> = new Set<Value>([null, false, '', 0n, 0]);

/** Whether a value is one that `optional.ofNonZeroValue` takes for none. */
function isZero(value: Value): boolean {
  if (zeros.has(value)) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return value instanceof Timestamp && value.nanos === -62_135_596_800_000_000_000n;
}

function unwrap(list: ListValue): Value {
  const items = [...list];
  const bad = items.find((item) => !(item instanceof Optional));
  if (bad !== undefined) return new Failure('value is not optional');
  return new ArrayList(
    items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );
}

/** The value inside an optional, or the error that there is none. */
function dereference(optional: Value): Value {
  if (!(optional instanceof Optional)) return noSuchOverload(optional);
  return optional.value ?? new Failure('optional.none() dereference');
}

function insert([map = null, key = null, value]: readonly Value[]): Value {
  if (!(map instanceof EntryMap)) return noSuchOverload(map);
  if (value !== undefined) return map.insert(key, value);
  if (!(key instanceof MapValue)) return noSuchOverload(key);
  let result: Value = map;
  for (const name of key.keys()) {
    result = result instanceof EntryMap ? result.insert(name, key.find(name) ?? null) : result;
  }
  return result;
}

/** Functions on lists, maps and optionals. */
export const collectionFunctions: Implementations = {
  isSorted: onList(isSorted),
  list_int_sum_int: sumFrom(0n),
  list_uint_sum_uint: sumFrom(new Uint(0n)),
  list_double_sum_double: sumFrom(0),
  list_duration_sum_duration: sumFrom(new Duration(0n)),
  min: extreme('min', 1n),
  max: extreme('max', -1n),
  list_a_index_of_int: onList(indexOf),
  list_a_last_index_of_int: onList(lastIndexOf),
  'sets.contains': onLists(containsAll),
  'sets.equivalent': onLists((a, b) => containsAll(a, b) && containsAll(b, a)),
  'sets.intersects': onLists((a, b) => [...b].some((item) => isWithin(item, a))),
  'optional.of': ([value = null]) => new Optional(value),
  'optional.none': () => new Optional(undefined),
  'optional.ofNonZeroValue': ([value = null]) => new Optional(isZero(value) ? undefined : value),
  value: ([optional = null]) => dereference(optional),
  hasValue: ([optional = null]) =>
    optional instanceof Optional ? optional.value !== undefined : noSuchOverload(optional),
  first: onList((list) => new Optional(list.size === 0 ? undefined : list.at(0))),
  last: onList((list) => new Optional(list.size === 0 ? undefined : list.at(list.size - 1))),
  'optional.unwrap': onList(unwrap),
  unwrapOpt: onList(unwrap),
  'cel.@mapInsert': insert,
};
