import { isJsonEqual, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { labelValueProblems, qualifiedNameProblems } from '../names.ts';
import { annotationErrors, labelErrors } from '../object-meta.ts';
import { isTimeZone, scheduleProblem } from './cron-schedule.ts';
import { podSpecErrors } from './pod-validation.ts';
import { asJson, listOfTexts, numberAt, objectAt, objectsAt, textAt, textsAt, valueAt } from './reading.ts';

function specOf(object: KubeObject): JsonObject | undefined {
  return objectAt(asJson(object), 'spec');
}

function requirementErrors(requirement: JsonObject, path: string): FieldError[] {
  const [operator, key] = [textAt(requirement, 'operator'), textAt(requirement, 'key')];
  const values = listOfTexts(requirement, 'values');
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(requiredField(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbiddenField(`${path}.values`, why));
  } else errors.push(invalidField(`${path}.operator`, operator, 'not a valid selector operator'));
  errors.push(...qualifiedNameProblems(key).map((problem) => invalidField(`${path}.key`, key, problem)));
  values.forEach((value, index) => {
    errors.push(
      ...labelValueProblems(value).map((problem) => invalidField(`${path}.values[${index}]`, value, problem)),
    );
  });
  return errors;
}

/** Errors of a LabelSelector. */
export function selectorErrors(selector: JsonObject | undefined, path: string): FieldError[] {
  return [
    ...labelErrors(textsAt(selector, 'matchLabels'), `${path}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((item, index) =>
      requirementErrors(item, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function meets(requirement: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(requirement, 'key')];
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

function selects(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const isMatch = Object.entries(textsAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value);
  return isMatch && objectsAt(selector, 'matchExpressions').every((requirement) => meets(requirement, labels));
}

function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 &&
    objectsAt(selector, 'matchExpressions').length === 0
  );
}

/** The selector of a workload: there, well formed, not empty, and one that its own template meets. */
function ownSelectorErrors(spec: JsonObject | undefined, kind: string): FieldError[] {
  const selector = objectAt(spec, 'selector');
  const labels = textsAt(spec, 'template', 'metadata', 'labels');
  const mismatch = invalidField('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
  if (selector === undefined) return [requiredField('spec.selector'), mismatch];
  const errors = selectorErrors(selector, 'spec.selector');
  if (errors.length > 0) return [...errors, invalidField('spec.selector', selector, 'invalid label selector')];
  if (isEmptySelector(selector))
    return [invalidField('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  return selects(selector, labels) ? [] : [mismatch];
}

function matchErrors(spec: JsonObject | undefined): FieldError[] {
  const labels = textsAt(spec, 'template', 'metadata', 'labels');
  const isMatch = selects(objectAt(spec, 'selector') ?? {}, labels);
  return isMatch
    ? []
    : [invalidField('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function countErrors(spec: JsonObject | undefined, keys: readonly string[], prefix = 'spec'): FieldError[] {
  return keys.flatMap((key) => {
    const value = numberAt(spec, key) ?? 0;
    return value < 0 ? [invalidField(`${prefix}.${key}`, value, 'must be greater than or equal to 0')] : [];
  });
}

function templateErrors(template: JsonObject | undefined, path: string): FieldError[] {
  return [
    ...labelErrors(textsAt(template, 'metadata', 'labels'), `${path}.labels`),
    ...annotationErrors(textsAt(template, 'metadata', 'annotations'), `${path}.annotations`),
    ...podSpecErrors(objectAt(template, 'spec'), `${path}.spec`),
  ];
}

/** A template whose pods must run on: restartPolicy Always, no deadline. */
function lastingTemplateErrors(spec: JsonObject | undefined): FieldError[] {
  const template = objectAt(spec, 'template');
  const errors = templateErrors(template, 'spec.template');
  const policy = textAt(objectAt(template, 'spec'), 'restartPolicy');
  if (policy !== 'Always') errors.push(unsupportedField('spec.template.spec.restartPolicy', policy, ['Always']));
  if (numberAt(objectAt(template, 'spec'), 'activeDeadlineSeconds') !== undefined) {
    const field = 'spec.template.spec.activeDeadlineSeconds';
    errors.push(forbiddenField(field, 'activeDeadlineSeconds in ReplicaSet is not Supported'));
  }
  return errors;
}

function isZero(value: JsonValue | undefined): boolean {
  return value === 0 || value === '0' || value === '0%';
}

/** Errors of a number of pods or a percentage of them; absent is fine. */
export function percentErrors(value: JsonValue | undefined, field: string): FieldError[] {
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent !== undefined)
    return Number(percent) > 100 ? [invalidField(field, value, 'must not be greater than 100%')] : [];
  if (typeof value === 'string') {
    const form =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidField(field, value, form)];
  }
  return typeof value === 'number' && value < 0
    ? [invalidField(field, value, 'must be greater than or equal to 0')]
    : [];
}

function strategyErrors(strategy: JsonObject | undefined): FieldError[] {
  const [type, rolling] = [textAt(strategy, 'type'), objectAt(strategy, 'rollingUpdate')];
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbiddenField('spec.strategy.rollingUpdate', why)];
  }
  if (type !== 'RollingUpdate') return [unsupportedField('spec.strategy.type', type, ['Recreate', 'RollingUpdate'])];
  const [unavailable, surge] = [valueAt(rolling, 'maxUnavailable'), valueAt(rolling, 'maxSurge')];
  const field = 'spec.strategy.rollingUpdate.maxUnavailable';
  const stuck =
    isZero(unavailable) && isZero(surge) ? [invalidField(field, unavailable, 'may not be 0 when `maxSurge` is 0')] : [];
  const surgeForm =
    typeof surge === 'string' && /^\d+%$/.test(surge)
      ? []
      : percentErrors(surge, 'spec.strategy.rollingUpdate.maxSurge');
  return [...percentErrors(unavailable, field), ...surgeForm, ...stuck];
}

export function validateDeployment(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = [
    ...countErrors(spec, ['replicas']),
    ...ownSelectorErrors(spec, 'deployment'),
    ...lastingTemplateErrors(spec),
    ...strategyErrors(objectAt(spec, 'strategy')),
    ...countErrors(spec, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
  ];
  const deadline = numberAt(spec, 'progressDeadlineSeconds') ?? 0;
  if (deadline <= (numberAt(spec, 'minReadySeconds') ?? 0)) {
    errors.push(invalidField('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

export function validateReplicaSet(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [
    ...countErrors(spec, ['replicas', 'minReadySeconds']),
    ...ownSelectorErrors(spec, 'deployment'),
    ...lastingTemplateErrors(spec),
  ];
}

export function validateDaemonSet(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const rolling = objectAt(spec, 'updateStrategy', 'rollingUpdate');
  const unavailable = valueAt(rolling, 'maxUnavailable');
  const isStuck = rolling !== undefined && isZero(unavailable) && isZero(valueAt(rolling, 'maxSurge'));
  const field = 'spec.updateStrategy.rollingUpdate.maxUnavailable';
  return [
    ...ownSelectorErrors(spec, 'daemonset'),
    ...lastingTemplateErrors(spec),
    ...countErrors(spec, ['minReadySeconds']),
    ...(isStuck ? [requiredField(field, 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

export function validateStatefulSet(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const [policy, update] = [textAt(spec, 'podManagementPolicy'), textAt(objectAt(spec, 'updateStrategy'), 'type')];
  const errors: FieldError[] = [];
  if (!['OrderedReady', 'Parallel'].includes(policy)) {
    errors.push(invalidField('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  if (!['RollingUpdate', 'OnDelete'].includes(update)) {
    errors.push(
      invalidField(
        'spec.updateStrategy',
        objectAt(spec, 'updateStrategy') ?? {},
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    );
  }
  return [
    ...errors,
    ...countErrors(spec, ['replicas', 'minReadySeconds']),
    ...ownSelectorErrors(spec, 'statefulset'),
    ...lastingTemplateErrors(spec),
  ];
}

export function validatePod(object: KubeObject): FieldError[] {
  return podSpecErrors(specOf(object), 'spec');
}

function jobSpecErrors(spec: JsonObject | undefined, path: string): FieldError[] {
  const template = objectAt(spec, 'template');
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
  const errors = countErrors(spec, counts, path);
  if (textAt(spec, 'completionMode') === 'Indexed' && numberAt(spec, 'completions') === undefined) {
    errors.push(requiredField(`${path}.completions`, 'when completion mode is Indexed'));
  }
  errors.push(...templateErrors(template, `${path}.template`));
  const policy = textAt(objectAt(template, 'spec'), 'restartPolicy');
  const field = `${path}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') errors.push(requiredField(field, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never')
    errors.push(unsupportedField(field, policy, ['OnFailure', 'Never']));
  return errors;
}

export function validateJob(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  const tooLong = name.length > 63 ? [invalidField('metadata.name', name, 'must be no more than 63 characters')] : [];
  return [...tooLong, ...jobSpecErrors(specOf(object), 'spec'), ...matchErrors(specOf(object))];
}

function scheduleErrors(schedule: string): FieldError[] {
  const field = 'spec.schedule';
  if (schedule === '') return [requiredField(field)];
  if (schedule.includes('TZ'))
    return [invalidField(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  const problem = scheduleProblem(schedule);
  return problem === undefined ? [] : [invalidField(field, schedule, problem)];
}

function zoneErrors(zone: string): FieldError[] {
  return zone === '' || isTimeZone(zone) ? [] : [invalidField('spec.timeZone', zone, `unknown time zone ${zone}`)];
}

export function validateCronJob(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const { name = '' } = object.metadata;
  const policy = textAt(spec, 'concurrencyPolicy');
  const policies = ['Allow', 'Forbid', 'Replace'];
  return [
    ...(name.length > 52 ? [invalidField('metadata.name', name, 'must be no more than 52 characters')] : []),
    ...jobSpecErrors(objectAt(spec, 'jobTemplate', 'spec'), 'spec.jobTemplate.spec'),
    ...scheduleErrors(textAt(spec, 'schedule')),
    ...zoneErrors(textAt(spec, 'timeZone')),
    ...(policies.includes(policy) ? [] : [unsupportedField('spec.concurrencyPolicy', policy, policies)]),
    ...countErrors(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit', 'startingDeadlineSeconds']),
  ];
}

/** Fields of `spec` that keep what they had: `field is immutable`. */
export function immutableSpec(...keys: string[]): (object: KubeObject, old: KubeObject) => FieldError[] {
  return (object, old) =>
    keys.flatMap((key) => {
      const [now, before] = [valueAt(specOf(object), key), valueAt(specOf(old), key)];
      return isJsonEqual(now, before) ? [] : [invalidField(`spec.${key}`, now, immutableText)];
    });
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function validateStatefulSetUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (set: KubeObject): JsonObject =>
    Object.fromEntries(Object.entries(specOf(set) ?? {}).filter(([key]) => !changeable.includes(key)));
  if (isJsonEqual(fixed(object), fixed(old))) return [];
  const list = changeable.map((key) => `'${key}'`);
  const text = `updates to statefulset spec for fields other than ${list.slice(0, -1).join(', ')} and ${list.at(-1) ?? ''} are forbidden`;
  return [forbiddenField('spec', text)];
}

const podText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** A pod spec without what may change. `nodeName` is set by binding, the scheduler's or the simulation's. */
function fixedPodSpec(object: KubeObject): JsonObject {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    nodeName: _node,
    ...spec
  } = specOf(object) ?? {};
  const withoutImage = (key: string): JsonValue =>
    objectsAt(spec, key).map(({ image: _image, ...container }) => container);
  return { ...spec, containers: withoutImage('containers'), initContainers: withoutImage('initContainers') };
}

export function validatePodUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const count = (pod: KubeObject): number => objectsAt(specOf(pod), 'containers').length;
  if (count(object) !== count(old))
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
  const [node, before] = [textAt(specOf(object), 'nodeName'), textAt(specOf(old), 'nodeName')];
  const isMoved = before !== '' && node !== before;
  return isMoved || !isJsonEqual(fixedPodSpec(object), fixedPodSpec(old)) ? [forbiddenField('spec', podText)] : [];
}
