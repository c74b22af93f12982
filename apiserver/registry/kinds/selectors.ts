import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  labelValueProblems,
  qualifiedNameProblems,
  requiredField,
} from '../../../src/schema/index.ts';
import { labelErrors, textsAt } from '../../core/index.ts';
import { each, invalids } from './checks.ts';

/** LabelSelectors in objects: their rules, and whether they choose a set of labels. */

function operandErrors(operator: string, count: number, path: string): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    const text = "must be specified when `operator` is 'In' or 'NotIn'";
    return count === 0 ? [requiredField(`${path}.values`, text)] : [];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return count > 0 ? [forbiddenField(`${path}.values`, text)] : [];
  }
  return [invalidField(`${path}.operator`, operator, 'not a valid selector operator')];
}

function requirementErrors(requirement: JsonObject, path: string): FieldError[] {
  const [operator, key] = [textAt(requirement, 'operator'), textAt(requirement, 'key')];
  const values = listOfTexts(requirement, 'values');
  return [
    ...operandErrors(operator, values.length, path),
    ...invalids(`${path}.key`, key, qualifiedNameProblems(key)),
    ...values.flatMap((value, index) => invalids(`${path}.values[${index}]`, value, labelValueProblems(value))),
  ];
}

/** Errors of a LabelSelector; absent is fine. */
export function selectorErrors(selector: JsonObject | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...labelErrors(textsAt(selector, 'matchLabels'), `${path}.matchLabels`),
    ...each(selector, { path, key: 'matchExpressions' }, requirementErrors),
  ];
}

/** Whether the selector is empty, and so selects everything. */
export function isEmptySelector(selector: JsonObject): boolean {
  const labels = Object.keys(objectAt(selector, 'matchLabels') ?? {});
  return labels.length === 0 && objectsAt(selector, 'matchExpressions').length === 0;
}

/** Whether the server can make a matcher of it: unlike `selectorErrors`, in which a value may be wrong in its form alone. */
export function isUsableSelector(selector: JsonObject | undefined): boolean {
  return selectorErrors(selector, '').length === 0;
}

function meets(requirement: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const key = textAt(requirement, 'key');
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const values = listOfTexts(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** Whether the selector chooses what has these labels; an absent one chooses nothing. */
export function selects(selector: JsonObject | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false;
  const required = Object.entries(textsAt(selector, 'matchLabels'));
  const isMatch = required.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  return isMatch && objectsAt(selector, 'matchExpressions').every((requirement) => meets(requirement, labels));
}
