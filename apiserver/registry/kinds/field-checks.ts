import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';

/** An error for each reason why `text` may not be used. */
export function problemErrors(field: string, text: string, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalidField(field, text, problem));
}

/** Errors of a text that must be one of `choices`, which are printed in the order given; absent is fine. */
export function choiceErrors(field: string, value: JsonValue | undefined, choices: readonly string[]): FieldError[] {
  if (value === undefined || value === null) return [];
  return typeof value === 'string' && choices.includes(value) ? [] : [unsupportedField(field, value, choices)];
}

/** The same of a text that must be there. */
export function requiredChoiceErrors(field: string, text: string, choices: readonly string[]): FieldError[] {
  return text === '' ? [requiredField(field)] : choiceErrors(field, text, choices);
}

/** Errors of a number that must not be below zero; absent is fine. */
export function negativeErrors(field: string, value: JsonValue | undefined): FieldError[] {
  const isNegative = typeof value === 'number' && value < 0;
  return isNegative ? [invalidField(field, value, 'must be greater than or equal to 0')] : [];
}

/** `field is immutable`, when it is not. */
export function immutableErrors(field: string, now: JsonValue | undefined, isSame: boolean): FieldError[] {
  return isSame ? [] : [invalidField(field, now, immutableText)];
}

/** Errors of all objects of a list, each with its path. */
export function eachErrors(
  list: readonly JsonObject[],
  path: string,
  check: (item: JsonObject, field: string, index: number) => FieldError[],
): FieldError[] {
  return list.flatMap((item, index) => check(item, `${path}[${index}]`, index));
}

/** `Forbidden` when `isThere`. */
export function forbiddenWhen(isThere: boolean, field: string, detail: string): FieldError[] {
  return isThere ? [forbiddenField(field, detail)] : [];
}
