import { type JsonObject, type JsonValue, valueAt } from '../../../src/base/index.ts';
import { type FieldError, goIntOrString, invalidField } from '../../../src/schema/index.ts';
import { notNegativeText } from './checks.ts';

/** Numbers of pods that may also be given as a percentage of all. */

const percent = /^[0-9]+%$/;
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function isPercent(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && percent.test(value);
}

/** The number, of pods or of percent; what is neither counts as zero. */
export function shareAmount(value: JsonValue | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  const digits = /^[+-]?\d+(?=%?$)/.exec(value)?.[0];
  return digits === undefined ? 0 : Number(digits);
}

/** Errors of its form; an absent one counts as 0. */
export function shareFormErrors(parent: JsonObject | undefined, path: string, key: string): FieldError[] {
  const value = valueAt(parent, key);
  const field = `${path}.${key}`;
  if (typeof value === 'string') {
    return percent.test(value) ? [] : [invalidField(field, goIntOrString(value), percentText)];
  }
  const count = typeof value === 'number' ? value : 0;
  return count < 0 ? [invalidField(field, count, notNegativeText)] : [];
}

/** Error of a percentage of more than all. */
export function shareLimitErrors(parent: JsonObject | undefined, path: string, key: string): FieldError[] {
  const value = valueAt(parent, key);
  const isTooMuch = isPercent(value) && shareAmount(value) > 100;
  return isTooMuch ? [invalidField(`${path}.${key}`, goIntOrString(value), 'must not be greater than 100%')] : [];
}
