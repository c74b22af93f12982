import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../schema/schema.ts';
import source from './generated/zero-values.json' with { type: 'json' };

const zeroValues = new Map<string, JsonObject>(Object.entries(source.values as Record<string, JsonObject>));

function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const properties = schema.properties;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function zerosOf({ definition }: Schema): JsonObject {
  return zeroValues.get(definition ?? '') ?? {};
}

/** Go leaves out lists and maps that are empty, unless the field is always written; structs behind pointers stay. */
function isLeftOut(value: JsonValue, schema: Schema | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0 && schema?.type === 'array';
  const isMap = typeof schema?.additionalProperties === 'object' && schema.properties === undefined;
  return isMap && isJsonObject(value) && Object.keys(value).length === 0;
}

function encodeMembers(value: JsonObject, schema: Schema): JsonObject {
  const zeros = zerosOf(schema);
  const encoded: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue;
    const inner = fieldSchema(schema, name);
    if (Object.hasOwn(zeros, name) || !isLeftOut(member, inner)) encoded[name] = encode(member, inner);
  }
  for (const [name, zero] of Object.entries(zeros)) {
    if (zero !== undefined && !Object.hasOwn(encoded, name)) encoded[name] = copyZero(zero);
  }
  return encoded;
}

function encodeObject(value: JsonObject, schema: Schema): JsonObject {
  const encoded = encodeMembers(value, schema);
  const names = Object.keys(encoded);
  const isSame = names.length === Object.keys(value).length && names.every((name) => encoded[name] === value[name]);
  return isSame ? value : encoded;
}

/** JSON of any shape: schemas' defaults, raw extensions. */
function isFree({ properties, additionalProperties, items }: Schema): boolean {
  return properties === undefined && additionalProperties === undefined && items === undefined;
}

function encode(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined || value === null || typeof value !== 'object' || isFree(schema)) return value;
  if (!Array.isArray(value)) return encodeObject(value, schema);
  const encoded = value.map((item) => encode(item, schema.items));
  return encoded.every((item, index) => item === value[index]) ? value : encoded;
}

function copyZero(zero: JsonValue): JsonValue {
  return typeof zero === 'object' && zero !== null ? structuredClone(zero) : zero;
}

/** A built-in object as kube-apiserver writes it: with what its Go types always write, such as `strategy: {}` or `resources: {}`,
 *  without nulls but those, and without the empty lists and maps that they leave out. Gives the object itself when nothing changes.
 *  Objects whose schema is not built in are given back as they are.
 *  @see apiserver/apply/generated/zero-values.json, taken from the Go types */
export function encodeBuiltIn<T extends JsonObject>(object: T, schema: Schema | undefined): T {
  return schema?.definition === undefined ? object : (encode(object, schema) as T);
}

/** With what the Go types always write, their nulls for absent lists included: the form in which objects are compared. */
export function withZeroNulls(object: JsonObject, schema: Schema | undefined): JsonObject {
  if (schema === undefined) return object;
  const filled: JsonObject = { ...zeroValues.get(schema.definition ?? ''), ...object };
  for (const [name, member] of Object.entries(filled)) {
    const inner = fieldSchema(schema, name);
    if (isJsonObject(member)) filled[name] = withZeroNulls(member, inner);
    else if (Array.isArray(member)) filled[name] = member.map((item) => zeroItem(item, inner?.items));
  }
  return filled;
}

function zeroItem(item: JsonValue, schema: Schema | undefined): JsonValue {
  return isJsonObject(item) ? withZeroNulls(item, schema) : item;
}
