import type { CelType } from '../language/cel-type.ts';
import { add, exactly, multiply, noCost, type Range, scale, union, unknownRange } from './estimate.ts';

/** An argument of a call as far as it is known before evaluation. */
export interface Operand {
  readonly type: CelType;
  readonly size: Range | undefined;
  /** The size of a list's items where they are declared; undefined for what has no items. */
  readonly itemSize: Range | undefined;
  /** A whole number that is written out. */
  readonly literal: bigint | undefined;
}

/** What a call costs without its arguments, and how large its result is. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

const traversal = 0.1;
const perRegexCharacter = 0.25;
const one = exactly(1n);
const addressSize: Range = { min: 4n, max: 16n };
const maxFormatRegex = 128;

type Estimator = (args: readonly Operand[], overload: string) => CallEstimate | undefined;

function sizeOf(operand: Operand | undefined): Range {
  return operand?.size ?? unknownRange;
}

const constant: Estimator = () => ({ cost: one });

const readOne: Estimator = ([text]) => ({ cost: scale(sizeOf(text), traversal) });

const readSame: Estimator = ([text]) => ({ cost: scale(sizeOf(text), traversal), size: sizeOf(text) });

function walkItems([list]: readonly Operand[]): CallEstimate {
  const item = list?.type.parameters[0];
  if (item === undefined) return { cost: scale(sizeOf(list), traversal) };
  const isText = item.kind === 'string' || item.kind === 'bytes';
  const each = isText ? add(one, scale(list?.itemSize ?? unknownRange, traversal)) : one;
  return { cost: multiply(sizeOf(list), each) };
}

function most(size: bigint, part: bigint, ceil: boolean): bigint {
  return ceil ? BigInt(Math.min(Math.ceil(Number(size) / Number(part)), 2 ** 63)) : size;
}

function oneMore(size: bigint): bigint {
  return size < unknownRange.max ? size + 1n : size;
}

/** How often a replacement may happen, and how much of the text stays. */
function replacements(
  text: bigint,
  from: bigint,
  keeps: boolean,
): { readonly count: bigint; readonly unchanged: bigint } {
  if (from === 0n) return { count: oneMore(text), unchanged: text };
  return keeps ? { count: 0n, unchanged: text } : { count: most(text, from, true), unchanged: 0n };
}

function replace([text, from, to]: readonly Operand[]): CallEstimate {
  const [size, fromSize, toSize] = [sizeOf(text), sizeOf(from), sizeOf(to)];
  const longest = replacements(size.max, fromSize.min, toSize.max <= fromSize.min);
  const shortest = replacements(size.min, fromSize.max, fromSize.max <= toSize.min);
  const count = { min: shortest.count, max: longest.count };
  const unchanged = { min: shortest.unchanged, max: longest.unchanged };
  return { cost: scale(size, 2 * traversal), size: add(multiply(count, toSize), unchanged) };
}

function split([text, , limit]: readonly Operand[]): CallEstimate {
  const size = sizeOf(text);
  const max = limit?.literal === undefined ? size.max : BigInt.asUintN(64, limit.literal);
  return { cost: scale(size, 2 * traversal), size: { min: 0n, max } };
}

function less(value: bigint): bigint {
  return value > 0n ? value - 1n : 0n;
}

function join([list, separator]: readonly Operand[]): CallEstimate {
  const count = sizeOf(list);
  let size = multiply(count, list?.itemSize ?? unknownRange);
  if (separator !== undefined) {
    size = add(size, multiply(sizeOf(separator), { min: less(count.min), max: less(count.max) }));
  }
  return { cost: scale(size, traversal), size };
}

function matchCost([text, pattern]: readonly Operand[]): Range {
  return multiply(scale(add(sizeOf(text), one), traversal), scale(sizeOf(pattern), perRegexCharacter));
}

const find: Estimator = (args) => ({ cost: matchCost(args), size: { min: 0n, max: sizeOf(args[0]).max } });

const addresses = scale(add(addressSize, addressSize), traversal);

function containsIp([, other]: readonly Operand[], overload: string): CallEstimate {
  const parsing = overload === 'cidr_contains_ip_string' ? scale(sizeOf(other), traversal) : noCost;
  return { cost: add(addresses, parsing) };
}

function containsCidr([, other]: readonly Operand[], overload: string): CallEstimate {
  const parsing = overload === 'cidr_contains_cidr_string' ? scale(sizeOf(other), traversal) : noCost;
  return { cost: add(add(add(addresses, scale(addressSize, traversal)), one), parsing) };
}

function selector([, text]: readonly Operand[]): CallEstimate {
  const size = sizeOf(text);
  const requirements = scale(scale(size, 0.5), 50);
  return { cost: add(add(exactly(10n), scale(size, traversal)), requirements) };
}

const sets =
  (factor: bigint): Estimator =>
  ([a, b]) => {
    const product = multiply(sizeOf(a), sizeOf(b));
    return { cost: add(multiply(product, exactly(factor)), one) };
  };

function validate([, text]: readonly Operand[]): CallEstimate {
  return { cost: scale(scale(sizeOf(text), traversal), maxFormatRegex * perRegexCharacter) };
}

const cheapEquality = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

/** Equality of things that only their own functions look into; undefined for all else. */
function opaqueEquality(name: string, other: Operand | undefined): Range | undefined {
  if (cheapEquality.has(name)) return one;
  if (name === 'kubernetes.NamedFormat') return scale({ min: 1n, max: 64n }, traversal);
  return name === 'kubernetes.URL' ? scale({ min: 1n, max: other?.size?.max ?? 1n }, traversal) : undefined;
}

function equality([a, b]: readonly Operand[], overload: string): CallEstimate {
  const isOpaque = overload === 'equals' && a !== undefined && a.type.name === b?.type.name;
  const cost = isOpaque ? opaqueEquality(a.type.name, b) : undefined;
  return cost === undefined ? shorter([a, b]) : { cost };
}

function shorter([a, b]: readonly (Operand | undefined)[]): CallEstimate {
  const [left, right] = [sizeOf(a), sizeOf(b)];
  const max = left.max < right.max ? left.max : right.max;
  return { cost: scale({ min: max > 0n ? 1n : 0n, max }, traversal) };
}

/** By the name of the function. */
const byName: Readonly<Record<string, Estimator>> = {
  check: () => ({ cost: exactly(350_000n) }),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: walkItems,
  sum: walkItems,
  max: walkItems,
  min: walkItems,
  indexOf: walkItems,
  lastIndexOf: walkItems,
  url: readSame,
  lowerAscii: readSame,
  upperAscii: readSame,
  substring: readSame,
  trim: readSame,
  replace,
  split,
  join,
  find,
  findAll: find,
  cidr: readOne,
  isIP: readOne,
  isCIDR: readOne,
  'ip.isCanonical': ([text]) => ({ cost: scale(sizeOf(text), 2 * traversal) }),
  containsIP: containsIp,
  containsCIDR: containsCidr,
  quantity: readOne,
  isQuantity: readOne,
  validate,
  'sets.contains': sets(1n),
  'sets.intersects': sets(1n),
  'sets.equivalent': sets(2n),
  '_==_': equality,
  '_!=_': equality,
};

/** By the id of the overload, for functions whose overloads differ. */
const byOverload: Readonly<Record<string, Estimator>> = {
  string_to_ip: readOne,
  cidr_ip: constant,
  string_format: readOne,
  string_to_bytes: ([text]) => ({
    cost: scale(sizeOf(text), traversal),
    size: { min: sizeOf(text).min, max: BigInt.asUintN(64, sizeOf(text).max * 4n) },
  }),
  bytes_to_string: ([bytes]) => ({
    cost: scale(sizeOf(bytes), traversal),
    size: { min: sizeOf(bytes).min / 4n, max: sizeOf(bytes).max },
  }),
  strings_quote: ([text]) => ({
    cost: scale(sizeOf(text), traversal),
    size: {
      min: BigInt.asUintN(64, sizeOf(text).min + 2n),
      max: BigInt.asUintN(64, sizeOf(text).max * 2n + 2n),
    },
  }),
  starts_with_string: ([, part]) => ({ cost: scale(sizeOf(part), traversal) }),
  ends_with_string: ([, part]) => ({ cost: scale(sizeOf(part), traversal) }),
  in_list: ([, list]) => ({ cost: scale(sizeOf(list), 1) }),
  matches_string: (args) => ({ cost: matchCost(args) }),
  contains_string: ([text, part]) => ({
    cost: multiply(scale(sizeOf(text), traversal), scale(sizeOf(part), traversal)),
  }),
  add_list: ([a, b]) => ({ cost: one, size: add(sizeOf(a), sizeOf(b)) }),
  add_string: concatenation,
  add_bytes: concatenation,
  ...Object.fromEntries(
    ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [
      [`${name}_string`, shorter],
      [`${name}_bytes`, shorter],
    ]),
  ),
};

function concatenation([a, b]: readonly Operand[]): CallEstimate {
  const size = add(sizeOf(a), sizeOf(b));
  return { cost: scale(size, traversal), size };
}

/** The estimate for one overload of a function; everything not known costs 1. A method's target is the first operand. */
export function estimateOverload(name: string, overload: string, args: readonly Operand[]): CallEstimate {
  const estimator =
    (Object.hasOwn(byName, name) ? byName[name] : undefined) ??
    (Object.hasOwn(byOverload, overload) ? byOverload[overload] : undefined);
  return estimator?.(args, overload) ?? { cost: one };
}

/** Either branch of a choice may be taken. */
export function unionOf(a: Range | undefined, b: Range): Range {
  return a === undefined ? b : union(a, b);
}
