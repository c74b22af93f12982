import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { isTextMap } from './text-map.ts';

const quantityProblem = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const quantityPattern = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$/;
const base64Alphabet = /^[A-Za-z0-9+/=\r\n]*$/;
const timePattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d([.,]\d+)?([Zz]|[-+]\d\d:\d\d)$/;

/** Where a value stands: `struct` is the Go type that holds it, `path` the field names down to it, without indexes. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

function lastPart(name: string | undefined): string {
  return name === undefined ? '' : name.slice(name.lastIndexOf('.') + 1);
}

/** `io.k8s.api.core.v1.Container` → `v1.Container`. */
function goPackageType(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}

function goType(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int32';
  if (schema.format === 'date-time') return 'string';
  if (schema.definition !== undefined) return goPackageType(schema.definition);
  if (schema.type === 'array') return `[]${goType(schema.items ?? {})}`;
  if (schema.type === 'object') {
    return `map[string]${typeof schema.additionalProperties === 'object' ? goType(schema.additionalProperties) : 'string'}`;
  }
  return goScalar(schema);
}

function goScalar({ type, format }: Schema): string {
  if (type === 'string') return format === 'byte' ? '[]uint8' : 'string';
  if (type === 'boolean') return 'bool';
  if (type === 'number') return 'float64';
  return format ?? 'int64';
}

/** What Go's decoder calls the type of a JSON value. */
export function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

function mismatch(value: JsonValue, schema: Schema, place: Place): string {
  const isNumberForInteger = typeof value === 'number' && (schema.type === 'integer' || isIntOrString(schema));
  const found = isNumberForInteger ? `number ${value}` : jsonType(value);
  const type = place.struct === 'Preconditions' && place.path.endsWith('.uid') ? 'types.UID' : goType(schema);
  return `json: cannot unmarshal ${found} into Go struct field ${place.struct}.${place.path} of type ${type}`;
}

function isIntOrString(schema: Schema): boolean {
  return schema['x-kubernetes-int-or-string'] === true;
}

function isInteger(value: number, format: string | undefined): boolean {
  return Number.isInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31));
}

function timeProblem(text: string): string | undefined {
  if (timePattern.test(text)) return undefined;
  const layout = '2006-01-02T15:04:05Z07:00';
  return `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(text)} as "2006"`;
}

function textProblem(text: string, schema: Schema): string | undefined {
  if (schema.format === 'byte') return base64Problem(text);
  return schema.format === 'date-time' && text !== '' ? timeProblem(text) : undefined;
}

function base64Problem(text: string): string | undefined {
  if (base64Alphabet.test(text)) {
    const bare = text.replaceAll(/[\r\n]/g, '');
    const isWhole = bare.length % 4 === 0 && /^[^=]*={0,2}$/.test(bare);
    return isWhole ? undefined : `illegal base64 data at input byte ${base64ErrorIndex(bare)}`;
  }
  const position = Array.from(text).findIndex((character) => !base64Alphabet.test(character));
  return `illegal base64 data at input byte ${position}`;
}

function base64ErrorIndex(bare: string): number {
  const padding = bare.indexOf('=');
  return padding === -1 ? bare.length - (bare.length % 4) : padding;
}

function isTypeOf(value: JsonValue, schema: Schema): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return typeof value === 'number' && isInteger(value, schema.format);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}

function specialProblem(value: JsonValue, schema: Schema, place: Place): string | undefined {
  if (isIntOrString(schema)) {
    const isFine = typeof value === 'string' || (typeof value === 'number' && isInteger(value, 'int32'));
    return isFine ? undefined : mismatch(value, schema, place);
  }
  const isQuantity = typeof value === 'number' || (typeof value === 'string' && quantityPattern.test(value));
  return isQuantity ? undefined : quantityProblem;
}

function nodeProblem(value: JsonValue, schema: Schema, place: Place): string | undefined {
  if (value === null) return undefined;
  if (isIntOrString(schema) || lastPart(schema.definition) === 'Quantity') return specialProblem(value, schema, place);
  if (lastPart(schema.definition) === 'RawExtension') return undefined;
  if (!isTypeOf(value, schema)) return mismatch(value, schema, place);
  if (typeof value === 'string') return textProblem(value, schema);
  if (Array.isArray(value)) return itemsProblem(value, schema, place);
  return isJsonObject(value) ? membersProblem(value, schema, place) : undefined;
}

function itemsProblem(list: readonly JsonValue[], schema: Schema, place: Place): string | undefined {
  const { items } = schema;
  if (items === undefined) return undefined;
  return firstProblem(list, (item) => nodeProblem(item, items, place));
}

function membersProblem(object: JsonObject, schema: Schema, place: Place): string | undefined {
  const { properties, additionalProperties, definition } = schema;
  const isPlain = typeof additionalProperties === 'object' && additionalProperties.format === undefined;
  if (isPlain && isTextMap(object, schema)) return undefined;
  const struct = definition === undefined ? place.struct : lastPart(definition);
  return firstProblem(Object.entries(object), ([key, value]) => {
    if (value === undefined) return undefined;
    if (properties !== undefined && Object.hasOwn(properties, key)) {
      const path = place.path === '' ? key : `${place.path}.${key}`;
      return nodeProblem(value, properties[key] ?? {}, { struct, path });
    }
    return typeof additionalProperties === 'object' ? nodeProblem(value, additionalProperties, place) : undefined;
  });
}

function firstProblem<T>(list: readonly T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether the value is for a type that decodes itself: quantities, times, bytes, integers or texts. */
export function decodesItself(value: JsonValue, schema: Schema): boolean {
  if (isIntOrString(schema) || lastPart(schema.definition) === 'Quantity') return true;
  return schema.type === 'string' && schema.format !== undefined && typeof value === 'string';
}

/** The problem of a value of such a type, without a path. */
export function scalarProblem(value: JsonValue, schema: Schema): string | undefined {
  if (isIntOrString(schema)) {
    const isFine = typeof value === 'string' || (typeof value === 'number' && isInteger(value, 'int32'));
    return isFine ? undefined : `json: cannot unmarshal ${jsonType(value)} into Go value of type int32`;
  }
  if (lastPart(schema.definition) === 'Quantity') return specialProblem(value, schema, { struct: '', path: '' });
  return typeof value === 'string' ? textProblem(value, schema) : undefined;
}

/** An object that cannot be read: the message has the reason, without naming the object. */
export class UnreadableObject extends Error {}

/** Why Go could not read `value` as the built-in kind: nothing, or the first problem, in the words of Go's decoder
 *  (`json: cannot unmarshal number into Go struct field ConfigMap.data of type string`). */
export function decodeProblems(value: JsonValue, schema: Schema, kind: string): string[] {
  const problem = nodeProblem(value, schema, { struct: kind, path: '' });
  return problem === undefined ? [] : [problem];
}

/** What Go makes of null in a list: the zero of the item's type. */
function zeroOf(schema: Schema | undefined): JsonValue {
  switch (schema?.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'array':
    case undefined:
      return null;
  }
}

/** Takes out what JSON null stands for in a built-in kind: an absent field, in a map of texts an empty text. Changes `value`. */
export function dropNulls(value: JsonValue, schema: Schema): void {
  if (isTextMap(value, schema)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === null) value[index] = zeroOf(schema.items);
      else dropNulls(item, schema.items ?? {});
    }
  } else if (isJsonObject(value) && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
    for (const [key, member] of Object.entries(value)) dropMemberNull(value, { key, member, schema });
  }
}

interface Member {
  readonly key: string;
  readonly member: JsonValue | undefined;
  readonly schema: Schema;
}

function dropMemberNull(parent: JsonObject, { key, member, schema }: Member): void {
  const { properties, additionalProperties } = schema;
  const isNamed = properties !== undefined && Object.hasOwn(properties, key);
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const own = isNamed ? properties[key] : values;
  if (own === undefined) return;
  if (member !== null && member !== undefined) dropNulls(member, own);
  else if (isNamed || values?.type !== 'string') delete parent[key];
  else parent[key] = '';
}
