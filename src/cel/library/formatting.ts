import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  noSuchOverload,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/value.ts';
import { printDouble, toText } from './conversions.ts';
import type { Implementations } from './declare.ts';

const defaultPrecision = 6;
const maxPrecision = 100;
const stringTypes = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

function quote(text: string): string {
  return JSON.stringify(text);
}

/** A value inside a list or map: as the language would write it. */
function formatInner(value: Value): string | Failure {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? value.toFixed(defaultPrecision) : quote(printDouble(value));
  const text = value instanceof ListValue || value instanceof MapValue ? formatString(value) : toText(value);
  if (typeof text !== 'string') return new Failure(`no formatting function for ${typeNameOf(value)}`);
  if (value instanceof Uint8Array) return `b${quote(text)}`;
  if (value instanceof Timestamp) return `timestamp(${quote(text)})`;
  return value instanceof Duration ? `duration(${quote(text)})` : text;
}

function formatList(list: ListValue): string | Failure {
  const parts: string[] = [];
  for (const item of list) {
    const text = formatInner(item);
    if (text instanceof Failure) return text;
    parts.push(text);
  }
  return `[${parts.join(', ')}]`;
}

function formatMap(map: MapValue): string | Failure {
  const parts: string[] = [];
  for (const key of map.keys()) {
    const [name, value] = [formatInner(key), formatInner(map.find(key) ?? null)];
    if (name instanceof Failure) return name;
    if (value instanceof Failure) return value;
    parts.push(`${name}:${value}`);
  }
  return `{${parts.toSorted().join(', ')}}`;
}

function formatString(value: Value): string | Failure {
  if (value instanceof ListValue) return formatList(value);
  if (value instanceof MapValue) return formatMap(value);
  const text = value instanceof TypeValue ? value.name : toText(value);
  return typeof text === 'string' && isPrintable(value) ? text : wrongType('string', stringTypes, value);
}

function isPrintable(value: Value): boolean {
  return (
    typeof value !== 'object' ||
    !typeNameOf(value).includes('.') ||
    value instanceof Timestamp ||
    value instanceof Duration
  );
}

/** Why a clause cannot show a value. */
export function wrongType(clause: string, allowed: string, value: Value | string): Failure {
  const name = typeof value === 'string' ? value : typeNameOf(value);
  return new Failure(`${clause} clause can only be used on ${allowed}, was given ${name}`);
}

function formatDecimal(value: Value): string | Failure {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint ? String(value.value) : wrongType('decimal', 'integers', value);
}

const special = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function asDouble(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? special.get(value) : undefined;
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const parts = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? parts : `${parts}.${fraction}`;
}

function printSpecial(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '\u221E' : '-\u221E';
}

function formatFixed(value: Value, precision: number): string | Failure {
  const double = asDouble(value);
  if (double === undefined) return wrongType('fixed-point', 'doubles', value);
  return Number.isFinite(double) ? grouped(double.toFixed(Math.min(precision, maxPrecision))) : printSpecial(double);
}

const superscripts = '\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079';

function formatScientific(value: Value, precision: number): string | Failure {
  const double = asDouble(value);
  if (double === undefined) return wrongType('scientific', 'doubles', value);
  if (!Number.isFinite(double)) return printSpecial(double);
  const [mantissa = '', exponent = '0'] = double.toExponential(Math.min(precision, maxPrecision)).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)] ?? '').join('');
  return `${mantissa}\u00D710${Number(exponent) < 0 ? '\u207B' : ''}${raised}`;
}

function formatInBase(clause: string, allowed: string, base: number) {
  return (value: Value): string | Failure => {
    if (typeof value === 'bigint') return value.toString(base);
    if (value instanceof Uint) return value.value.toString(base);
    if (typeof value === 'boolean' && base === 2) return value ? '1' : '0';
    return wrongType(clause, allowed, value);
  };
}

const inHex = formatInBase('hex', 'integers, byte buffers, and strings', 16);

function formatHex(value: Value): string | Failure {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : inHex(value);
}

type Formatter = (value: Value, precision: number) => string | Failure;

function upper(formatter: Formatter): Formatter {
  return (value, precision) => {
    const text = formatter(value, precision);
    return text instanceof Failure ? text : text.toUpperCase();
  };
}

const formatters: Readonly<Record<string, Formatter>> = {
  s: formatString,
  d: formatDecimal,
  f: formatFixed,
  e: formatScientific,
  b: formatInBase('binary', 'integers and bools', 2),
  x: formatHex,
  X: upper(formatHex),
  o: formatInBase('octal', 'integers', 8),
};

/** A piece of a format: a text, or a clause that shows the next argument. */
export type FormatPiece = string | { readonly letter: string; readonly precision: number };

/** Reads `%.3f and %s`; a Failure at the clause that is none, after the pieces before it. */
export function readFormat(format: string): (FormatPiece | Failure)[] {
  const pieces: (FormatPiece | Failure)[] = [];
  const plain = /(?:[^%]|%%)+/y;
  let at = 0;
  while (at < format.length) {
    plain.lastIndex = at;
    const text = plain.exec(format)?.[0];
    if (text !== undefined) {
      pieces.push(text.replaceAll('%%', '%'));
      at += text.length;
      continue;
    }
    const [piece, length] = readClause(format, at);
    pieces.push(piece);
    if (piece instanceof Failure) return pieces;
    at += length;
  }
  return pieces;
}

/** The clause that begins at a place, and its length. */
function readClause(text: string, at: number): readonly [FormatPiece | Failure, number] {
  const bad = (why: string): readonly [Failure, number] => [
    new Failure(`could not parse formatting clause: ${why}`),
    0,
  ];
  if (at + 1 === text.length) return [new Failure('unexpected end of string'), 0];
  const places = /%\.(\d*)/y;
  places.lastIndex = at;
  const precision = places.exec(text);
  const start = precision?.[0].length ?? 1;
  const code = text.codePointAt(at + start);
  if (code === undefined) return bad('error while parsing precision: could not find end of precision specifier');
  if (precision?.[1] === '') {
    const why = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    return bad(`error while parsing precision: ${why}`);
  }
  const letter = String.fromCodePoint(code);
  if (!Object.hasOwn(formatters, letter)) return bad(`unrecognized formatting clause "${letter}"`);
  return [{ letter, precision: precision === null ? defaultPrecision : Number(precision[1]) }, start + 1];
}

function format(text: string, list: ListValue): Value {
  let result = '';
  let index = 0;
  for (const piece of readFormat(text)) {
    if (typeof piece === 'string') {
      result += piece;
      continue;
    }
    if (index >= list.size) return new Failure(`index ${index} out of range`);
    if (piece instanceof Failure) return piece;
    const shown = formatters[piece.letter]?.(list.at(index), piece.precision) ?? '';
    if (shown instanceof Failure) return new Failure(`error during formatting: ${shown.message}`);
    result += shown;
    index += 1;
  }
  return result;
}

/** `'%s'.format([x])` */
export const formatFunctions: Implementations = {
  format: ([text = null, list = null]) =>
    typeof text === 'string' && list instanceof ListValue ? format(text, list) : noSuchOverload(text),
};
