import type { Expression } from '../language/expression.ts';
import {
  ArrayList,
  EntryMap,
  Failure,
  keyOf,
  ListValue,
  MapValue,
  noSuchOverload,
  type Value,
} from '../values/value.ts';

/** A list that macros add to in place. */
export class GrowingList extends ArrayList {
  readonly #items: Value[];

  constructor() {
    const items: Value[] = [];
    super(items);
    this.#items = items;
  }

  override concat(other: ListValue): Value {
    this.#items.push(...other);
    return this;
  }
}

/** A map that macros add to in place. */
class GrowingMap extends EntryMap {
  readonly #entries: Map<string, readonly [Value, Value]>;

  constructor() {
    const entries = new Map<string, readonly [Value, Value]>();
    super(entries);
    this.#entries = entries;
  }

  override insert(key: Value, value: Value): Value {
    const text = keyOf(key);
    if (text === undefined || this.#entries.has(text)) return super.insert(key, value);
    this.#entries.set(text, [key, value]);
    return this;
  }
}

/** What a macro gathers into, when it begins with an empty list or map. */
export function growing(init: Expression): (() => Value) | undefined {
  if (init.kind === 'list') return () => new GrowingList();
  return init.kind === 'map' ? () => new GrowingMap() : undefined;
}

function* roundsOfList(list: ListValue, isIndexed: boolean): Generator<readonly [Value, Value]> {
  for (let index = 0; index < list.size; index += 1) {
    const item = list.at(index);
    yield isIndexed ? [BigInt(index), item] : [item, null];
  }
}

function* roundsOfMap(map: MapValue, isIndexed: boolean): Generator<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, isIndexed ? (map.find(key) ?? null) : null];
}

/** The values of the variables of a loop over `values`, per iteration; with `isIndexed` keys or indexes with values. */
export function roundsOf(values: Value, isIndexed: boolean): Iterable<readonly [Value, Value]> | Failure {
  if (values instanceof ListValue) return roundsOfList(values, isIndexed);
  return values instanceof MapValue ? roundsOfMap(values, isIndexed) : noSuchOverload(values);
}
