/** Amounts such as `500m`, `1Gi` and `2e3`, as Kubernetes counts them: exactly, in nano-units at the finest. */

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/;
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryPowers: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const nano = 1_000_000_000n;
const maxUnits = 2n ** 63n - 1n;

type Format = 'decimal' | 'binary' | 'exponent';

/** A parsed quantity. */
export interface Quantity {
  /** In units of 10⁻⁹, rounded up from zero. */
  readonly nanos: bigint;
  readonly format: Format;
}

const zero: Quantity = { nanos: 0n, format: 'decimal' };

function ceilingDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function scaled(digits: bigint, exponent: number): bigint {
  return exponent >= 0 ? digits * 10n ** BigInt(exponent) : ceilingDivide(digits, 10n ** BigInt(-exponent));
}

function bounded(nanos: bigint): bigint {
  const limit = maxUnits * nano;
  if (nanos > limit) return limit;
  return nanos < -limit ? -limit : nanos;
}

function amountOf(digits: bigint, fraction: number, suffix: string): Quantity {
  const power = binaryPowers[suffix];
  if (power !== undefined) {
    const nanos = scaled(digits * (1n << BigInt(power)), 9 - fraction);
    return { nanos, format: 'binary' };
  }
  return { nanos: scaled(digits, 9 - fraction + (decimalExponents[suffix] ?? 0)), format: 'decimal' };
}

function magnitudeOf(parts: {
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: string | undefined;
  readonly suffix: string;
}): Quantity {
  const { whole, fraction, exponent, suffix } = parts;
  const digits = BigInt(`${whole}${fraction}`);
  if (exponent === undefined) return amountOf(digits, fraction.length, suffix);
  return { nanos: scaled(digits, 9 - fraction.length + Number(exponent)), format: 'exponent' };
}

/** Reads a quantity; a text that is none counts as zero, because decoding has refused it before. */
export function parseQuantity(text: string): Quantity {
  if (text.length > 128) return zero;
  const [, sign = '', whole = '', fraction = '', exponent, suffix = ''] = form.exec(text) ?? [];
  if (whole === '' && fraction === '') return zero;
  const { nanos, format } = magnitudeOf({ whole, fraction, exponent, suffix });
  const limited = bounded(nanos);
  return { nanos: sign === '-' ? -limited : limited, format };
}

function decimalText(nanos: bigint, isExponent: boolean): string {
  let index = 0;
  let value = nanos;
  while (index < decimalSuffixes.length - 1 && value % 1000n === 0n) {
    value /= 1000n;
    index += 1;
  }
  if (!isExponent) return `${value}${decimalSuffixes[index] ?? ''}`;
  const exponent = (index - 3) * 3;
  return exponent === 0 ? String(value) : `${value}e${exponent}`;
}

function binaryText(nanos: bigint): string {
  let index = 0;
  let value = nanos / nano;
  while (index < binarySuffixes.length - 1 && value % 1024n === 0n) {
    value /= 1024n;
    index += 1;
  }
  return `${value}${binarySuffixes[index] ?? ''}`;
}

/** The one text of the quantity: no fraction, the largest suffix that keeps it whole; binary amounts under 1Ki are written in decimal. */
function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (format === 'binary' && magnitude >= 1024n * nano && magnitude % nano === 0n) return binaryText(nanos);
  return decimalText(nanos, format === 'exponent');
}

const canonicalTexts = new Map<string, string>();
const maxRemembered = 10_000;

/** The text by which the server writes the same quantity: `0.5` is `500m`, `1000m` is `1`, `1024Mi` is `1Gi`. */
export function canonicalQuantity(text: string): string {
  const known = canonicalTexts.get(text);
  if (known !== undefined) return known;
  const canonical = formatQuantity(parseQuantity(text));
  if (canonicalTexts.size >= maxRemembered) canonicalTexts.clear();
  canonicalTexts.set(text, canonical);
  return canonical;
}

/** The same, rounded up to a thousandth: amounts of resources are counted no finer. */
export function milliQuantity(text: string): string {
  const canonical = canonicalQuantity(text);
  if (!/[nu]$|e-/.test(canonical)) return canonical;
  const { nanos, format } = parseQuantity(canonical);
  return formatQuantity({ nanos: ceilingDivide(nanos, 1_000_000n) * 1_000_000n, format });
}

/** Below zero when `a` is less than `b`, zero when they are the same amount. */
export function compareQuantities(a: string, b: string): number {
  if (a === b) return 0;
  const difference = parseQuantity(a).nanos - parseQuantity(b).nanos;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** In whole units, rounded away from zero. */
export function wholeUnits(text: string): bigint {
  return ceilingDivide(parseQuantity(text).nanos, nano);
}

/** Whether it counts whole units, looking no closer than a thousandth. */
export function isWhole(text: string): boolean {
  return ceilingDivide(parseQuantity(text).nanos, 1_000_000n) % 1000n === 0n;
}
