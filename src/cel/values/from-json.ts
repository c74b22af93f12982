import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { ArrayList, equalEntries, equalItems, ListValue, MapValue, noSuchOverload, type Value } from './value.ts';

/** JSON without a schema, as `dyn`: whole numbers are `int`, others `double`. */
export function dynamicValue(json: JsonValue | undefined): Value {
  if (json === undefined || json === null) return null;
  if (Array.isArray(json)) return new DynamicList(json);
  if (isJsonObject(json)) return new DynamicMap(json);
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  return json;
}

/** A JSON array whose items are converted on demand. */
class DynamicList extends ListValue {
  readonly json: readonly JsonValue[];

  constructor(json: readonly JsonValue[]) {
    super();
    this.json = json;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return dynamicValue(this.json[index]);
  }

  concat(other: ListValue): Value {
    return new ArrayList([...this, ...other]);
  }

  equals(other: ListValue, items: (a: Value, b: Value) => Value): Value {
    return equalItems(this, other, items);
  }
}

/** A JSON object whose values are converted on demand. */
class DynamicMap extends MapValue {
  readonly json: JsonObject;

  constructor(json: JsonObject) {
    super();
    this.json = json;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key);
    return Object.hasOwn(this.json, key) ? dynamicValue(this.json[key]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.json);
  }

  equals(other: MapValue, values: (a: Value, b: Value) => Value): Value {
    return equalEntries(this, other, values);
  }
}
