import { goQuote, type JsonValue } from '../base/index.ts';
import { invalidField, invalidType, tooLongField } from './field-errors.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import { goFloat, goNumber } from './go-syntax.ts';
import { compilePattern } from './patterns.ts';
import type { Schema } from './schema.ts';
import type { Check, ValidationRun } from './validation-run.ts';

const maxSafe = 2 ** 63;

/** Reports `<field>: Invalid value: <value>: <path> in body <rule>`. */
export function reportRule(run: ValidationRun, value: JsonValue, rule: string): void {
  const { path } = run;
  run.report(invalidField(run.fieldOf(path), value, `${path} in body ${rule}`));
}

function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < maxSafe ? 'integer' : 'number';
  return typeof value;
}

const numberFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

function reportType(run: ValidationRun, expected: string, found: string): void {
  const { path } = run;
  run.report(invalidType(run.fieldOf(path), found, `${path} in body must be of type ${expected}: "${found}"`));
}

interface TypeRule {
  readonly types: readonly string[];
  /** One that texts are checked for. */
  readonly format: string | undefined;
}

/** What a value must be instead; undefined when it is valid. A value that is neither text nor list is measured by the format,
 *  a text or a list that has one passes. */
function expectedType(value: JsonValue, found: string, { types, format }: TypeRule): string | undefined {
  if (types.includes(found) || (found === 'integer' && types.includes('number'))) return undefined;
  if (format !== undefined) {
    if (typeof value !== 'string' && !Array.isArray(value)) return format;
    if (!types.includes('number') && !types.includes('integer')) return undefined;
  }
  return types.length === 0 ? undefined : types.join();
}

/** Checks `type` and null, and of `format` the parts that are about types. */
export function typeCheck(rule: TypeRule, nullable: boolean): Check {
  return (value, _old, run) => {
    if (value === null) {
      if (rule.types.length === 0 || nullable) return 1;
      reportType(run, rule.types.join(), 'null');
      return 0;
    }
    const found = jsonTypeOf(value);
    const expected = expectedType(value, found, rule);
    if (expected === undefined) return 1;
    reportType(run, expected, expected === rule.format ? (numberFormats[found] ?? '') : found);
    return 0;
  };
}

function lengthOf(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00) length -= 1;
  }
  return length;
}

/** Compiled when it is used, not with the schema: patterns that are not used take no memory. */
function patternTest(pattern = ''): (text: string) => boolean | undefined {
  return pattern === '' ? () => undefined : (text) => compilePattern(pattern)?.test(text);
}

/** Checks length (in characters, not bytes) and pattern of a text, of which the first that fails is reported. */
export function textCheck({ minLength, maxLength, pattern }: Schema): Check {
  const matches = patternTest(pattern);
  const isRead = minLength !== undefined || maxLength !== undefined || pattern !== undefined;
  return (value, _old, run) => {
    if (typeof value !== 'string') return 0;
    if (isRead) run.spend(value.length);
    if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
      run.report(tooLongField(run.fieldOf(run.path), maxLength));
    } else if (minLength !== undefined && lengthOf(value) < minLength) {
      reportRule(run, value, `should be at least ${minLength} chars long`);
    } else if (matches(value) === false) {
      reportRule(run, value, `should match '${pattern}'`);
    }
    return 1;
  };
}

/** Checks the form of a text that has a format; undefined for formats that no text is checked for. */
export function formatCheck(format: string | undefined): Check | undefined {
  if (format === undefined || !isKnownFormat(format)) return undefined;
  return (value, _old, run) => {
    if (typeof value !== 'string') return 0;
    run.spend(value.length);
    if (!hasFormat(value, format)) {
      const { path } = run;
      const rule = `${path} in body must be of type ${format}: ${goQuote(value)}`;
      run.report(invalidType(run.fieldOf(path), value, rule));
    }
    return 1;
  };
}

/** A limit as it counts for a value, and as it is printed: for an integer its whole part. */
function limitFor(value: number, limit: number): { readonly limit: number; readonly shown: string } {
  if (!Number.isInteger(value)) return { limit, shown: goFloat(limit) };
  return { limit: Math.trunc(limit), shown: goNumber(Math.trunc(limit)) };
}

function checkMultiple(value: number, multipleOf: number, run: ValidationRun): void {
  const { limit: factor, shown } = limitFor(value, multipleOf);
  const { path } = run;
  if (factor <= 0) {
    const rule = `factor MultipleOf declared for ${path} must be positive: ${shown}`;
    run.report(invalidField(run.fieldOf(path), factor, rule));
    return;
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  const isMultiple = Number.isInteger(value) ? value % factor === 0 : Number.isSafeInteger(times);
  if (!isMultiple) reportRule(run, value, `should be a multiple of ${shown}`);
}

function lowerProblem(value: number, { minimum, exclusiveMinimum }: Schema): string | undefined {
  if (minimum === undefined) return undefined;
  const { limit, shown } = limitFor(value, minimum);
  if (exclusiveMinimum === true) return value > limit ? undefined : `should be greater than ${shown}`;
  return value >= limit ? undefined : `should be greater than or equal to ${shown}`;
}

function upperProblem(value: number, { maximum, exclusiveMaximum }: Schema): string | undefined {
  if (maximum === undefined) return undefined;
  const { limit, shown } = limitFor(value, maximum);
  if (exclusiveMaximum === true) return value < limit ? undefined : `should be less than ${shown}`;
  return value <= limit ? undefined : `should be less than or equal to ${shown}`;
}

/** Checks multiple, minimum and maximum of a number. */
export function numberCheck(schema: Schema): Check {
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return () => 2;
  return (value, _old, run) => {
    if (typeof value !== 'number') return 0;
    if (multipleOf !== undefined) checkMultiple(value, multipleOf, run);
    for (const rule of [lowerProblem(value, schema), upperProblem(value, schema)]) {
      if (rule !== undefined) reportRule(run, value, rule);
    }
    return 2;
  };
}
