import { Failure, noSuchOverload, Opaque, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

const nanoDigits = 9;
const one = 10n ** BigInt(nanoDigits);
const maxLength = 1000;
/** As in Kubernetes: larger ones become this. */
const maxUnits = 2n ** 63n - 1n;
/** More digits than the largest quantity has, with its billionths. */
const maxDigits = 40;

/** A quantity such as `1.5Gi`, exact, in billionths. */
class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const decimalPowers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryPowers: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const form = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,4})?$/;
const badForm = new Failure(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);

function powerOfTen(suffix: string): number {
  return /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : (decimalPowers[suffix] ?? 0);
}

/** Divides, rounding away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

interface QuantityParts {
  readonly digits: bigint;
  /** How many of the digits stand behind the point. */
  readonly decimals: number;
  readonly suffix: string;
}

function nanosOf({ digits, decimals, suffix }: QuantityParts): bigint {
  const power = nanoDigits - decimals + (Object.hasOwn(binaryPowers, suffix) ? 0 : powerOfTen(suffix));
  if (digits === 0n) return 0n;
  if (power > maxDigits) return maxUnits * one;
  if (power < -maxLength - maxDigits) return 1n;
  const binary = digits << (binaryPowers[suffix] ?? 0n);
  const nanos = power >= 0 ? binary * 10n ** BigInt(power) : divideUp(binary, 10n ** BigInt(-power));
  return nanos > maxUnits * one ? maxUnits * one : nanos;
}

function parseQuantity(text: string): Quantity | Failure {
  const match = text.length > maxLength ? null : form.exec(text);
  if (match === null) return badForm;
  const [sign, whole, fraction, suffix] = match.slice(1, 5).map((part: string | undefined) => part ?? '');
  const digits = `${whole}${fraction}`;
  if (digits === '') return badForm;
  const nanos = nanosOf({ digits: BigInt(digits), decimals: fraction?.length ?? 0, suffix: suffix ?? '' });
  return new Quantity(sign === '-' ? -nanos : nanos);
}

function isInteger(quantity: Quantity): boolean {
  const value = quantity.nanos / one;
  // What is as large as quantities get may stand for more.
  return quantity.nanos % one === 0n && value < maxUnits && value > -maxUnits;
}

function on(compute: (quantity: Quantity) => Value) {
  return ([quantity = null]: readonly Value[]): Value =>
    quantity instanceof Quantity ? compute(quantity) : noSuchOverload(quantity);
}

/** Functions of two quantities, or of a quantity and a whole number. */
function onTwo(compute: (a: bigint, b: bigint) => Value) {
  return ([a = null, b = null]: readonly Value[]): Value => {
    if (!(a instanceof Quantity)) return noSuchOverload(a);
    if (typeof b === 'bigint') return compute(a.nanos, b * one);
    return b instanceof Quantity ? compute(a.nanos, b.nanos) : noSuchOverload(b);
  };
}

function order(a: bigint, b: bigint): bigint {
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}

/** Functions on quantities. */
export const quantityFunctions: Implementations = {
  string_to_quantity: ([text = null]) => (typeof text === 'string' ? parseQuantity(text) : noSuchOverload(text)),
  isQuantity: ([text = null]) =>
    typeof text === 'string' ? parseQuantity(text) instanceof Quantity : noSuchOverload(text),
  sign: on(({ nanos }) => order(nanos, 0n)),
  isInteger: on(isInteger),
  asInteger: on((quantity) =>
    isInteger(quantity) ? quantity.nanos / one : new Failure('cannot convert value to integer'),
  ),
  asApproximateFloat: on(({ nanos }) => Number(nanos) / Number(one)),
  quantity_is_greater_than: onTwo((a, b) => a > b),
  quantity_is_less_than: onTwo((a, b) => a < b),
  quantity_compare_to: onTwo(order),
  add: onTwo((a, b) => new Quantity(a + b)),
  sub: onTwo((a, b) => new Quantity(a - b)),
};
