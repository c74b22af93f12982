import { goQuote, type JsonValue } from '../base/index.ts';
import type { FieldError } from './field-error.ts';
import { goNumber, goTyped, goUntyped } from './go-syntax.ts';
import { type GoValue, isGoValue } from './go-values.ts';

/** A value of a custom resource or of its schema: Go knows no type of it, and prints it so. */
export class UntypedValue {
  readonly value: JsonValue | undefined;

  constructor(value: JsonValue | undefined) {
    this.value = value;
  }
}

/** Shown without quotes, such as a time. */
export class PlainText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a message shows. */
export type ShownValue = JsonValue | UntypedValue | PlainText | GoValue | undefined;

/** A value as messages show it: texts quoted, numbers and booleans plain, all else in Go's syntax. */
function printValue(shown: ShownValue): string {
  if (shown instanceof PlainText) return shown.text;
  if (isGoValue(shown)) return shown.goSyntax;
  const value = shown instanceof UntypedValue ? shown.value : shown;
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  return shown instanceof UntypedValue ? goUntyped(value) : goTyped(value);
}

function behind(detail: string): string {
  return detail === '' ? '' : `: ${detail}`;
}

export function requiredField(field: string, detail = ''): FieldError {
  return {
    field,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  };
}

export function invalidField(field: string, value: ShownValue, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printValue(value)}${behind(detail)}` };
}

export function invalidType(field: string, value: ShownValue, detail: string): FieldError {
  return { field, reason: 'FieldValueTypeInvalid', message: `Invalid value: ${printValue(value)}${behind(detail)}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: detail === '' ? 'Forbidden' : `Forbidden: ${detail}` };
}

export function duplicateField(field: string, value: ShownValue): FieldError {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${printValue(value)}` };
}

export function notFoundField(field: string, value: ShownValue): FieldError {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${printValue(value)}` };
}

/** `supported` is printed in the order given. */
export function unsupportedField(field: string, value: ShownValue, supported: readonly JsonValue[]): FieldError {
  const list = supported.map((item) => printValue(item)).join(', ');
  const message = `Unsupported value: ${printValue(value)}: supported values: ${list}`;
  return { field, reason: 'FieldValueNotSupported', message };
}

export function tooLongField(field: string, limit: number): FieldError {
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limit} bytes` };
}

export function tooManyField(field: string, actual: number, limit: number): FieldError {
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${limit} items` };
}

export const immutableText = 'field is immutable';
