import { parseGoDuration } from '../../base/index.ts';
import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/value.ts';
import { checkedInt, checkedTime, checkedUint } from './arithmetic.ts';
import type { Implementations } from './declare.ts';
import { formatDuration, formatTime, parseTime } from './times.ts';

function cannot(value: Value, to: string): Failure {
  return new Failure(`type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

function wholeNumber(value: number, check: (whole: bigint) => Value, failure: string): Value {
  return Number.isFinite(value) ? rename(check(BigInt(Math.trunc(value))), failure) : new Failure(failure);
}

function rename(value: Value, failure: string): Value {
  return value instanceof Failure ? new Failure(failure) : value;
}

function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return checkedInt(value.value);
  if (typeof value === 'number') return wholeNumber(value, checkedInt, 'integer overflow');
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp)
    return (value.nanos - (((value.nanos % 10n ** 9n) + 10n ** 9n) % 10n ** 9n)) / 10n ** 9n;
  if (typeof value === 'string' && /^[+-]?(?=\d)0*(?:[1-9]\d{0,19})?$/.test(value))
    return rename(checkedInt(BigInt(value.replace('+', ''))), cannot(value, 'int').message);
  return cannot(value, 'int');
}

function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number') return wholeNumber(value, checkedUint, 'unsigned integer overflow');
  if (typeof value === 'string' && /^(?=\d)0*(?:[1-9]\d{0,19})?$/.test(value))
    return rename(checkedUint(BigInt(value)), cannot(value, 'uint').message);
  return cannot(value, 'uint');
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const infinite = /^([+-]?)inf(?:inity)?$/i;

function toDouble(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== 'string') return cannot(value, 'double');
  if (decimal.test(value) && Number.isFinite(Number(value))) return Number(value);
  const sign = infinite.exec(value);
  if (sign !== null) return sign[1] === '-' ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(value) ? Number.NaN : cannot(value, 'double');
}

/** A double in its shortest exact form, as Go's `%g`. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return Object.is(value, -0) ? '-0' : String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function bytesToText(value: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new Failure('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** A value as text, or the error that there is none. */
export function toText(value: Value): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return printDouble(value);
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return bytesToText(value);
  if (value instanceof Timestamp) return formatTime(value);
  if (value instanceof Duration) return formatDuration(value.nanos);
  return otherText(value);
}

function otherText(value: Value): Value {
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Opaque && 'text' in value && typeof value.text === 'string') return value.text;
  return cannot(value, 'string');
}

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && trueWords.has(value)) return true;
  return typeof value === 'string' && falseWords.has(value) ? false : cannot(value, 'bool');
}

function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return checkedTime(value * 10n ** 9n);
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time === undefined) return cannot(value, 'google.protobuf.Timestamp');
  const checked = checkedTime(time.nanos);
  return checked instanceof Failure ? checked : time;
}

function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(value);
  const nanos = typeof value === 'string' ? parseGoDuration(value) : undefined;
  return nanos === undefined ? cannot(value, 'google.protobuf.Duration') : new Duration(nanos);
}

function sizeOf(value: Value): Value {
  if (typeof value === 'string') return BigInt(codePoints(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof ListValue || value instanceof MapValue ? BigInt(value.size) : noSuchOverload(value);
}

/** How many characters a text has, where Unicode's characters beyond 16 bits count once. */
export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xff_ff) index += 1;
    count += 1;
  }
  return count;
}

function unary(compute: (value: Value) => Value) {
  return ([value = null]: readonly Value[]): Value => compute(value);
}

/** Conversions between types, and what a value is and how long. */
export const conversions: Implementations = {
  int: unary(toInt),
  uint: unary(toUint),
  double: unary(toDouble),
  string: unary(toText),
  bool: unary(toBool),
  bytes: unary((value) => (typeof value === 'string' ? new TextEncoder().encode(value) : value)),
  timestamp: unary(toTimestamp),
  duration: unary(toDuration),
  dyn: unary((value) => value),
  type: unary((value) => new TypeValue(typeNameOf(value))),
  size: unary(sizeOf),
};
