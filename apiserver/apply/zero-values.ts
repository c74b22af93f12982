import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { leftOutZeros } from '../protobuf/index.ts';
import { canonicalQuantity, holdsTexts, isTextMap, milliQuantity } from '../schema/index.ts';
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

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

/** What Go would not write: absent values, zeros of fields that are no pointers, and empty lists that it writes as null. */
function isUnwritten(name: string, member: JsonValue | undefined, schema: Schema): boolean {
  if (member === undefined || member === null) return true;
  if (Array.isArray(member)) return member.length === 0 && zerosOf(schema)[name] === null;
  return isZero(member) && leftOutZeros(schema.definition ?? '').has(name);
}

function encodeMembers(value: JsonObject, schema: Schema, isWhole: boolean): JsonObject {
  const encoded: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (isUnwritten(name, member, schema)) continue;
    const inner = fieldSchema(schema, name);
    if (isWhole && name === 'metadata') encoded[name] = encodeOwnMeta(member ?? null, inner);
    else if (!isLeftOut(member ?? null, inner)) encoded[name] = encode(member ?? null, inner);
  }
  addZeros(encoded, zerosOf(schema));
  return encoded;
}

function addZeros(encoded: JsonObject, zeros: JsonObject): void {
  for (const [name, zero] of Object.entries(zeros)) {
    if (zero !== undefined && !Object.hasOwn(encoded, name)) encoded[name] = copyZero(zero);
  }
}

/** The time of creation is null in templates; the object's own comes when it is stored. */
function encodeOwnMeta(metadata: JsonValue, schema: Schema | undefined): JsonValue {
  const encoded = encode(metadata, schema);
  if (!isJsonObject(encoded) || encoded['creationTimestamp'] !== null) return encoded;
  const { creationTimestamp: _none, ...rest } = encoded;
  return isJsonObject(metadata) && isSameObject(rest, metadata) ? metadata : rest;
}

function isSameObject(encoded: JsonObject, value: JsonObject): boolean {
  const names = Object.keys(encoded);
  return names.length === Object.keys(value).length && names.every((name) => encoded[name] === value[name]);
}

function encodeObject(value: JsonObject, schema: Schema, isWhole = false): JsonObject {
  const encoded = encodeMembers(value, schema, isWhole);
  return isSameObject(encoded, value) ? value : encoded;
}

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

function encodeScalar(value: string | number | bigint | boolean, schema: Schema): JsonValue {
  return schema.definition === quantity ? canonicalQuantity(String(value)) : value;
}

/** JSON of any shape: schemas' defaults, raw extensions. */
function isFree({ properties, additionalProperties, items }: Schema): boolean {
  return properties === undefined && additionalProperties === undefined && items === undefined;
}

/** A map of amounts, such as limits: counted no finer than in thousandths. */
function encodeAmounts(value: JsonObject): JsonObject {
  const encoded = Object.fromEntries(
    Object.entries(value).map(([name, amount]) => [
      name,
      typeof amount === 'string' || typeof amount === 'number' ? milliQuantity(String(amount)) : (amount ?? null),
    ]),
  );
  return isSameObject(encoded, value) ? value : encoded;
}

function isAmounts({ additionalProperties }: Schema): boolean {
  return typeof additionalProperties === 'object' && additionalProperties.definition === quantity;
}

function encode(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined || value === null) return value;
  if (typeof value !== 'object') return encodeScalar(value, schema);
  if (isFree(schema) || isTextMap(value, schema)) return value;
  if (!Array.isArray(value)) return isAmounts(schema) ? encodeAmounts(value) : encodeObject(value, schema);
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
  return schema?.definition === undefined ? object : (encodeObject(object, schema, true) as T);
}

/** With what the Go types always write, their nulls for absent lists included: the form in which objects are compared. */
export function withZeroNulls(object: JsonObject, schema: Schema | undefined): JsonObject {
  if (schema === undefined || holdsTexts(schema)) return object;
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
