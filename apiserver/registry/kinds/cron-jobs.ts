import { isJsonEqual, isTrueAt, objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  goLabelSelector,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { ensureObject, type KindRules, type KubeObject, setDefaults, specOf } from '../../core/index.ts';
import { notNegative, requiredChoice } from './checks.ts';
import { scheduleProblem, zoneProblem } from './cron-schedule.ts';
import { jobSpecErrors } from './job-spec.ts';
import { jobSpecWarnings } from './jobs.ts';
import { dropDisabledFields } from './pod/disabled-fields.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { beginsWith, nameWarnings, readSpec } from './workload-rules.ts';

const longestName = 52;

function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = ensureObject(spec, 'jobTemplate');
  const metadata = ensureObject(template, 'metadata');
  if (!Object.hasOwn(metadata, 'creationTimestamp')) metadata['creationTimestamp'] = null;
  defaultTemplate(ensureObject(template, 'spec'));
}

function scheduleErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = readSpec(object);
  const schedule = textAt(spec, 'schedule');
  const field = 'spec.schedule';
  if (schedule === '') return [requiredField(field)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalidField(field, schedule, problem)];
  if (!schedule.includes('TZ')) return errors;
  const hadZone = old !== undefined && textAt(readSpec(old), 'schedule').includes('TZ');
  if (!hadZone) {
    const text = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [...errors, invalidField(field, schedule, text)];
  }
  const text = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
  return valueAt(spec, 'timeZone') === undefined ? errors : [...errors, invalidField(field, schedule, text)];
}

function zoneErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const zone = valueAt(readSpec(object), 'timeZone');
  if (typeof zone !== 'string') return [];
  if (old !== undefined && valueAt(readSpec(old), 'timeZone') === zone) return [];
  return zoneProblem(zone).map((problem) => invalidField('spec.timeZone', zone, problem));
}

function templateErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(readSpec(object), 'jobTemplate', 'spec') ?? {};
  const path = 'spec.jobTemplate.spec';
  const errors = jobSpecErrors(spec, path);
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined) {
    const text = '`selector` will be auto-generated';
    errors.push(invalidField(`${path}.selector`, goLabelSelector(selector), text));
  }
  if (isTrueAt(spec, 'manualSelector')) {
    errors.push(unsupportedField(`${path}.manualSelector`, true, ['nil', 'false']));
  }
  return errors;
}

function specErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = readSpec(object);
  const policies = ['Allow', 'Forbid', 'Replace'];
  return [
    ...scheduleErrors(object, old),
    ...notNegative(spec, 'spec', ['startingDeadlineSeconds']),
    ...zoneErrors(object, old),
    ...requiredChoice('spec.concurrencyPolicy', textAt(spec, 'concurrencyPolicy'), policies),
    ...templateErrors(object),
    ...notNegative(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ];
}

/** The names of its jobs have 11 characters more. */
function validate(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  const errors = specErrors(object, undefined);
  if (name.length <= longestName) return errors;
  return [...errors, invalidField('metadata.name', name, `must be no more than ${longestName} characters`)];
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = readSpec(object);
  const ofJob = (): string[] => jobSpecWarnings(objectAt(spec, 'jobTemplate', 'spec') ?? {}, 'spec.jobTemplate.spec');
  if (old === undefined) return [...nameWarnings(object), ...ofJob()];
  const isChanged = !isJsonEqual(spec, readSpec(old));
  const text =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  return [...(isChanged ? ofJob() : []), ...(textAt(spec, 'schedule').includes('TZ') ? [text] : [])];
}

/** Rules of CronJobs. */
export const cronJobRules: KindRules = {
  applyDefaults,
  validate,
  validateChange: specErrors,
  warnings,
  prepareForCreate: (object) => {
    beginsWith({})(object);
    const pod = objectAt(specOf(object), 'jobTemplate', 'spec', 'template', 'spec');
    if (pod !== undefined) dropDisabledFields(pod);
  },
  generationOf: ['spec'],
};
