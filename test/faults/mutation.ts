import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { SeededRandom } from '../conformance/random.ts';

/** A number from 0 to below 1, the next of its sequence. */
export type Random = () => number;

/** A whole number from 0 to below `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

/** The same numbers for a seed, everywhere. */
export function randomOf(seed: number): Random {
  const random = new SeededRandom(seed);
  return () => random.next();
}

/** One to four changes of bytes: another byte, a flipped bit, one more, one less, a piece twice, an end cut off. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let result: Buffer = Buffer.from(bytes);
  for (let changes = 1 + below(random, 4); changes > 0 && result.length > 0; changes -= 1) {
    const at = below(random, result.length);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const kinds: readonly (() => Buffer)[] = [
      () => Buffer.concat([before, Buffer.from([below(random, 256)]), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << below(random, 8))]), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.from([below(random, 256)]), after]),
      () => Buffer.concat([before, after.subarray(1)]),
      () => Buffer.concat([before, after.subarray(0, 20), after]),
      () => Buffer.from(before),
    ];
    result = (kinds[below(random, kinds.length)] ?? (() => result))();
  }
  return result;
}

const oddValues: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  'a'.repeat(5000),
  [],
  {},
  [null],
  [[]],
  { '': {} },
];

function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[below(random, items.length)];
}

function mutateArray(value: readonly JsonValue[], random: Random): JsonValue {
  const at = below(random, value.length);
  const item = value[at] ?? null;
  const ways: readonly (() => JsonValue[])[] = [
    () => value.toSpliced(at, 1),
    () => value.toSpliced(at, 0, item),
    () => value.with(at, mutateJson(item, random)),
    () => value.with(at, mutateJson(item, random)),
  ];
  return pick(random, ways)?.() ?? null;
}

function mutateObject(value: JsonObject, random: Random): JsonValue {
  const key = pick(random, Object.keys(value)) ?? '';
  const { [key]: member = null, ...others } = value;
  const deeper = (): JsonObject => ({ ...value, [key]: mutateJson(member, random) });
  const ways = [() => others, () => ({ ...others, [`${key}x`]: member }), deeper, deeper, deeper];
  return pick(random, ways)?.() ?? null;
}

/** The value with one part of it, somewhere, taken away, doubled or made another. */
export function mutateJson(value: JsonValue, random: Random): JsonValue {
  if (below(random, 5) > 0) {
    if (Array.isArray(value) && value.length > 0) return mutateArray(value, random);
    if (isJsonObject(value) && Object.keys(value).length > 0) return mutateObject(value, random);
  }
  return pick(random, oddValues) ?? null;
}
