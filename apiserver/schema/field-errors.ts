import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../http/status-error.ts';

const goEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\u0007': '\\a',
};

/** A text in double quotes as Go's `%q` prints it. */
function quote(text: string): string {
  const escaped = text.replaceAll(/["\\\p{Cc}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return (
      goEscapes[character] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u00${code.toString(16)}`)
    );
  });
  return `"${escaped}"`;
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A value as messages show it: texts quoted, all else as compact JSON. */
function printValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'null';
  return typeof value === 'string' ? quote(value) : JSON.stringify(value, sortedKeys);
}

export function requiredField(field: string, detail = ''): FieldError {
  return {
    field,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  };
}

export function invalidField(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printValue(value)}: ${detail}` };
}

export function invalidType(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { field, reason: 'FieldValueTypeInvalid', message: `Invalid value: ${printValue(value)}: ${detail}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: detail === '' ? 'Forbidden' : `Forbidden: ${detail}` };
}

export function duplicateField(field: string, value: JsonValue | undefined): FieldError {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${printValue(value)}` };
}

export function notFoundField(field: string, value: JsonValue): FieldError {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${printValue(value)}` };
}

/** `supported` is printed in the order given. */
export function unsupportedField(
  field: string,
  value: JsonValue | undefined,
  supported: readonly JsonValue[],
): FieldError {
  const list = supported.map((item) => printValue(item)).join(', ');
  const message = `Unsupported value: ${printValue(value)}: supported values: ${list}`;
  return { field, reason: 'FieldValueNotSupported', message };
}

export function tooLongField(field: string, limit: number): FieldError {
  const unit = limit === 1 ? 'byte' : 'bytes';
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limit} ${unit}` };
}

export function tooManyField(field: string, actual: number, limit: number): FieldError {
  const unit = limit === 1 ? 'item' : 'items';
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${limit} ${unit}` };
}

export const immutableText = 'field is immutable';
