/** The smallest and the largest something may be. All sums and products stay within 64 bits. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const limit = 2n ** 64n - 1n;

/** Nothing is known: 0 to the largest number. */
export const unknownRange: Range = { min: 0n, max: limit };
export const noCost: Range = { min: 0n, max: 0n };

function saturate(value: bigint): bigint {
  return value > limit ? limit : value;
}

export function exactly(value: bigint): Range {
  return { min: value, max: value };
}

export function add(a: Range, b: Range): Range {
  return { min: saturate(a.min + b.min), max: saturate(a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

function scaleOne(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? limit : BigInt(product);
}

/** Times a factor, rounded up. */
export function scale(range: Range, factor: number): Range {
  return { min: scaleOne(range.min, factor), max: scaleOne(range.max, factor) };
}

/** The smallest range around both. */
export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max };
}
