import { codePoints } from '../library/conversions.ts';
import { NamedFormat } from '../library/named-formats.ts';
import { ListValue, MapValue, Opaque, Optional, type Value } from '../values/value.ts';

const traversal = 0.1;
const perRegexCharacter = 0.25;
/** Two permissions may be checked in one expression. */
const checkCost = 350_000;

/** What a value counts for: characters, bytes, items, or 1. */
function costSize(value: Value | undefined): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Opaque) return value.costSize;
  return value instanceof Optional && value.value !== undefined ? costSize(value.value) : 1;
}

function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  let sum = 0;
  if (value instanceof ListValue) {
    for (const item of value) sum += traversalCost(item);
    return sum;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) sum += traversalCost(key) + traversalCost(value.find(key) ?? null);
  return sum;
}

/** Known before the call: one that is too expensive is not made. */
type Cost = (args: readonly Value[]) => number;

const readFirst: Cost = ([value]) => Math.ceil(costSize(value) * traversal);
const readFirstTwice: Cost = ([value]) => Math.ceil(costSize(value) * 2 * traversal);
const walkFirst: Cost = ([value = null]) => traversalCost(value);
const readShorter: Cost = ([a, b]) => Math.ceil(Math.min(costSize(a), costSize(b)) * traversal);
const match: Cost = ([text, pattern]) =>
  Math.ceil((1 + costSize(text)) * traversal) * Math.ceil(costSize(pattern) * perRegexCharacter);
const contains: Cost = ([text, part]) => Math.ceil(costSize(text) * traversal) * Math.ceil(costSize(part) * traversal);
const sets =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + costSize(a) * costSize(b) * factor;
const select: Cost = ([, text]) =>
  10 + Math.ceil(costSize(text) * traversal) + Math.ceil(Math.ceil(costSize(text) * 0.5) * 50);

function joining([list, separator]: readonly Value[]): number {
  if (!(list instanceof ListValue)) return 1;
  let size = Math.max(0, list.size - 1) * (separator === undefined ? 0 : costSize(separator));
  for (const item of list) size += costSize(item);
  return Math.ceil(size * 2 * traversal);
}

function relation([a = null, b = null]: readonly Value[]): number {
  const isSized = (value: Value): boolean => typeof value === 'string' || value instanceof Uint8Array;
  return isSized(a) && isSized(b) ? readShorter([a, b]) : 1;
}

function equality([a = null, b]: readonly Value[]): number {
  return a instanceof Opaque ? 1 : readShorter(b === undefined ? [a] : [a, b]);
}

function addition([a = null, b]: readonly Value[]): number {
  if (typeof a !== 'string' && !(a instanceof Uint8Array)) return 1;
  return Math.ceil((costSize(a) + costSize(b)) * traversal);
}

function validation([format = null, text]: readonly Value[]): number {
  if (!(format instanceof NamedFormat)) return 1;
  return Math.ceil((1 + costSize(text)) * traversal) * Math.ceil(format.regexSize * perRegexCharacter);
}

function networkContainment(extra: Cost): Cost {
  return (args) => {
    const [network, other = null] = args;
    const parsing = typeof other === 'string' ? Math.ceil(costSize(other) * traversal) : 0;
    return Math.ceil(2 * costSize(network) * traversal) + parsing + extra(args);
  };
}

/** Functions that cost something else than 1. */
const costs: Readonly<Record<string, Cost>> = {
  check: () => checkCost,
  fieldSelector: select,
  labelSelector: select,
  isSorted: walkFirst,
  sum: walkFirst,
  min: walkFirst,
  max: walkFirst,
  indexOf: walkFirst,
  lastIndexOf: walkFirst,
  url: readFirst,
  lowerAscii: readFirst,
  upperAscii: readFirst,
  substring: readFirst,
  trim: readFirst,
  replace: readFirstTwice,
  split: readFirstTwice,
  join: joining,
  find: match,
  findAll: match,
  matches: match,
  contains,
  startsWith: readFirst,
  endsWith: readFirst,
  cidr: readFirst,
  isIP: readFirst,
  isCIDR: readFirst,
  ip: (args) => (typeof args[0] === 'string' ? readFirst(args) : 1),
  'ip.isCanonical': readFirstTwice,
  containsIP: networkContainment(() => 0),
  containsCIDR: networkContainment(([network]) => Math.ceil(costSize(network) * traversal) + 1),
  quantity: readFirst,
  isQuantity: readFirst,
  validate: validation,
  'strings.quote': readFirst,
  format: readFirst,
  bytes: (args) => (typeof args[0] === 'string' ? readFirst(args) : 1),
  string: (args) => (args[0] instanceof Uint8Array ? readFirst(args) : 1),
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  '@in': ([, list = null]) => (list instanceof ListValue ? list.size : 1),
  '_==_': equality,
  '_!=_': equality,
  '_<_': relation,
  '_<=_': relation,
  '_>_': relation,
  '_>=_': relation,
  '_+_': addition,
};

/** How a call of a function is charged; undefined when it costs 1. */
export function costOfCall(name: string): Cost | undefined {
  return Object.hasOwn(costs, name) ? costs[name] : undefined;
}
