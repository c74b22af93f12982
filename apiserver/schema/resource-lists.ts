import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import { canonicalQuantity, compareQuantities, parseQuantity } from './quantity.ts';

/** Amounts by resource name: `{ cpu: '500m', memory: '1Gi' }`. */
export type ResourceList = Readonly<Record<string, string>>;

const nano = 1_000_000_000n;

/** The amounts in a field such as `resources.requests`; numbers count as their texts. */
export function resourceList(value: JsonValue | undefined): ResourceList {
  if (!isJsonObject(value)) return {};
  const list: Record<string, string> = {};
  for (const [name, amount] of Object.entries(value)) {
    if (typeof amount === 'string' || typeof amount === 'number') list[name] = canonicalQuantity(String(amount));
  }
  return list;
}

function amountText(nanos: bigint, isBinary: boolean): string {
  const units = nanos / nano;
  if (!isBinary || nanos % nano !== 0n) return canonicalQuantity(`${nanos}n`);
  return units % 1024n === 0n ? canonicalQuantity(`${units / 1024n}Ki`) : String(units);
}

function combined(a: string, b: string, sign: 1n | -1n): string {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  const format = left.nanos === 0n ? right.format : left.format;
  return amountText(left.nanos + sign * right.nanos, format === 'binary');
}

/** Adds the amounts of a list to a sum in place: where there are very many lists, copies of their sum would cost the square of them. */
export function addTo(sum: Record<string, string>, list: ResourceList): void {
  for (const [name, amount] of Object.entries(list)) {
    sum[name] = Object.hasOwn(sum, name) ? combined(sum[name] ?? '0', amount, 1n) : amount;
  }
}

/** All amounts of both. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  const sum: Record<string, string> = { ...a };
  addTo(sum, b);
  return sum;
}

/** What `a` has more than `b`, never less than nothing. */
export function subtractLists(a: ResourceList, b: ResourceList): ResourceList {
  const rest: Record<string, string> = {};
  for (const [name, amount] of Object.entries(a)) {
    const less = Object.hasOwn(b, name) ? combined(amount, b[name] ?? '0', -1n) : amount;
    rest[name] = compareQuantities(less, '0') < 0 ? '0' : less;
  }
  return rest;
}

/** Raises amounts in place to those of a list that are larger, or missing. */
export function raiseTo(most: Record<string, string>, list: ResourceList): void {
  for (const [name, amount] of Object.entries(list)) {
    const own = Object.hasOwn(most, name) ? most[name] : undefined;
    if (own === undefined || compareQuantities(amount, own) > 0) most[name] = amount;
  }
}

/** The amounts with these names. */
export function maskList(list: ResourceList, names: Iterable<string>): ResourceList {
  const selected: ReadonlySet<string> = names instanceof Set ? names : new Set(names);
  return Object.fromEntries(Object.entries(list).filter(([name]) => selected.has(name)));
}
