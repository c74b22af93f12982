import { Failure, ListValue, MapValue, Optional, printValue, typeNameOf, Uint, type Value } from '../values/value.ts';

/** The index that a value stands for, or the error that it is none. */
function indexOf(key: Value): number | Failure {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key !== 'number') return new Failure(`unsupported index type '${typeNameOf(key)}' in list`);
  return Number.isInteger(key) ? key : new Failure(`unsupported index value ${key} in list`);
}

/** What stands under a key or index; undefined when nothing does. */
function find(container: Value, key: Value): Value | undefined {
  if (container instanceof Failure) return container;
  if (container instanceof MapValue) return container.find(key);
  if (!(container instanceof ListValue)) return undefined;
  const index = indexOf(key);
  if (index instanceof Failure) return index;
  return index >= 0 && index < container.size ? container.at(index) : undefined;
}

function missing(container: Value, key: Value): Failure {
  const what = container instanceof ListValue ? 'index out of bounds' : 'no such key';
  return new Failure(`${what}: ${printValue(key)}`);
}

function wrap(value: Value | undefined): Value {
  return value instanceof Failure ? value : new Optional(value);
}

/** `container.key` or `container[key]`; of an optional, an optional. */
export function access(container: Value, key: Value): Value {
  if (container instanceof Optional) return accessOptional(container, key);
  return find(container, key) ?? missing(container, key);
}

/** `container.?key` or `container[?key]` */
export function accessOptional(container: Value, key: Value): Value {
  if (container instanceof Failure) return container;
  if (!(container instanceof Optional)) return wrap(find(container, key));
  return container.value === undefined ? container : wrap(find(container.value, key));
}

/** `has(container.key)` */
export function isPresent(container: Value, key: Value): Value {
  const inside = container instanceof Optional ? container.value : container;
  const found = inside === undefined ? undefined : find(inside, key);
  return found instanceof Failure ? found : found !== undefined;
}
