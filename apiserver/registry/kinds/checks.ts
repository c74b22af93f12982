import { isJsonEqual, type JsonObject, type JsonValue, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  type GoValue,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { numberAt } from '../../core/index.ts';

/** Rules that many kinds share. Each gives the errors of one field, none when all is well. */

export const notNegativeText = 'must be greater than or equal to 0';
export const greatestInt32 = 2_147_483_647;

/** One error for each problem. */
export function invalids(field: string, value: JsonValue | undefined, problems: readonly string[]): FieldError[] {
  return problems.length === 0 ? [] : problems.map((problem) => invalidField(field, value, problem));
}

/** Texts that must not be empty. */
export function requiredTexts(object: JsonObject, path: string, keys: readonly string[]): FieldError[] {
  const missing = keys.filter((key) => textAt(object, key) === '');
  return missing.map((key) => requiredField(`${path}.${key}`));
}

/** Numbers that must not be below zero; absent is fine. */
export function notNegative(object: JsonObject | undefined, path: string, keys: readonly string[]): FieldError[] {
  const low = keys.filter((key) => (numberAt(object, key) ?? 0) < 0);
  return low.map((key) => invalidField(`${path}.${key}`, numberAt(object, key), notNegativeText));
}

/** A text that must be one of a few; an empty one is refused with the rest, an absent one is fine. */
export function choice(field: string, value: JsonValue | undefined, supported: readonly string[]): FieldError[] {
  if (typeof value !== 'string' || supported.includes(value)) return [];
  return [unsupportedField(field, value, supported)];
}

/** A text that must be there and one of a few. */
export function requiredChoice(field: string, value: string, supported: readonly string[]): FieldError[] {
  return value === '' ? [requiredField(field)] : choice(field, value, supported);
}

/** Errors of each object of a list, at `path[index]`. */
export function each(
  parent: JsonObject | undefined,
  place: { readonly path: string; readonly key: string },
  rule: (item: JsonObject, path: string, index: number) => readonly FieldError[],
): FieldError[] {
  const items = valueAt(parent, place.key);
  if (!Array.isArray(items)) return [];
  return objectsAt(parent, place.key).flatMap((item, index) =>
    rule(item, `${place.path}.${place.key}[${index}]`, index),
  );
}

/** `must be between 1 and 65535, inclusive` */
export function rangeText(first: number, last: number): string {
  return `must be between ${first} and ${last}, inclusive`;
}

/** Empty for a number from `first` to `last`. */
export function rangeProblems(value: number, first: number, last: number): string[] {
  return value >= first && value <= last ? [] : [rangeText(first, last)];
}

export function portNumberProblems(port: number): string[] {
  return rangeProblems(port, 1, 65_535);
}

/** `field is immutable`, when two values differ. */
export function immutable(
  field: string,
  change: { readonly now: JsonValue | undefined; readonly before: JsonValue | undefined },
  show: (value: JsonValue | undefined) => JsonValue | GoValue | undefined = (value) => value,
): FieldError[] {
  return isJsonEqual(change.now ?? null, change.before ?? null)
    ? []
    : [invalidField(field, show(change.now), immutableText)];
}

/** Errors of a number that must not be below zero; absent is fine. */
export function negativeErrors(field: string, value: JsonValue | undefined): FieldError[] {
  const isNegative = typeof value === 'number' && value < 0;
  return isNegative ? [invalidField(field, value, notNegativeText)] : [];
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
