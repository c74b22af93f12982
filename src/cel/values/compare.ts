import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

function isNumber(value: Value): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function numeric(value: bigint | number | Uint): bigint | number {
  return value instanceof Uint ? value.value : value;
}

function order(a: bigint | number | string, b: bigint | number | string): bigint {
  if (a < b) return -1n;
  return a > b ? 1n : 0n;
}

function equalObjects(a: object, b: object): Value {
  if (a instanceof ListValue) return b instanceof ListValue ? a.equals(b, equalValues) : false;
  if (a instanceof MapValue) return b instanceof MapValue ? a.equals(b, equalValues) : false;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return equalScalars(a, b);
}

function equalScalars(a: object, b: object): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  return a instanceof TypeValue && b instanceof TypeValue && a.name === b.name;
}

function equalOptionals(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value) === true;
}

/** `a == b`; values of different types are not equal, numbers compare by value. A Failure given is the answer. */
export function equalValues(a: Value, b: Value): Value {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (isNumber(a) && isNumber(b)) return equalNumbers(a, b);
  if (a === null || b === null) return a === b;
  if (a instanceof Opaque) return equalOpaque(a, b);
  return typeof a === 'object' && typeof b === 'object' ? equalObjects(a, b) : a === b;
}

function equalOpaque(a: Opaque, b: Value): Value {
  return b instanceof Opaque && a.typeName === b.typeName ? a.equals(b) : noSuchOverload();
}

function equalNumbers(a: bigint | number | Uint, b: bigint | number | Uint): boolean {
  return isOrdered(a) && isOrdered(b) && order(numeric(a), numeric(b)) === 0n;
}

function isOrdered(value: Value): boolean {
  return typeof value !== 'number' || !Number.isNaN(value);
}

/** -1, 0 or 1 as `int`, or a Failure for what has no order. Texts are ordered by their UTF-8 bytes. */
export function compareValues(a: Value, b: Value): Value {
  if (isNumber(a)) return isNumber(b) ? compareNumbers(a, b) : noSuchOverload(b);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  return compareObjects(a, b);
}

function compareObjects(a: Value, b: Value): Value {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return BigInt(Buffer.compare(a, b));
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  return noSuchOverload(b);
}

function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): Value {
  if (!isOrdered(a) || !isOrdered(b)) return new Failure('NaN values cannot be ordered');
  return order(numeric(a), numeric(b));
}

function compareTexts(a: string, b: string): bigint {
  return a === b ? 0n : BigInt(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
