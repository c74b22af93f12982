import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { decodesItself, jsonType, scalarProblem } from './decode.ts';

/** The Go type that decoded JSON has. */
function goTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  if (isJsonObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function goScalar({ type, format }: Schema): string {
  if (type === 'integer') return format ?? 'int64';
  if (type === 'number') return 'float64';
  return type === 'boolean' ? 'bool' : 'string';
}

/** Why Go's converter would not take a number: it turns integers into floats, and nothing else into anything. */
function numberMismatch(value: number, schema: Schema): string | undefined {
  const isWhole = Number.isInteger(value);
  if (schema.type === 'number' || (schema.type === 'integer' && isWhole)) return undefined;
  const [given, expected] = [goTypeOf(value), goScalar(schema)];
  // Go could turn a whole number into a text of one character, and refuses to.
  const isConvertible = schema.type === 'integer' || (schema.type === 'string' && isWhole);
  return isConvertible ? `cannot convert ${given} to ${expected}` : `unrecognized type: ${expected}`;
}

function mismatch(value: JsonValue, schema: Schema): string | undefined {
  if (schema.format === 'date-time') return `json: cannot unmarshal ${jsonType(value)} into Go value of type string`;
  if (typeof value === 'number') return numberMismatch(value, schema);
  const expected = goScalar(schema);
  return goTypeOf(value) === expected ? undefined : `unrecognized type: ${expected}`;
}

function first<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listProblem(value: JsonValue, schema: Schema): string | undefined {
  if (!Array.isArray(value)) return `cannot restore slice from ${goTypeOf(value)}`;
  const { items } = schema;
  return items === undefined ? undefined : first(value, (item) => unstructuredProblem(item, items));
}

function objectProblem(value: JsonValue, schema: Schema): string | undefined {
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(value)) {
    return `cannot restore ${properties === undefined ? 'map from' : 'struct from:'} ${goTypeOf(value)}`;
  }
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return first(Object.entries(value as JsonObject), ([key, member]) => {
    const own = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : values;
    return own === undefined || member === undefined ? undefined : unstructuredProblem(member, own);
  });
}

function ownProblem(value: JsonValue, schema: Schema): string | undefined {
  const problem = scalarProblem(value, schema);
  return problem === undefined || schema.format !== 'byte' ? problem : `error decoding from json: ${problem}`;
}

/** Why Go could not turn decoded JSON into the built-in type of this schema, in the words of its converter; undefined when it can.
 *  Strategic merge patches go this way, all other writes through `decodeProblems`. */
export function unstructuredProblem(value: JsonValue, schema: Schema): string | undefined {
  if (value === null) return undefined;
  if (decodesItself(value, schema)) return ownProblem(value, schema);
  switch (schema.type) {
    case 'array':
      return listProblem(value, schema);
    case 'object':
      return objectProblem(value, schema);
    case undefined:
      return undefined;
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return mismatch(value, schema);
  }
}
