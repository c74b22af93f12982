import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';

/** A value beside the value it replaces. */
interface Pair {
  readonly value: JsonValue;
  readonly old: JsonValue;
  readonly schema: Schema;
  /** Items of an old list by their keys, made when asked for. */
  byKey?: ReadonlyMap<string, JsonValue>;
  isSame?: boolean;
}

function keyOf(item: JsonValue, { 'x-kubernetes-list-map-keys': keys = [] }: Schema): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key] : undefined));
  return values.some((value) => value === undefined || typeof value === 'object') ? undefined : JSON.stringify(values);
}

function itemsByKey(list: JsonValue | undefined, schema: Schema): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  for (const item of Array.isArray(list) ? list : []) {
    const key = keyOf(item, schema);
    if (key !== undefined && !found.has(key)) found.set(key, item);
  }
  return found;
}

function oldItems(pair: Pair): ReadonlyMap<string, JsonValue> {
  pair.byKey ??= itemsByKey(pair.old, pair.schema);
  return pair.byKey;
}

/** Finds in an old list the item with the keys of a new one; nothing where the list's schema names no keys. */
export function matchItems(old: JsonValue | undefined, schema: Schema): (item: JsonValue) => JsonValue | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return () => undefined;
  const known = itemsByKey(old, schema);
  return (item) => {
    const key = keyOf(item, schema);
    return key === undefined ? undefined : known.get(key);
  };
}

function itemPair(pair: Pair, value: JsonValue): Pair | undefined {
  const { items } = pair.schema;
  if (pair.schema['x-kubernetes-list-type'] !== 'map' || items === undefined) return undefined;
  const key = keyOf(value, pair.schema);
  const old = key === undefined ? undefined : oldItems(pair).get(key);
  return old === undefined || old === null ? undefined : { value, old, schema: items };
}

function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function memberSchema({ properties = {}, additionalProperties }: Schema, key: string): Schema | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function memberPair(pair: Pair, key: string): Pair | undefined {
  const [value, old] = [memberOf(pair.value, key), memberOf(pair.old, key)];
  const schema = memberSchema(pair.schema, key);
  return schema === undefined || value === undefined || old === undefined ? undefined : { value, old, schema };
}

function isSameList(pair: Pair, value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
  if (value.length !== old.length) return false;
  if (pair.schema['x-kubernetes-list-type'] !== 'map') return isJsonEqual([...value], [...old]);
  return value.every((item) => {
    const below = itemPair(pair, item);
    return below !== undefined && isSame(below);
  });
}

function isSameObject(pair: Pair, value: JsonObject, old: JsonObject): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const below = memberPair(pair, key);
    return below !== undefined && isSame(below);
  });
}

function compare(pair: Pair): boolean {
  const { value, old } = pair;
  if (value === null || old === null) return value === old;
  if (Array.isArray(value)) return Array.isArray(old) && isSameList(pair, value, old);
  if (isJsonObject(value)) return isJsonObject(old) && isSameObject(pair, value, old);
  return value === old;
}

function isSame(pair: Pair): boolean {
  pair.isSame ??= compare(pair);
  return pair.isSame;
}

/** Where in an object one is while its rules are checked, and what stood there before: data that did not change is not held against newer rules. */
export class Correlation {
  readonly #own: Pair | undefined;
  /** The nearest pair above. */
  readonly #parent: Pair | undefined;

  private constructor(own: Pair | undefined, parent: Pair | undefined) {
    this.#own = own;
    this.#parent = parent;
  }

  /** Without `old` nothing corresponds. */
  static root(value: JsonObject, old: JsonObject | undefined, schema: Schema): Correlation {
    return new Correlation(old === undefined ? undefined : { value, old, schema }, undefined);
  }

  member(key: string): Correlation {
    if (this.#own === undefined) return this;
    const isType = this.#parent === undefined && (key === 'apiVersion' || key === 'kind');
    return isType ? new Correlation(undefined, undefined) : new Correlation(memberPair(this.#own, key), this.#own);
  }

  item(index: number): Correlation {
    if (this.#own === undefined) return this;
    const value = Array.isArray(this.#own.value) ? this.#own.value[index] : undefined;
    return new Correlation(value === undefined ? undefined : itemPair(this.#own, value), this.#own);
  }

  /** Whether what stands here, or the nearest thing above that can be compared, is the same as before. */
  isUnchanged(): boolean {
    const pair = this.#own ?? this.#parent;
    return pair !== undefined && isSame(pair);
  }
}
