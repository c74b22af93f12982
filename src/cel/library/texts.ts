import { ArrayList, Failure, ListValue, noSuchOverload, printValue, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';
import { findFirst, splitAt } from './text-search.ts';

function outOfRange(index: bigint): Failure {
  return new Failure(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): Value {
  const characters = Array.from(text);
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, from: bigint): Value {
  if (part === '') return from;
  if (from < 0n) return outOfRange(from);
  return BigInt(findFirst(Array.from(text), Array.from(part), Number(from)));
}

function lastIndexOf(text: string, part: string, from: bigint | undefined): Value {
  const [characters, pattern] = [Array.from(text), Array.from(part)];
  if (part === '') return from ?? BigInt(characters.length);
  const start = from ?? BigInt(characters.length - 1);
  if (start < 0n) return outOfRange(start);
  if (start >= BigInt(characters.length)) return -1n;
  const searched = characters.slice(0, Number(start) + pattern.length);
  const place = findFirst(searched.toReversed(), pattern.toReversed());
  return BigInt(place < 0 ? -1 : searched.length - pattern.length - place);
}

function substring(text: string, start: bigint, end: bigint | undefined): Value {
  const characters = Array.from(text);
  const size = BigInt(characters.length);
  const stop = end ?? size;
  if (end !== undefined && start > end) {
    return new Failure(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > size) return outOfRange(start);
  if (stop < 0n || stop > size) return outOfRange(stop);
  return characters.slice(Number(start), Number(stop)).join('');
}

/** What is made of texts is charged for once it is used: by then it may take all memory. */
const maxTextLength = 16 * 1024 * 1024;

function tooLong(length: number): Failure | undefined {
  if (length <= maxTextLength) return undefined;
  return new Failure(`the result has ${length} characters, more than the limit of ${maxTextLength}`);
}

function replace(text: string, [from, to]: readonly [string, string], limit: number): Value {
  if (from === '') return replaceBetween(text, to, limit);
  const parts = splitAt(text, from);
  const changed = limit < 0 ? parts.length : Math.min(parts.length, limit + 1);
  const failure = tooLong(text.length + (changed - 1) * Math.max(0, to.length - from.length));
  if (failure !== undefined) return failure;
  return [parts.slice(0, changed).join(to), ...parts.slice(changed)].join(from);
}

function replaceBetween(text: string, to: string, limit: number): Value {
  const characters = Array.from(text);
  const count = limit < 0 ? characters.length + 1 : limit;
  const failure = tooLong(text.length + Math.min(count, characters.length + 1) * to.length);
  if (failure !== undefined) return failure;
  const body = characters.map((character, index) => (index < count ? to : '') + character).join('');
  return characters.length < count ? body + to : body;
}

function split(text: string, separator: string, limit: number): Value {
  if (limit === 0) return new ArrayList([]);
  const parts = separator === '' ? Array.from(text) : splitAt(text, separator);
  if (limit < 0 || parts.length <= limit) return new ArrayList(parts);
  const rest = parts.slice(limit - 1).join(separator);
  return new ArrayList([...parts.slice(0, limit - 1), rest]);
}

const quotes: Readonly<Record<string, string>> = {
  '\x07': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': '\\\\',
  '"': String.raw`\"`,
};

function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the characters that need an escape
  return `"${text.replaceAll(/[\x07-\x0D\\"]/g, (character) => quotes[character] ?? character)}"`;
}

function join(list: ListValue, separator: string): Value {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== 'string')
      return item instanceof Failure ? item : new Failure(`join: invalid input: ${printValue(item)}`);
    parts.push(item);
  }
  const length = parts.reduce((sum, part) => sum + part.length, Math.max(0, parts.length - 1) * separator.length);
  return tooLong(length) ?? parts.join(separator);
}

/** Functions whose target and `texts - 1` arguments are texts and whose further arguments are whole numbers. */
function onTexts(texts: number, compute: (texts: readonly string[], numbers: readonly bigint[]) => Value) {
  return (args: readonly Value[]): Value => {
    const given = args.slice(0, texts).filter((arg) => typeof arg === 'string');
    const numbers = args.slice(texts).filter((arg) => typeof arg === 'bigint');
    if (given.length + numbers.length < args.length || given.length < texts) return noSuchOverload();
    return compute(given, numbers);
  };
}

const limitOf = (limit: bigint | undefined): number => Number(limit ?? -1n);

/** Functions on texts. */
export const textFunctions: Implementations = {
  contains: onTexts(2, ([text = '', part = '']) => part === '' || findFirst(text, part) >= 0),
  startsWith: onTexts(2, ([text = '', part = '']) => text.startsWith(part)),
  endsWith: onTexts(2, ([text = '', part = '']) => text.endsWith(part)),
  charAt: onTexts(1, ([text = ''], [index = 0n]) => charAt(text, index)),
  string_index_of_string: onTexts(2, ([text = '', part = '']) => indexOf(text, part, 0n)),
  string_index_of_string_int: onTexts(2, ([text = '', part = ''], [from = 0n]) => indexOf(text, part, from)),
  string_last_index_of_string: onTexts(2, ([text = '', part = '']) => lastIndexOf(text, part, undefined)),
  string_last_index_of_string_int: onTexts(2, ([text = '', part = ''], [from]) => lastIndexOf(text, part, from)),
  lowerAscii: onTexts(1, ([text = '']) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())),
  upperAscii: onTexts(1, ([text = '']) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())),
  replace: onTexts(3, ([text = '', from = '', to = ''], [limit]) => replace(text, [from, to], limitOf(limit))),
  split: onTexts(2, ([text = '', separator = ''], [limit]) => split(text, separator, limitOf(limit))),
  substring: onTexts(1, ([text = ''], [start = 0n, end]) => substring(text, start, end)),
  trim: onTexts(1, ([text = '']) => text.trim()),
  'strings.quote': onTexts(1, ([text = '']) => quote(text)),
  join: ([list = null, separator = '']) =>
    list instanceof ListValue && typeof separator === 'string' ? join(list, separator) : noSuchOverload(list),
};
