import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from './schema.ts';

/** Sets the schema's defaults in `value`, which it changes. An explicit null counts as absent where the schema is not nullable: it becomes the
 *  default or goes. Defaults below an absent object apply only when that object has a default itself. */
export function applyDefaults(value: JsonValue, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) applyDefaults(item, schema.items);
  } else if (isJsonObject(value)) {
    defaultMembers(value, schema);
  }
}

function defaultMembers(object: JsonObject, schema: Schema): void {
  const properties = schema.properties ?? {};
  for (const [name, property] of Object.entries(properties)) defaultMember(object, name, property);
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== 'object') return;
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(properties, name)) defaultMember(object, name, additionalProperties);
  }
}

function defaultMember(object: JsonObject, name: string, schema: Schema): void {
  const isNull = Object.hasOwn(object, name) && object[name] === null && schema.nullable !== true;
  if (isNull) delete object[name];
  const isAbsent = !Object.hasOwn(object, name) || object[name] === undefined;
  if (isAbsent && schema.default !== undefined) object[name] = structuredClone(schema.default);
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value !== undefined && value !== null) applyDefaults(value, schema);
}
