import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { Schema } from './schema.ts';

function isScalar(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
  );
}

function keyOf(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key] : undefined));
  return values.every(isScalar) ? JSON.stringify(values) : undefined;
}

/** Finds the item that a new item of a list of type map was before; undefined where items have no identity. */
export function correlatedItems(
  old: JsonValue | undefined,
  schema: Schema,
): ((item: JsonValue) => JsonValue | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return undefined;
  let byKey: Map<string, JsonValue> | undefined;
  return (item) => {
    byKey ??= index(old, keys);
    const key = keyOf(item, keys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function index(items: readonly JsonValue[], keys: readonly string[]): Map<string, JsonValue> {
  const byKey = new Map<string, JsonValue>();
  for (const item of items) {
    const key = keyOf(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** Whether a value is what it was before, as kube-apiserver compares: the order of a list of type map does not count, and an object with fields
 *  that its schema does not know always counts as changed. */
export function isUnchanged(value: JsonValue, old: JsonValue, schema: Schema): boolean {
  if (Array.isArray(value)) return Array.isArray(old) && isListUnchanged(value, old, schema);
  if (!isJsonObject(value)) return isJsonEqual(value, old);
  return isJsonObject(old) && isObjectUnchanged(value, old, schema);
}

function isListUnchanged(list: readonly JsonValue[], old: readonly JsonValue[], schema: Schema): boolean {
  if (list.length !== old.length) return false;
  const { items } = schema;
  const find = correlatedItems(old as JsonValue[], schema);
  if (find === undefined || items === undefined) return isJsonEqual(list as JsonValue[], old as JsonValue[]);
  return list.every((item) => {
    const before = find(item);
    return before !== undefined && isUnchanged(item, before, items);
  });
}

function isObjectUnchanged(object: JsonObject, old: JsonObject, schema: Schema): boolean {
  const { properties = {}, additionalProperties } = schema;
  const additional = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const keys = Object.keys(object);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const memberSchema = Object.hasOwn(properties, key) ? properties[key] : additional;
      const [value, before] = [object[key], Object.hasOwn(old, key) ? old[key] : undefined];
      if (memberSchema === undefined || value === undefined || before === undefined) return false;
      return isUnchanged(value, before, memberSchema);
    })
  );
}
