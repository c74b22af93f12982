import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  ArrayList,
  Duration,
  dynamicValue,
  equalItems,
  Failure,
  keyOf,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  parseTime,
  printValue,
  Timestamp,
  type Value,
} from '../../../src/cel/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import { withObjectMeta } from './declared-type.ts';
import { escapeName, unescapeName } from './property-names.ts';
import { parseSchemaDuration } from './schema-durations.ts';

/** Data without a schema: it can be compared, no more. */
class UnknownData extends Opaque {
  readonly typeName = 'unknown';
  readonly json: JsonValue;

  constructor(json: JsonValue) {
    super();
    this.json = json;
  }

  equals(other: Opaque): boolean {
    return other instanceof UnknownData && isJsonEqual(this.json, other.json);
  }
}

type Items = (a: Value, b: Value) => Value;

/** A list whose items are made by their schema when they are asked for. */
class SchemaList extends ListValue {
  readonly #json: readonly JsonValue[];
  readonly #items: Schema;

  constructor(json: readonly JsonValue[], items: Schema) {
    super();
    this.#json = json;
    this.#items = items;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return schemaValue(this.#json[index] ?? null, this.#items);
  }

  concat(other: ListValue): Value {
    return new ArrayList([...this, ...other]);
  }

  equals(other: ListValue, items: Items): Value {
    return equalItems(this, other, items);
  }
}

/** A list whose items have keys: order does not matter, and adding an item replaces that of the same key. */
class KeyedList extends ListValue {
  readonly #items: ListValue;
  readonly #key: (item: Value) => string;

  constructor(items: ListValue, key: (item: Value) => string) {
    super();
    this.#items = items;
    this.#key = key;
  }

  get size(): number {
    return this.#items.size;
  }

  at(index: number): Value {
    return this.#items.at(index);
  }

  #byKey(): Map<string, Value> {
    return new Map([...this.#items].map((item) => [this.#key(item), item]));
  }

  concat(other: ListValue): Value {
    const merged = this.#byKey();
    for (const item of other) merged.set(this.#key(item), item);
    return new KeyedList(new ArrayList([...merged.values()]), this.#key);
  }

  equals(other: ListValue, items: Items): Value {
    if (this.size !== other.size) return false;
    const own = this.#byKey();
    for (const item of other) {
      const found = own.get(this.#key(item));
      if (found === undefined) return false;
      const same = items(found, item);
      if (same !== true) return same;
    }
    return true;
  }
}

function keyByFields(names: readonly string[]): (item: Value) => string {
  return (item) =>
    JSON.stringify(names.map((name) => (item instanceof MapValue ? keyOf(item.find(name) ?? null) : null)));
}

function keyByValue(item: Value): string {
  return keyOf(item) ?? JSON.stringify(printValue(item));
}

/** An object by its schema: properties, or free keys whose values have one schema. */
class SchemaMap extends MapValue {
  readonly #json: JsonObject;
  readonly #schema: Schema;

  constructor(json: JsonObject, schema: Schema) {
    super();
    this.#json = json;
    this.#schema = schema;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  #schemaOf(key: string): Schema | undefined {
    const { properties, additionalProperties } = this.#schema;
    if (properties !== undefined) return Object.hasOwn(properties, key) ? properties[key] : undefined;
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key);
    const isObject = this.#schema.properties !== undefined;
    const name = isObject ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.#json, name)) return undefined;
    const json = this.#json[name] ?? null;
    const schema = this.#schemaOf(name);
    if (schema === undefined || (isObject && json === null)) return undefined;
    return schemaValue(json, schema);
  }

  *keys(): Generator<Value> {
    const isObject = this.#schema.properties !== undefined;
    for (const key of Object.keys(this.#json)) {
      if (this.#schemaOf(key) === undefined) continue;
      yield isObject ? (escapeName(key) ?? key) : key;
    }
  }

  equals(other: MapValue, values: Items): Value {
    if (this.size !== other.size) return false;
    for (const [key, json] of Object.entries(this.#json)) {
      const same = this.#isSame(key, json ?? null, { other, values });
      if (same !== true) return same;
    }
    return true;
  }

  #isSame(key: string, json: JsonValue, { other, values }: { other: MapValue; values: Items }): Value {
    const schema = this.#schemaOf(key);
    if (schema !== undefined) {
      const found = other.find(key);
      return found === undefined ? false : values(schemaValue(json, schema), found);
    }
    if (!(other instanceof SchemaMap)) return noSuchOverload();
    return !Object.hasOwn(other.#json, key) || isJsonEqual(json, other.#json[key] ?? null);
  }
}

function listValue(json: JsonValue, schema: Schema): Value {
  const { items } = schema;
  if (!Array.isArray(json))
    return new Failure('invalid data, expected an array for the provided schema with type=array');
  if (items === undefined) return new Failure('invalid array type, expected Items with a non-empty Schema');
  const list = new SchemaList(json, items);
  if (schema['x-kubernetes-list-type'] === 'set') return new KeyedList(list, keyByValue);
  if (schema['x-kubernetes-list-type'] !== 'map') return list;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((name) => escapeName(name) ?? name);
  return new KeyedList(list, keyByFields(keys));
}

function mapValue(json: JsonValue, schema: Schema): Value {
  if (!isJsonObject(json)) return new Failure('invalid data, expected a map for the provided schema with type=object');
  return new SchemaMap(json, schema['x-kubernetes-embedded-resource'] === true ? withObjectMeta(schema) : schema);
}

function goTypeOf(json: JsonValue): string {
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'string') return 'string';
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
}

function wrong(expected: string, json: JsonValue): Failure {
  return new Failure(`invalid data, expected ${expected}, got ${goTypeOf(json)}`);
}

function fullDay(text: string): Timestamp | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
}

function timeValue(text: string, format: string): Value {
  const time = format === 'date' ? fullDay(text) : parseTime(lenientTime(text));
  return time ?? new Failure(`Invalid ${format} formatted string ${text}`);
}

/** Times are read with a blank or small letters too, and without a zone. */
function lenientTime(text: string): string {
  const upper = text.toUpperCase().replace(' ', 'T');
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(upper) ? upper.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : `${upper}Z`;
}

function textValue(json: JsonValue, { format = '' }: Schema): Value {
  if (typeof json !== 'string') return wrong('string', json);
  if (format === 'date' || format === 'date-time') return timeValue(json, format);
  if (format === 'byte') return new Uint8Array(Buffer.from(json, 'base64'));
  if (format !== 'duration') return json;
  const nanos = parseSchemaDuration(json);
  return nanos === undefined ? new Failure(`Invalid duration ${json}`) : new Duration(nanos);
}

function numberValue(json: JsonValue): Value {
  return typeof json === 'number' ? json : wrong('float', json);
}

function integerValue(json: JsonValue): Value {
  return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : wrong('int', json);
}

function eitherValue(json: JsonValue): Value {
  if (typeof json === 'string' || (typeof json === 'number' && Number.isInteger(json))) return dynamicValue(json);
  return new Failure('invalid data, expected XIntOrString value to be either a string or integer');
}

const readers: Readonly<Record<string, (json: JsonValue, schema: Schema) => Value>> = {
  object: mapValue,
  array: listValue,
  string: textValue,
  number: numberValue,
  integer: integerValue,
  boolean: (json) => (typeof json === 'boolean' ? json : wrong('bool', json)),
};

/** Data of a custom resource as expressions see it, by its schema. */
export function schemaValue(json: JsonValue, schema: Schema): Value {
  if (json === null) {
    return schema.nullable === true ? null : new Failure('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) return eitherValue(json);
  const reader = schema.type === undefined ? undefined : readers[schema.type];
  return reader?.(json, schema) ?? new UnknownData(json);
}
