import {
  firstIndexes,
  isRepeated,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  duplicateField,
  type FieldError,
  goLiteral,
  invalidField,
  qualifiedNameProblems,
  requiredField,
  tooManyField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { numberAt } from '../../core/index.ts';
import { each, invalids } from './checks.ts';

const mostRules = 20;
const mostPatterns = 20;
const mostCodes = 255;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const statuses = ['False', 'True', 'Unknown'];

function quotedList(texts: readonly string[]): string {
  return `valid values: [${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

function choiceErrors(value: string, field: string, supported: readonly string[]): FieldError[] {
  if (value === '') return [requiredField(field, quotedList(supported))];
  return supported.includes(value) ? [] : [unsupportedField(field, value, supported)];
}

function actionErrors(rule: JsonObject, field: string, job: JsonObject): FieldError[] {
  const action = textAt(rule, 'action');
  if (action !== 'FailIndex') return choiceErrors(action, field, actions);
  const hasLimit = numberAt(job, 'backoffLimitPerIndex') !== undefined;
  return hasLimit ? [] : [invalidField(field, action, 'requires the backoffLimitPerIndex to be set')];
}

function codesOf(requirement: JsonObject): number[] {
  return listAt(requirement, 'values').map((value) => (typeof value === 'number' ? value : 0));
}

function codeErrors(requirement: JsonObject, path: string): FieldError[] {
  const codes = codesOf(requirement);
  const isIn = textAt(requirement, 'operator') === 'In';
  const shown = goLiteral(`[]int32{${codes.join(', ')}}`);
  const errors: FieldError[] = [];
  if (codes.length === 0) errors.push(invalidField(path, shown, 'at least one value is required'));
  if (codes.length > mostCodes) errors.push(tooManyField(path, codes.length, mostCodes));
  const first = firstIndexes(codes);
  codes.forEach((code, index) => {
    const field = `${path}[${index}]`;
    if (isIn && code === 0) errors.push(invalidField(field, code, 'must not be 0 for the In operator'));
    if (isRepeated(first, code, index)) errors.push(duplicateField(field, code));
  });
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? errors : [...errors, invalidField(path, shown, 'must be ordered')];
}

function exitCodeErrors(requirement: JsonObject, path: string, job: JsonObject): FieldError[] {
  const container = valueAt(requirement, 'containerName');
  const spec = objectAt(job, 'template', 'spec');
  const names = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const isKnown = typeof container !== 'string' || names.some((item) => textAt(item, 'name') === container);
  const text = 'must be one of the container or initContainer names in the pod template';
  return [
    ...choiceErrors(textAt(requirement, 'operator'), `${path}.operator`, ['In', 'NotIn']),
    ...(isKnown ? [] : [invalidField(`${path}.containerName`, container, text)]),
    ...codeErrors(requirement, `${path}.values`),
  ];
}

function conditionErrors(rule: JsonObject, path: string): FieldError[] {
  const count = objectsAt(rule, 'onPodConditions').length;
  const list = `${path}.onPodConditions`;
  return [
    ...(count > mostPatterns ? [tooManyField(list, count, mostPatterns)] : []),
    ...each(rule, { path, key: 'onPodConditions' }, (pattern, at) => {
      const type = textAt(pattern, 'type');
      return [
        ...invalids(`${at}.type`, type, qualifiedNameProblems(type)),
        ...choiceErrors(textAt(pattern, 'status'), `${at}.status`, statuses),
      ];
    }),
  ];
}

function withoutValue(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
}

function ruleErrors(rule: JsonObject, path: string, job: JsonObject): FieldError[] {
  const codes = objectAt(rule, 'onExitCodes');
  const hasConditions = objectsAt(rule, 'onPodConditions').length > 0;
  const errors = [
    ...actionErrors(rule, `${path}.action`, job),
    ...(codes === undefined ? [] : exitCodeErrors(codes, `${path}.onExitCodes`, job)),
    ...conditionErrors(rule, path),
  ];
  if (codes !== undefined && hasConditions) {
    errors.push(withoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (codes === undefined && !hasConditions) {
    errors.push(withoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

/** Errors of `podFailurePolicy` of the spec of a job. */
export function failurePolicyErrors(job: JsonObject, path: string): FieldError[] {
  const policy = objectAt(job, 'podFailurePolicy');
  if (policy === undefined) return [];
  const at = `${path}.podFailurePolicy`;
  const count = objectsAt(policy, 'rules').length;
  return [
    ...(count > mostRules ? [tooManyField(`${at}.rules`, count, mostRules)] : []),
    ...each(policy, { path: at, key: 'rules' }, (rule, field) => ruleErrors(rule, field, job)),
  ];
}
