import { compareValues, equalValues } from '../values/compare.ts';
import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  noSuchOverload,
  Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import type { Implementations } from './declare.ts';

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;
const minTime = -62_135_596_800_000_000_000n;
const maxTime = 253_402_300_799_999_999_999n;

/** An integer of 64 bits, or the error that it is none. */
export function checkedInt(value: bigint): Value {
  return value < minInt || value > maxInt ? new Failure('integer overflow') : value;
}

/** An unsigned integer of 64 bits, or the error that it is none. */
export function checkedUint(value: bigint): Value {
  return value < 0n || value > maxUint ? new Failure('unsigned integer overflow') : new Uint(value);
}

/** A moment between the years 1 and 9999, or the error that it is none. */
export function checkedTime(nanos: bigint): Value {
  return nanos < minTime || nanos > maxTime ? new Failure('timestamp overflow') : new Timestamp(nanos);
}

/** A length of time that fits 64 bits of nanoseconds, or the error that it is none. */
function checkedDuration(nanos: bigint): Value {
  return nanos < minInt || nanos > maxInt ? new Failure('duration overflow') : new Duration(nanos);
}

interface Rules {
  readonly int: (a: bigint, b: bigint) => Value;
  readonly uint: (a: bigint, b: bigint) => Value;
  readonly double?: (a: number, b: number) => Value;
}

function numbers(a: Value, b: Value, rules: Rules): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return rules.int(a, b);
  if (a instanceof Uint && b instanceof Uint) return rules.uint(a.value, b.value);
  if (typeof a === 'number' && typeof b === 'number' && rules.double !== undefined) return rules.double(a, b);
  return noSuchOverload(b);
}

function addTimes(a: Value, b: Value): Value | undefined {
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return checkedTime(a.nanos + b.nanos);
  return a instanceof Duration && b instanceof Timestamp ? checkedTime(a.nanos + b.nanos) : undefined;
}

const addition: Rules = {
  int: (a, b) => checkedInt(a + b),
  uint: (a, b) => checkedUint(a + b),
  double: (a, b) => a + b,
};

/** `a + b` for numbers, texts, bytes, lists and times. */
export function addValues(a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof ListValue && b instanceof ListValue) return a.concat(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
  return addTimes(a, b) ?? numbers(a, b, addition);
}

function subtract(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return checkedTime(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return checkedDuration(a.nanos - b.nanos);
  return numbers(a, b, {
    int: (x, y) => checkedInt(x - y),
    uint: (x, y) => checkedUint(x - y),
    double: (x, y) => x - y,
  });
}

const multiplication: Rules = {
  int: (a, b) => checkedInt(a * b),
  uint: (a, b) => checkedUint(a * b),
  double: (a, b) => a * b,
};

const byZero = new Failure('division by zero');
const division: Rules = {
  int: (a, b) => (b === 0n ? byZero : checkedInt(a / b)),
  uint: (a, b) => (b === 0n ? byZero : new Uint(a / b)),
  double: (a, b) => a / b,
};

const modulusByZero = new Failure('modulus by zero');
const remainder: Rules = {
  int: (a, b) => (b === 0n ? modulusByZero : a === minInt && b === -1n ? checkedInt(maxInt + 1n) : a % b),
  uint: (a, b) => (b === 0n ? modulusByZero : new Uint(a % b)),
};

function negate(value: Value): Value {
  if (typeof value === 'bigint') return checkedInt(-value);
  if (typeof value === 'number') return -value;
  return value instanceof Duration ? checkedDuration(-value.nanos) : noSuchOverload(value);
}

function contains(item: Value, container: Value): Value {
  if (container instanceof MapValue) {
    const found = container.find(item);
    return found instanceof Failure ? found : found !== undefined;
  }
  if (!(container instanceof ListValue)) return noSuchOverload(container);
  let failure: Failure | undefined;
  for (const candidate of container) {
    const same = equalValues(candidate, item);
    if (same === true) return true;
    if (same instanceof Failure) failure ??= same;
  }
  return failure ?? false;
}

function relation(accepts: (order: bigint) => boolean) {
  return ([a = null, b = null]: readonly Value[]): Value => {
    const order = compareValues(a, b);
    return typeof order === 'bigint' ? accepts(order) : order;
  };
}

function binary(compute: (a: Value, b: Value) => Value) {
  return ([a = null, b = null]: readonly Value[]): Value => compute(a, b);
}

/** The operators on two values. */
export const operators: Implementations = {
  '_+_': binary(addValues),
  '_-_': binary(subtract),
  '_*_': binary((a, b) => numbers(a, b, multiplication)),
  '_/_': binary((a, b) => numbers(a, b, division)),
  '_%_': binary((a, b) => numbers(a, b, remainder)),
  '-_': ([value = null]) => negate(value),
  '!_': ([value = null]) => (typeof value === 'boolean' ? !value : noSuchOverload(value)),
  '_==_': binary(equalValues),
  '_!=_': binary((a, b) => {
    const same = equalValues(a, b);
    return typeof same === 'boolean' ? !same : same;
  }),
  '_<_': relation((order) => order < 0n),
  '_<=_': relation((order) => order <= 0n),
  '_>_': relation((order) => order > 0n),
  '_>=_': relation((order) => order >= 0n),
  '@in': binary(contains),
};
