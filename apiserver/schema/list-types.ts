import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../http/status-error.ts';
import { duplicateField, UntypedValue } from './field-errors.ts';
import type { Schema } from './schema.ts';

/** The keys of an item of a list of type map, in one text; an absent key is null unless it has a default. */
export function itemKey(item: JsonValue, schema: Schema): string {
  return JSON.stringify(keysOf(item, schema));
}

function keysOf(item: JsonValue, schema: Schema): JsonObject {
  const fields = isJsonObject(item) ? item : {};
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const value = (key: string): JsonValue =>
    (Object.hasOwn(fields, key) ? fields[key] : undefined) ?? schema.items?.properties?.[key]?.default ?? null;
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}

function canonical(value: JsonValue): string {
  const sort = (_key: string, part: unknown): unknown =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part;
  return JSON.stringify(value, sort);
}

function duplicates(list: readonly JsonValue[], schema: Schema, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const shown = (item: JsonValue): JsonValue => (type === 'set' ? item : keysOf(item, schema));
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const key = canonical(shown(item));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [duplicateField(`${path}[${index}]`, new UntypedValue(shown(item)))];
  });
}

/** Duplicates in lists of type set and map, anywhere in the value. */
export function listTypeErrors(value: JsonValue, schema: Schema, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const below =
      items === undefined ? [] : value.flatMap((item, index) => listTypeErrors(item, items, `${path}[${index}]`));
    return [...duplicates(value, schema, path), ...below];
  }
  if (!isJsonObject(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return Object.entries(value).flatMap(([key, member]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : values;
    const memberPath = path === '' ? key : `${path}.${key}`;
    return member === undefined || own === undefined ? [] : listTypeErrors(member, own, memberPath);
  });
}
