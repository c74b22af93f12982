import {
  isJsonEqual,
  isTrueAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  type GoValue,
  goLabelSelector,
  goLiteral,
  goTextMap,
  invalidField,
  requiredField,
} from '../../../src/schema/index.ts';
import {
  asJson,
  ensureObject,
  type KindRules,
  type KubeObject,
  numberAt,
  setDefaults,
  specOf,
  textsAt,
} from '../../core/index.ts';
import { greatestInt32, immutable } from './checks.ts';
import { jobSpecErrors } from './job-spec.ts';
import { jobStatusErrors } from './job-status.ts';
import { dropDisabledFields } from './pod/disabled-fields.ts';
import { mismatchErrors } from './pod/template.ts';
import { podWarnings } from './pod/warnings.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { isUsableSelector, selectorErrors, selects } from './selectors.ts';
import { nameWarnings, readSpec } from './workload-rules.ts';

/** Defaults of a JobSpec that also templates of jobs get. */
function defaultJob(object: KubeObject): void {
  const spec = specOf(object);
  if (numberAt(spec, 'completions') === undefined && numberAt(spec, 'parallelism') === undefined) {
    spec['completions'] = 1;
  }
  const isPerIndex = numberAt(spec, 'backoffLimitPerIndex') !== undefined;
  const policy = objectAt(spec, 'podFailurePolicy');
  setDefaults(spec, {
    parallelism: 1,
    backoffLimit: isPerIndex ? greatestInt32 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: policy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  for (const rule of objectsAt(policy, 'rules')) {
    for (const pattern of objectsAt(rule, 'onPodConditions')) setDefaults(pattern, { status: 'True' });
  }
  const labels = textsAt(spec, 'template', 'metadata', 'labels');
  if (Object.keys(labels).length > 0 && Object.keys(object.metadata.labels ?? {}).length === 0) {
    object.metadata.labels = { ...labels };
  }
  defaultTemplate(spec);
}

const prefix = 'batch.kubernetes.io/';

/** The labels by which the job controller finds the pods of a job: unless it selects them itself, they carry its uid, so they are made at
 *  creation. What is there is left, and refused later when it is wrong. */
function prepareForCreate(object: KubeObject): void {
  const spec = specOf(object);
  asJson(object)['status'] = {};
  const template = ensureObject(spec, 'template');
  dropDisabledFields(ensureObject(template, 'spec'));
  if (isTrueAt(spec, 'manualSelector')) return;
  const { uid = '', name = '' } = object.metadata;
  const metadata = ensureObject(template, 'metadata');
  const made = {
    'job-name': name,
    [`${prefix}job-name`]: name,
    'controller-uid': uid,
    [`${prefix}controller-uid`]: uid,
  };
  // A job without labels of its own has all those of its template.
  const isShared = isJsonEqual({ ...object.metadata.labels }, { ...objectAt(metadata, 'labels') });
  const labels = { ...made, ...textsAt(metadata, 'labels') };
  metadata['labels'] = labels;
  if (isShared && name.length <= 63) object.metadata.labels = { ...labels };
  const match = ensureObject(ensureObject(spec, 'selector'), 'matchLabels');
  if (!Object.hasOwn(match, `${prefix}controller-uid`)) match[`${prefix}controller-uid`] = uid;
}

function labelErrors(spec: JsonObject, key: string, expected: string): FieldError[] {
  const path = 'spec.template.metadata.labels';
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  const value = valueAt(labels, key);
  const text = `must be '${expected}'`;
  if (value === undefined) return [requiredField(`${path}[${key}]`, text)];
  return value === expected ? [] : [invalidField(`${path}[${key}]`, goTextMap(labels), text)];
}

/** A selector that the server made still is the one of this job. */
function generatedErrors(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const selector = objectAt(spec, 'selector');
  if (isTrueAt(spec, 'manualSelector') || selector === undefined) return [];
  const { uid = '', name = '' } = object.metadata;
  const made = {
    'controller-uid': uid,
    'job-name': name,
    [`${prefix}controller-uid`]: uid,
    [`${prefix}job-name`]: name,
  };
  const errors = [
    ...labelErrors(spec, 'controller-uid', uid),
    ...labelErrors(spec, 'job-name', name),
    ...labelErrors(spec, `${prefix}controller-uid`, uid),
    ...labelErrors(spec, `${prefix}job-name`, name),
  ];
  if (!isUsableSelector(selector) || selects(selector, made)) return errors;
  return [...errors, invalidField('spec.selector', goLabelSelector(selector), '`selector` not auto-generated')];
}

function wholeSpecErrors(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, 'selector');
  return [
    ...jobSpecErrors(spec, 'spec'),
    ...(selector === undefined ? [requiredField('spec.selector')] : selectorErrors(selector, 'spec.selector')),
    ...(isUsableSelector(selector) ? mismatchErrors(selector, objectAt(spec, 'template'), 'spec.template') : []),
  ];
}

/** The last pod of an Indexed job is a host of this name. */
function hostNameErrors(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const [{ name = '' }, completions] = [object.metadata, numberAt(spec, 'completions') ?? 0];
  if (valueAt(spec, 'completionMode') !== 'Indexed' || completions <= 0) return [];
  const host = `${name}-${completions - 1}`;
  const text = `will not able to create pod with invalid DNS label: ${host}`;
  return dns1123LabelProblems(host).length === 0 ? [] : [invalidField('metadata.name', name, text)];
}

function validate(object: KubeObject): FieldError[] {
  return [...generatedErrors(object), ...wholeSpecErrors(readSpec(object)), ...hostNameErrors(object)];
}

function completionsErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const [now, before] = [numberAt(spec, 'completions'), numberAt(old, 'completions')];
  const field = 'spec.completions';
  if (valueAt(spec, 'completionMode') !== 'Indexed') return immutable(field, { now, before });
  if (now === before || now === undefined || now === numberAt(spec, 'parallelism')) return [];
  return [invalidField(field, now, 'can only be modified in tandem with spec.parallelism')];
}

/** What of the template may change while a job that never ran is suspended: where its pods go. */
const placing = ['nodeSelector', 'tolerations', 'schedulingGates'];

function fixedTemplate(spec: JsonObject, mayMove: boolean): JsonValue {
  const template = structuredClone(objectAt(spec, 'template') ?? {});
  if (!mayMove) return template;
  const [metadata, pod] = [objectAt(template, 'metadata') ?? {}, objectAt(template, 'spec') ?? {}];
  delete metadata['labels'];
  delete metadata['annotations'];
  for (const key of placing) delete pod[key];
  const affinity = objectAt(pod, 'affinity');
  if (affinity !== undefined) delete affinity['nodeAffinity'];
  if (affinity !== undefined && Object.keys(affinity).length === 0) delete pod['affinity'];
  return template;
}

function templateChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [readSpec(object), readSpec(old)];
  const hasStarted = valueAt(objectAt(asJson(old), 'status'), 'startTime') !== undefined;
  const mayMove = isTrueAt(before, 'suspend') && !hasStarted;
  const change = { now: fixedTemplate(spec, mayMove), before: fixedTemplate(before, mayMove) };
  return immutable('spec.template', change, () => goLiteral('core.PodTemplateSpec{…}'));
}

const fixedFields: Readonly<Record<string, (value: JsonValue | undefined) => GoValue | JsonValue | undefined>> = {
  completionMode: (value) => value,
  podFailurePolicy: () => goLiteral('batch.PodFailurePolicy{…}'),
  backoffLimitPerIndex: (value) => value,
  managedBy: (value) => value,
  successPolicy: () => goLiteral('batch.SuccessPolicy{…}'),
};

function validateChange(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [readSpec(object), readSpec(old)];
  const selector = { now: objectAt(spec, 'selector'), before: objectAt(before, 'selector') };
  return [
    ...validate(object),
    ...wholeSpecErrors(spec),
    ...completionsErrors(spec, before),
    ...immutable('spec.selector', selector, () => goLabelSelector(selector.now)),
    ...templateChangeErrors(object, old),
    ...Object.entries(fixedFields).flatMap(([key, show]) => {
      const change = { now: valueAt(spec, key), before: valueAt(before, key) };
      return immutable(`spec.${key}`, change, (value) => (value === undefined ? undefined : show(value)));
    }),
  ];
}

/** Warnings of a JobSpec. */
export function jobSpecWarnings(spec: JsonObject, path: string): string[] {
  const isIndexed = valueAt(spec, 'completionMode') === 'Indexed';
  const isHuge = (numberAt(spec, 'completions') ?? 0) > 100_000 && (numberAt(spec, 'parallelism') ?? 0) > 10_000;
  const text =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [
    ...(isIndexed && isHuge ? [`${path}: ${text}`] : []),
    ...podWarnings(objectAt(spec, 'template'), `${path}.template.`),
  ];
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = readSpec(object);
  if (old === undefined) return [...nameWarnings(object), ...jobSpecWarnings(spec, 'spec')];
  return isJsonEqual(spec, readSpec(old)) ? [] : jobSpecWarnings(spec, 'spec');
}

/** Rules of Jobs.
 *  @see docs/spec/kube-api-types.md#defaults-by-kind */
export const jobRules: KindRules = {
  applyDefaults: defaultJob,
  validate,
  validateChange,
  validateStatus: jobStatusErrors,
  warnings,
  prepareForCreate,
  generationOf: ['spec'],
  defaultPropagation: 'Orphan',
  selectableFields: {
    'status.successful': (object) => String(numberAt(objectAt(asJson(object), 'status'), 'succeeded') ?? 0),
  },
};
