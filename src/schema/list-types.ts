import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { FieldError } from './field-error.ts';
import { duplicateField, invalidField, UntypedValue } from './field-errors.ts';
import type { Schema } from './schema.ts';

/** Finds duplicates in a value. `path` names the value. */
export type ListTypeCheck = (value: JsonValue, path: string) => FieldError[];

/** The keys that an item of a list of type map has. */
function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] ?? null]));
}

function canonical(value: JsonValue): string {
  const sort = (_key: string, part: unknown): unknown =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part;
  return JSON.stringify(value, sort);
}

/** The second place of each duplicate value; only that is reported. */
function duplicates(shown: readonly JsonValue[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  return shown.flatMap((value, index) => {
    const key = canonical(value);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times === 2 ? [duplicateField(`${path}[${index}]`, new UntypedValue(value))] : [];
  });
}

function mapErrors(list: readonly JsonValue[], keys: readonly string[], path: string): FieldError[] {
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) {
    const rule = 'must be an object for an array of list-type map';
    return [invalidField(`${path}[${odd}]`, new UntypedValue(list[odd]), rule)];
  }
  return duplicates(
    list.map((item) => keysOf(item, keys)),
    path,
  );
}

function ownCheck(schema: Schema): ListTypeCheck | undefined {
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (type === 'set') return (value, path) => duplicates(value as JsonValue[], path);
  return type === 'map' ? (value, path) => mapErrors(value as JsonValue[], keys, path) : undefined;
}

function listCheck(schema: Schema): ListTypeCheck | undefined {
  const own = ownCheck(schema);
  const item = schema.items === undefined ? undefined : compileListTypes(schema.items);
  if (own === undefined && item === undefined) return undefined;
  return (value, path) => {
    if (!Array.isArray(value)) return [];
    const errors = own?.(value, path) ?? [];
    return item === undefined
      ? errors
      : [...errors, ...value.flatMap((part, index) => item(part, `${path}[${index}]`))];
  };
}

function objectCheck({ properties = {}, additionalProperties }: Schema): ListTypeCheck | undefined {
  const members = new Map<string, ListTypeCheck>();
  for (const [name, property] of Object.entries(properties)) {
    const check = compileListTypes(property);
    if (check !== undefined) members.set(name, check);
  }
  const additional = typeof additionalProperties === 'object' ? compileListTypes(additionalProperties) : undefined;
  if (members.size === 0 && additional === undefined) return undefined;
  return (value, path) => {
    if (!isJsonObject(value)) return [];
    return Object.entries(value).flatMap(([key, member]) => {
      if (member === undefined) return [];
      const errors = additional?.(member, `${path}[${key}]`) ?? [];
      return [...errors, ...(members.get(key)?.(member, path === '' ? key : `${path}.${key}`) ?? [])];
    });
  };
}

/** The check for duplicates in lists of type set and map anywhere in a value; undefined when the schema has no such lists. */
export function compileListTypes(schema: Schema): ListTypeCheck | undefined {
  const [ofList, ofObject] = [listCheck(schema), objectCheck(schema)];
  if (ofList === undefined || ofObject === undefined) return ofList ?? ofObject;
  return (value, path) => [...ofList(value, path), ...ofObject(value, path)];
}
