import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  goLiteral,
  invalidField,
  requiredField,
  tooLongField,
  tooManyField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { numberAt } from '../../core/index.ts';
import { choice, each, invalids, notNegative } from './checks.ts';
import { failurePolicyErrors } from './job-failure-policy.ts';
import { countIndexes } from './job-indexes.ts';
import { templateErrors } from './pod/template.ts';

const mostIndexedPods = 100_000;
const manyCompletions = 100_000;
const mostWithManyCompletions = 10_000;
const longestManager = 63;
const longestIndexes = 64 * 1024;
const mostSuccessRules = 20;
const httpPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const httpPathText = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

function managerErrors(spec: JsonObject, path: string): FieldError[] {
  const manager = valueAt(spec, 'managedBy');
  if (typeof manager !== 'string') return [];
  const field = `${path}.managedBy`;
  const errors = prefixedPathErrors(manager, field);
  return manager.length > longestManager ? [...errors, tooLongField(field, longestManager)] : errors;
}

/** `acme.io/foo` */
function prefixedPathErrors(text: string, field: string): FieldError[] {
  if (text === '') return [requiredField(field)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === '' || rest === '') {
    return [invalidField(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = invalids(field, host, dns1123SubdomainProblems(host));
  return httpPath.test(rest) ? errors : [...errors, invalidField(field, rest, httpPathText)];
}

interface Numbers {
  readonly completions: number | undefined;
  readonly parallelism: number | undefined;
  readonly limitPerIndex: number | undefined;
  readonly mostFailed: number | undefined;
}

function numbersOf(spec: JsonObject): Numbers {
  return {
    completions: numberAt(spec, 'completions'),
    parallelism: numberAt(spec, 'parallelism'),
    limitPerIndex: numberAt(spec, 'backoffLimitPerIndex'),
    mostFailed: numberAt(spec, 'maxFailedIndexes'),
  };
}

function atMost(
  value: number | undefined,
  limit: number,
  place: { readonly field: string; readonly when?: string },
): FieldError[] {
  if (value === undefined || value <= limit) return [];
  const text = `must be less than or equal to ${limit}${place.when === undefined ? '' : ` when ${place.when}`}`;
  return [invalidField(place.field, value, text)];
}

function manyIndexErrors(
  { completions = 0, parallelism, limitPerIndex, mostFailed }: Numbers,
  path: string,
): FieldError[] {
  if (completions <= manyCompletions || limitPerIndex === undefined) return [];
  const when = `completions are above ${manyCompletions} and used with backoff limit per index`;
  const field = `${path}.maxFailedIndexes`;
  const missing = requiredField(field, `must be specified when completions is above ${manyCompletions}`);
  return [
    ...(mostFailed === undefined ? [missing] : []),
    ...atMost(parallelism, mostWithManyCompletions, { field: `${path}.parallelism`, when }),
    ...atMost(mostFailed, mostWithManyCompletions, { field, when }),
  ];
}

function indexedErrors(numbers: Numbers, path: string): FieldError[] {
  const { completions, parallelism, mostFailed } = numbers;
  const field = `${path}.maxFailedIndexes`;
  const errors =
    completions === undefined ? [requiredField(`${path}.completions`, 'when completion mode is Indexed')] : [];
  errors.push(
    ...atMost(parallelism, mostIndexedPods, { field: `${path}.parallelism`, when: 'completion mode is Indexed' }),
  );
  if (completions !== undefined && mostFailed !== undefined && mostFailed > completions) {
    errors.push(invalidField(field, mostFailed, 'must be less than or equal to completions'));
  }
  return [...errors, ...atMost(mostFailed, mostIndexedPods, { field }), ...manyIndexErrors(numbers, path)];
}

function modeErrors(spec: JsonObject, path: string): FieldError[] {
  const mode = valueAt(spec, 'completionMode') ?? 'NonIndexed';
  const numbers = numbersOf(spec);
  const errors = choice(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') return [...errors, ...indexedErrors(numbers, path)];
  if (mode !== 'NonIndexed') return errors;
  const text = 'requires indexed completion mode';
  const given = { backoffLimitPerIndex: numbers.limitPerIndex, maxFailedIndexes: numbers.mostFailed };
  const wrong = Object.entries(given).filter(([, value]) => value !== undefined);
  return [...errors, ...wrong.map(([key, value]) => invalidField(`${path}.${key}`, value, text))];
}

function successRuleErrors(rule: JsonObject, path: string, completions: number): FieldError[] {
  const [count, indexes] = [numberAt(rule, 'succeededCount'), valueAt(rule, 'succeededIndexes')];
  if (count === undefined && typeof indexes !== 'string') {
    return [requiredField(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const named = typeof indexes === 'string' ? countIndexes(indexes, completions) : undefined;
  const errors = typeof indexes === 'string' ? indexTextErrors(indexes, named, `${path}.succeededIndexes`) : [];
  if (count === undefined) return errors;
  const field = `${path}.succeededCount`;
  errors.push(...notNegative(rule, path, ['succeededCount']));
  if (count > completions) {
    const what = `(the number of specified completions)`;
    errors.push(invalidField(field, count, `must be less than or equal to ${completions} ${what}`));
  }
  const total = typeof named === 'number' ? named : 0;
  if (named !== undefined && count > total) {
    const what = '(the number of indexes in the specified succeededIndexes field)';
    errors.push(invalidField(field, count, `must be less than or equal to ${total} ${what}`));
  }
  return errors;
}

function indexTextErrors(text: string, named: number | string | undefined, field: string): FieldError[] {
  const errors = text.length > longestIndexes ? [tooLongField(field, longestIndexes)] : [];
  if (typeof named !== 'string') return errors;
  return [...errors, invalidField(field, text, `error parsing succeededIndexes: ${named}`)];
}

function successPolicyErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = objectAt(spec, 'successPolicy');
  if (policy === undefined) return [];
  const at = `${path}.successPolicy`;
  const rules = objectsAt(policy, 'rules');
  if (valueAt(spec, 'completionMode') !== 'Indexed')
    return [invalidField(at, shownPolicy(rules), 'requires indexed completion mode')];
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    const text = 'at least one rules must be specified when the successPolicy is specified';
    errors.push(requiredField(`${at}.rules`, text));
  }
  if (rules.length > mostSuccessRules) errors.push(tooManyField(`${at}.rules`, rules.length, mostSuccessRules));
  const completions = numberAt(spec, 'completions') ?? 0;
  return [
    ...errors,
    ...each(policy, { path: at, key: 'rules' }, (rule, field) => successRuleErrors(rule, field, completions)),
  ];
}

function shownPolicy(rules: readonly JsonObject[]): ReturnType<typeof goLiteral> {
  const pointer = (rule: JsonObject, key: string, type: string): string =>
    `(*${type})${valueAt(rule, key) === undefined ? '(nil)' : '(0xc000000000)'}`;
  const shown = rules.map(
    (rule) =>
      `batch.SuccessPolicyRule{SucceededIndexes:${pointer(rule, 'succeededIndexes', 'string')}, SucceededCount:${pointer(rule, 'succeededCount', 'int32')}}`,
  );
  const list = rules.length === 0 ? '[]batch.SuccessPolicyRule(nil)' : `[]batch.SuccessPolicyRule{${shown.join(', ')}}`;
  return goLiteral(`batch.SuccessPolicy{Rules:${list}}`);
}

function replacementErrors(spec: JsonObject, path: string): FieldError[] {
  const hasPolicy = objectAt(spec, 'podFailurePolicy') !== undefined;
  const supported = hasPolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return choice(`${path}.podReplacementPolicy`, valueAt(spec, 'podReplacementPolicy'), supported);
}

function restartErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = textAt(objectAt(spec, 'template', 'spec'), 'restartPolicy');
  const field = `${path}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') return [requiredField(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [unsupportedField(field, policy, ['OnFailure', 'Never'])];
  if (policy === 'Never' || objectAt(spec, 'podFailurePolicy') === undefined) return [];
  return [invalidField(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** Errors of a JobSpec, in a Job or in a template of one. */
export function jobSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const lacksLimit =
    numberAt(spec, 'maxFailedIndexes') !== undefined && numberAt(spec, 'backoffLimitPerIndex') === undefined;
  const limit = requiredField(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  return [
    ...notNegative(spec, path, counts),
    ...(lacksLimit ? [limit] : []),
    ...managerErrors(spec, path),
    ...modeErrors(spec, path),
    ...failurePolicyErrors(spec, path),
    ...successPolicyErrors(spec, path),
    ...replacementErrors(spec, path),
    ...templateErrors(objectAt(spec, 'template'), `${path}.template`),
    ...restartErrors(spec, path),
  ];
}
