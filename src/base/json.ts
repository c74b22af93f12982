import { randomUUID } from 'node:crypto';
import { TerminalError } from './errors.ts';

/** A JSON value. Whole numbers of 64 bits that a number cannot hold exactly are bigint, and are written as they were read. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject;
/** A JSON object. Keys come from outside: test with `Object.hasOwn`, never with `in`. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Deeper documents are refused, so that no recursive walk over accepted data can exhaust the stack. */
export const maxNestingDepth = 256;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertHarmlessBelow(what: string, value: unknown, depth: number): void {
  if (depth > maxNestingDepth) {
    throw new TerminalError('TooDeeplyNested', `${what}: nested deeper than ${maxNestingDepth} levels`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) {
    throw new TerminalError('ForbiddenKey', `${what}: the key "__proto__" is not accepted`);
  }
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const child of children) assertHarmlessBelow(what, child, depth + 1);
}

/** Checks decoded data that came from outside: depth at most `maxNestingDepth`, no key `__proto__`. Goes no deeper than that itself.
 *  @throws TerminalError TooDeeplyNested, ForbiddenKey; messages begin with `what` */
export function assertHarmless(what: string, root: unknown): void {
  assertHarmlessBelow(what, root, 0);
}

/** Whether a JSON text may have a key `__proto__`, of which any character may be escaped. */
export function mayHaveForbiddenKey(text: string): boolean {
  return text.includes('__proto__') || /\\u00(?:5f|6f|7[024])/i.test(text);
}

/** Whether a JSON text opens more objects and lists in one another than that. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfText(text, at) - 1;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return depth > most;
}

/** `assertHarmless` of what was decoded from a JSON text, which shows sooner that there is nothing to find.
 *  @throws TerminalError TooDeeplyNested, ForbiddenKey */
export function assertHarmlessText(what: string, text: string, root: unknown): void {
  if (mayHaveForbiddenKey(text) || isDeeper(text, maxNestingDepth)) assertHarmless(what, root);
}

// JavaScript cannot write such numbers as JSON; this is the only place that adds it.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint): unknown {
    return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(this.toString());
  },
});

/** More digits than 64 bits have in any base: to read them exactly takes time with the square of their number. */
export const maxExactDigits = 100;

/** The whole number of a decimal text: exact within 64 bits, as near as can be beyond. */
export function exactInteger(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || text.length > maxExactDigits) return value;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}

/** Begins what stands for such a number while it is parsed. No one can foresee it. */
const integerMark = `${randomUUID()} `;

/** What `value` stands for: itself, or the number after the mark. */
function unmarked(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === 'string' && value.startsWith(integerMark)
    ? exactInteger(value.slice(integerMark.length))
    : value;
}

/** Puts the numbers in place of what stands for them, at any depth. */
function replaceMarks(root: JsonValue): JsonValue {
  const unread: JsonValue[] = [root];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const values = next as Record<string, JsonValue>;
    for (const key in values) {
      const value = values[key];
      if (typeof value === 'string') values[key] = unmarked(value) ?? null;
      else if (typeof value === 'object' && value !== null) unread.push(value);
    }
  }
  return unmarked(root) ?? null;
}

/** Where the text that begins at `start` ends. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

const numberSigns: ReadonlySet<number> = new Set(Buffer.from('+-.eE'));

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Where the number that begins at `start` ends, and whether it is written as a whole one. No pattern: it may have millions of digits. */
function numberAt(text: string, start: number): { readonly end: number; readonly isWhole: boolean } {
  let isWhole = true;
  for (let end = start + 1; ; end += 1) {
    const code = text.charCodeAt(end);
    if (isDigit(code)) continue;
    if (!numberSigns.has(code)) return { end, isWhole };
    isWhole = false;
  }
}

/** Valid JSON with marked texts in place of whole numbers of many digits that may be exact. */
function markIntegers(text: string): string {
  const pieces: string[] = [];
  let [at, taken] = [0, 0];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfText(text, at);
    else if (code === 0x2d || isDigit(code)) {
      const start = at;
      const { end, isWhole } = numberAt(text, start);
      at = end;
      if (!isWhole || end - start < 16 || end - start > maxExactDigits) continue;
      pieces.push(text.slice(taken, start), `"${integerMark}${text.slice(start, end)}"`);
      taken = end;
    } else at += 1;
  }
  return pieces.join('') + text.slice(taken);
}

/** `JSON.parse` that keeps every digit of whole numbers. Its reviver would take ten times as long, for one such number in a long text.
 *  @throws SyntaxError */
export function decodeJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (!/\d{16}/.test(text)) return value;
  const marked = markIntegers(text);
  return marked === text ? value : replaceMarks(JSON.parse(marked) as JsonValue);
}

/** Members and items of a JSON text, one more than `most` at most: a short one, as `{}`, takes twenty times its text in memory. */
export function countValues(text: string, most: number): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) isText = !isText;
    else if (isText) at += code === 0x5c ? 1 : 0;
    else if (code === 0x2c || code === 0x5b || code === 0x7b) count += 1;
  }
  return count;
}

/** Whether a JSON text has more than `most` members and items. */
export function hasMoreValues(text: string, most: number): boolean {
  return countValues(text, most) > most;
}

/** Parses JSON that came from outside. `what` names it in messages; what may be long has `maxValues`.
 *  @throws TerminalError InvalidJson, TooManyValues, TooDeeplyNested, ForbiddenKey */
export function parseJson(what: string, text: string, { maxValues }: { readonly maxValues?: number } = {}): JsonValue {
  if (maxValues !== undefined && hasMoreValues(text, maxValues)) {
    throw new TerminalError('TooManyValues', `${what}: more than ${maxValues} values`);
  }
  let value: JsonValue;
  try {
    value = decodeJson(text);
  } catch (thrown) {
    throw new TerminalError('InvalidJson', `${what}: ${(thrown as Error).message}`, { cause: thrown });
  }
  assertHarmlessText(what, text, value);
  return value;
}

/** The same value with the keys of all objects in order of their characters. */
export function sortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortedKeys(member ?? null)]));
}

function isNumeric(value: JsonValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** One of them may have lost digits on its way. */
function isSameNumber(a: number | bigint, b: number | bigint): boolean {
  return typeof a === 'bigint' && typeof b === 'bigint' ? a === b : Number(a) === Number(b);
}

/** Equality of JSON values: order of keys does not matter, order of items does; `undefined` members count as absent. */
export function isJsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (isNumeric(a)) return isNumeric(b) && isSameNumber(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isJsonEqual(item, b[index]));
  }
  return isJsonObject(a) && isJsonObject(b) && hasEqualMembers(a, b);
}

function hasEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const present = (object: JsonObject): string[] => Object.keys(object).filter((key) => object[key] !== undefined);
  const keys = present(a);
  if (keys.length !== present(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isJsonEqual(a[key], b[key]));
}
