import { parseGoDuration } from '../../../src/base/index.ts';

const second = 1_000_000_000n;

const units: readonly (readonly [readonly string[], bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', '\u00B5s', 'micro'], 1000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], second],
  [['m', 'min'], 60n * second],
  [['h', 'hr', 'hour'], 3600n * second],
  [['d', 'day'], 86_400n * second],
  [['w', 'week', 'wk'], 604_800n * second],
];

function multiplierOf(unit: string): bigint | undefined {
  const lower = unit.toLowerCase();
  return units.find(([names]) =>
    names.some((name, index) => name === lower || (index === names.length - 1 && unit.startsWith(name))),
  )?.[1];
}

/** Reads what the format `duration` allows in schemas: Go's form and `3 weeks`. Nanoseconds, or undefined. */
export function parseSchemaDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined) return plain;
  let nanos: bigint | undefined;
  for (const match of text.matchAll(/(\d{1,18})\s*([A-Za-z\u00B5]+)/g)) {
    const multiplier = multiplierOf(match[2] ?? '');
    if (multiplier !== undefined) nanos = (nanos ?? 0n) + BigInt(match[1] ?? '0') * multiplier;
  }
  return nanos;
}
