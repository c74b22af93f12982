import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { forbiddenField, immutableText, invalidField } from '../../schema/field-errors.ts';

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
