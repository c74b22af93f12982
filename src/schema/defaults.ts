import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { Schema } from './schema.ts';

/** Sets defaults in a value, which it changes. */
export type Defaulter = (value: JsonValue) => void;

/** What is done about one member of an object or an item of a list. */
interface Part {
  readonly isNullable: boolean;
  readonly default: JsonValue | undefined;
  readonly inner: Defaulter | undefined;
}

const noPart: Part = { isNullable: true, default: undefined, inner: undefined };

function partOf(schema: Schema | boolean | undefined): Part {
  if (typeof schema !== 'object') return noPart;
  const value = schema.default ?? undefined;
  return { isNullable: schema.nullable === true, default: value, inner: compileDefaults(schema) };
}

function freshDefault({ default: value }: Part): JsonValue {
  return typeof value === 'object' ? structuredClone(value) : (value ?? null);
}

function settleMember(object: JsonObject, key: string, part: Part): void {
  let value = object[key];
  if (value === null && !part.isNullable) {
    if (part.default === undefined) {
      delete object[key];
      return;
    }
    value = freshDefault(part);
    object[key] = value;
  }
  if (typeof value === 'object' && value !== null) part.inner?.(value);
}

function objectDefaulter(schema: Schema): Defaulter {
  const parts = new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, partOf(property)]));
  const additional = partOf(schema.additionalProperties);
  const defaulted = [...parts].filter(([, part]) => part.default !== undefined);
  return (value) => {
    const object = value as JsonObject;
    for (const [name, part] of defaulted) {
      if (!Object.hasOwn(object, name) || object[name] === undefined) object[name] = freshDefault(part);
    }
    for (const key of Object.keys(object)) settleMember(object, key, parts.get(key) ?? additional);
  };
}

function listDefaulter(schema: Schema): Defaulter {
  const part = partOf(schema.items);
  return (value) => {
    const list = value as JsonValue[];
    for (const [index, item] of list.entries()) {
      if (item === null && !part.isNullable) list[index] = freshDefault(part);
      const now = list[index];
      if (typeof now === 'object' && now !== null) part.inner?.(now);
    }
  };
}

/** Makes a schema ready to set its defaults. An explicit null counts as absent where the schema is not nullable: it becomes the default or goes.
 *  Defaults below an absent object apply only when that object has a default itself. */
export function compileDefaults(schema: Schema): Defaulter {
  let ofObject: Defaulter | undefined;
  let ofList: Defaulter | undefined;
  return (value) => {
    if (Array.isArray(value)) {
      if (schema.items !== undefined) (ofList ??= listDefaulter(schema))(value);
    } else if (isJsonObject(value)) {
      (ofObject ??= objectDefaulter(schema))(value);
    }
  };
}
