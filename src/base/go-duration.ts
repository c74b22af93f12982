const million = 1_000_000n;
const maxNanos = 2n ** 63n - 1n;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  '\u00B5s': 1000n,
  '\u03BCs': 1000n,
  ms: million,
  s: 1000n * million,
  m: 60_000n * million,
  h: 3_600_000n * million,
};

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h)/gy;

/** Further digits exceed the range, or make no difference. */
const maxDigits = 30;

function scaled(amount: string, unit: bigint): bigint {
  const [digits = '', decimals = ''] = amount.split('.');
  const [whole, fraction] = [digits.replace(/^0+/, ''), decimals.slice(0, maxDigits)];
  if (whole.length > maxDigits) return maxNanos + 1n;
  return (
    BigInt(whole || '0') * unit + (fraction === '' ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length))
  );
}

/** Nanoseconds of a duration in the notation of Go: `1h30m`, `-1.5s`, `0`; undefined for another text. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0n;
  let nanos = 0n;
  let length = 0;
  for (const match of body.matchAll(part)) {
    nanos += scaled(match[1] ?? '0', units[match[2] ?? 's'] ?? 1n);
    length += match[0].length;
    if (nanos > maxNanos) return undefined;
  }
  return length === 0 || length < body.length ? undefined : sign * nanos;
}
