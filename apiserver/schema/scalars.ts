import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../http/status-error.ts';
import { invalidField, invalidType, tooLongField } from './field-errors.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import { compilePattern } from './patterns.ts';
import type { Schema } from './schema.ts';

/** `spec.x: Invalid value: …: spec.x in body <rule>` */
export function schemaError(path: string, value: JsonValue, rule: string): FieldError {
  return invalidField(path, value, `${path} in body ${rule}`);
}

function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeError(path: string, expected: string, found: string): FieldError {
  return invalidType(path, found, `${path} in body must be of type ${expected}: "${found}"`);
}

const goFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

/** Errors of `type`, `format` as far as it speaks about types, and of null. */
export function typeErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  const types = schemaTypes(schema);
  if (types.length === 0 || (value === null && schema.nullable === true)) return [];
  const found = jsonTypeOf(value);
  if (types.includes(found) || (found === 'integer' && types.includes('number'))) return [];
  if (isFormatted(value, schema)) return [typeError(path, schema.format ?? '', goFormats[found] ?? '')];
  return [typeError(path, types.join(), found)];
}

function schemaTypes(schema: Schema): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** A text with a known format that is no text at all is named by its format. */
function isFormatted(value: JsonValue, { type, format }: Schema): boolean {
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || isJsonObject(value);
  return isScalar && type === 'string' && format !== undefined && isKnownFormat(format);
}

/** Errors of length, pattern and format, each at most one, in that order. Lengths count characters, not bytes. */
export function stringErrors(text: string, schema: Schema, path: string): FieldError[] {
  const errors = lengthErrors(text, schema, path);
  const { pattern, format } = schema;
  if (errors.length === 0 && pattern !== undefined && compilePattern(pattern)?.test(text) === false) {
    errors.push(schemaError(path, text, `should match '${pattern}'`));
  }
  if (format !== undefined && schema.type === 'string' && !hasFormat(text, format)) {
    errors.push(invalidType(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
  }
  return errors;
}

function lengthErrors(text: string, { minLength, maxLength }: Schema, path: string): FieldError[] {
  if (minLength === undefined && maxLength === undefined) return [];
  const length =
    text.length <= (maxLength ?? 0) * 4 || text.length < 1_000_000 ? Array.from(text).length : text.length / 2;
  if (maxLength !== undefined && length > maxLength) return [tooLongField(path, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [schemaError(path, text, `should be at least ${minLength} chars long`)];
  }
  return [];
}

function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

function upperError(value: number, { maximum, exclusiveMaximum }: Schema): string | undefined {
  if (maximum === undefined) return undefined;
  if (exclusiveMaximum === true) return value < maximum ? undefined : `should be less than ${maximum}`;
  return value <= maximum ? undefined : `should be less than or equal to ${maximum}`;
}

function lowerError(value: number, { minimum, exclusiveMinimum }: Schema): string | undefined {
  if (minimum === undefined) return undefined;
  if (exclusiveMinimum === true) return value > minimum ? undefined : `should be greater than ${minimum}`;
  return value >= minimum ? undefined : `should be greater than or equal to ${minimum}`;
}

export function numberErrors(value: number, schema: Schema, path: string): FieldError[] {
  const { multipleOf } = schema;
  const factor =
    multipleOf === undefined || isMultiple(value, multipleOf) ? undefined : `should be a multiple of ${multipleOf}`;
  const rules = [factor, upperError(value, schema), lowerError(value, schema)];
  return rules.filter((rule) => rule !== undefined).map((rule) => schemaError(path, value, rule));
}
