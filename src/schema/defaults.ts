import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { Schema } from './schema.ts';

/** Characters of JSON that defaults add to one value: an object of that size is refused. Short items, each with many defaults, multiply to far more. */
export const maxDefaultedCharacters: number = 3 * 1024 * 1024;

/** Sets defaults in a value, which it changes, as long as they have at most `maxDefaultedCharacters` together.
 *  @returns the characters that they have; more than `maxDefaultedCharacters` where not all are set */
export type Defaulter = (value: JsonValue) => number;

/** What may still be added. */
interface Budget {
  characters: number;
}

type PartDefaulter = (value: JsonValue, budget: Budget) => void;

/** What is done about one member of an object or an item of a list. */
interface Part {
  readonly isNullable: boolean;
  readonly default: JsonValue | undefined;
  /** Characters of the default. */
  readonly size: number;
  readonly inner: PartDefaulter | undefined;
}

const noPart: Part = { isNullable: true, default: undefined, size: 0, inner: undefined };

function partOf(schema: Schema | boolean | undefined): Part {
  if (typeof schema !== 'object') return noPart;
  const value = schema.default ?? undefined;
  const size = value === undefined ? 0 : JSON.stringify(value).length;
  return { isNullable: schema.nullable === true, default: value, size, inner: compilePart(schema) };
}

/** Undefined when the budget is spent. */
function freshDefault({ default: value, size }: Part, name: string, budget: Budget): JsonValue | undefined {
  budget.characters -= size + name.length;
  if (budget.characters < 0) return undefined;
  return typeof value === 'object' ? structuredClone(value) : (value ?? null);
}

function settleMember(object: JsonObject, key: string, { part, budget }: { part: Part; budget: Budget }): void {
  let value = object[key];
  if (value === null && !part.isNullable) {
    value = part.default === undefined ? undefined : freshDefault(part, key, budget);
    if (value === undefined) {
      delete object[key];
      return;
    }
    object[key] = value;
  }
  if (typeof value === 'object' && value !== null) part.inner?.(value, budget);
}

function setAbsent(object: JsonObject, name: string, { part, budget }: { part: Part; budget: Budget }): void {
  if (Object.hasOwn(object, name) && object[name] !== undefined) return;
  const value = freshDefault(part, name, budget);
  if (value !== undefined) object[name] = value;
}

function objectDefaulter(schema: Schema): PartDefaulter {
  const parts = new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, partOf(property)]));
  const additional = partOf(schema.additionalProperties);
  const defaulted = [...parts].filter(([, part]) => part.default !== undefined);
  return (value, budget) => {
    const object = value as JsonObject;
    for (const [name, part] of defaulted) {
      if (budget.characters < 0) return;
      setAbsent(object, name, { part, budget });
    }
    for (const key of Object.keys(object)) settleMember(object, key, { part: parts.get(key) ?? additional, budget });
  };
}

function listDefaulter(schema: Schema): PartDefaulter {
  const part = partOf(schema.items);
  return (value, budget) => {
    const list = value as JsonValue[];
    for (const [index, item] of list.entries()) {
      if (item === null && !part.isNullable) list[index] = freshDefault(part, '', budget) ?? null;
      const now = list[index];
      if (typeof now === 'object' && now !== null) part.inner?.(now, budget);
    }
  };
}

function compilePart(schema: Schema): PartDefaulter {
  let ofObject: PartDefaulter | undefined;
  let ofList: PartDefaulter | undefined;
  return (value, budget) => {
    if (Array.isArray(value)) {
      if (schema.items !== undefined) (ofList ??= listDefaulter(schema))(value, budget);
    } else if (isJsonObject(value)) {
      (ofObject ??= objectDefaulter(schema))(value, budget);
    }
  };
}

/** Makes a schema ready to set its defaults. An explicit null counts as absent where the schema is not nullable: it becomes the default or goes.
 *  Defaults below an absent object apply only when that object has a default itself. */
export function compileDefaults(schema: Schema): Defaulter {
  const setDefaults = compilePart(schema);
  return (value) => {
    const budget = { characters: maxDefaultedCharacters };
    setDefaults(value, budget);
    return maxDefaultedCharacters - budget.characters;
  };
}
