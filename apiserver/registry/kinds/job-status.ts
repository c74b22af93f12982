import {
  isJsonEqual,
  isTrueAt,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { duplicateField, type FieldError, goLiteral, invalidField, requiredField } from '../../../src/schema/index.ts';
import { asJson, type KubeObject, numberAt } from '../../core/index.ts';
import { notNegative } from './checks.ts';
import { countIndexes, firstCommonIndex } from './job-indexes.ts';
import { readSpec } from './workload-rules.ts';

/** The step from one status of a job to the next. */
interface Step {
  readonly spec: JsonObject;
  readonly now: JsonObject;
  readonly before: JsonObject;
}

function has(status: JsonObject, type: string): boolean {
  return objectsAt(status, 'conditions').some(
    (item) => textAt(item, 'type') === type && textAt(item, 'status') === 'True',
  );
}

function isFinished(status: JsonObject): boolean {
  return has(status, 'Complete') || has(status, 'Failed');
}

function isChanged({ now, before }: Step, ...keys: readonly string[]): boolean {
  return keys.some((key) => !isJsonEqual(valueAt(now, key) ?? null, valueAt(before, key) ?? null));
}

function turned({ now, before }: Step, ...types: readonly string[]): boolean {
  return types.some((type) => has(now, type) !== has(before, type));
}

function hasFinishedNow({ now, before }: Step): boolean {
  return isFinished(now) !== isFinished(before);
}

const field = (key: string): string => `status.${key}`;

function conditionsError(detail: string): FieldError {
  return { field: field('conditions'), reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
}

function uncountedErrors({ now }: Step): FieldError[] {
  const uncounted = objectAt(now, 'uncountedTerminatedPods');
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((key) =>
    listOfTexts(uncounted, key).flatMap((uid, index) => {
      const place = `status.uncountedTerminatedPods.${key}[${index}]`;
      if (uid === '') return [invalidField(place, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateField(place, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** One rule: when it is looked at, and what it finds. */
type Rule = (step: Step) => readonly FieldError[];

function both(first: string, second: string, words: string): Rule {
  return (step) =>
    turned(step, first, second) && has(step.now, first) && has(step.now, second)
      ? [conditionsError(`cannot set ${words} conditions`)]
      : [];
}

function shownTime(text: string): ReturnType<typeof goLiteral> {
  return goLiteral(text.replace('T', ' ').replace('Z', ' +0000 UTC'));
}

const completionRules: Rule = (step) => {
  const { now } = step;
  const [time, start] = [textAt(now, 'completionTime'), textAt(now, 'startTime')];
  const refuse = (text: string): FieldError[] => [invalidField(field('completionTime'), shownTime(time), text)];
  const isTimed = isChanged(step, 'startTime', 'completionTime') && time !== '' && start !== '';
  const isEarly = isTimed && Date.parse(time) < Date.parse(start);
  return [...presenceErrors(step, time), ...(isEarly ? refuse('completionTime cannot be set before startTime') : [])];
};

/** A job has a time of completion when it is complete, and only then. */
function presenceErrors(step: Step, time: string): FieldError[] {
  const isComplete = has(step.now, 'Complete');
  const isLooked = turned(step, 'Complete') || isChanged(step, 'completionTime');
  if (!isLooked || isComplete === (time !== '')) return [];
  if (isComplete) return [requiredField(field('completionTime'), 'completionTime is required for Complete jobs')];
  const text = 'cannot set completionTime when there is no Complete=True condition';
  return [invalidField(field('completionTime'), shownTime(time), text)];
}

const criteriaRules: Rule = (step) => {
  const { now } = step;
  const isFailing = turned(step, 'Failed') || isChanged(step, 'failedIndexes');
  const lacksTarget = isFailing && has(now, 'Failed') && !has(now, 'FailureTarget');
  const isCompleting = turned(step, 'Complete', 'SuccessCriteriaMet');
  const lacksCriteria = isCompleting && has(now, 'Complete') && !has(now, 'SuccessCriteriaMet');
  const target = 'cannot set Failed=True condition without the FailureTarget=true condition';
  const criteria = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition';
  return [...(lacksTarget ? [conditionsError(target)] : []), ...(lacksCriteria ? [conditionsError(criteria)] : [])];
};

/** What a finished job may not have any more; each is looked at where the job has just finished or the field has changed. */
const finishedRules: Rule = (step) => {
  const { now } = step;
  if (!isFinished(now)) return [];
  const finished = hasFinishedNow(step);
  const isLooked = (key: string): boolean => finished || isChanged(step, key);
  return [
    ...(isLooked('active') ? idleErrors(now, 'active') : []),
    ...(isLooked('startTime') ? startErrors(step) : []),
    ...(isLooked('uncountedTerminatedPods') ? countedErrors(now) : []),
  ];
};

function idleErrors(now: JsonObject, key: string): FieldError[] {
  const count = numberAt(now, key) ?? 0;
  return count > 0 ? [invalidField(field(key), count, `${key}>0 is invalid for finished job`)] : [];
}

function startErrors({ spec, now }: Step): FieldError[] {
  const isIdle = isTrueAt(spec, 'suspend') && numberAt(spec, 'completions') === 0;
  if (isIdle || textAt(now, 'startTime') !== '') return [];
  return [requiredField(field('startTime'), 'startTime is required for finished job')];
}

function countedErrors(now: JsonObject): FieldError[] {
  const uncounted = objectAt(now, 'uncountedTerminatedPods');
  if (['succeeded', 'failed'].every((key) => listOfTexts(uncounted, key).length === 0)) return [];
  const shown = goLiteral('batch.UncountedTerminatedPods{…}');
  const text = 'uncountedTerminatedPods needs to be empty for finished job';
  return [invalidField(field('uncountedTerminatedPods'), shown, text)];
}

function indexTextErrors(text: string, key: string, completions: number): FieldError[] {
  const counted = countIndexes(text, completions);
  return typeof counted === 'string' ? [invalidField(field(key), text, `error parsing ${key}: ${counted}`)] : [];
}

function completedErrors({ spec, now }: Step): FieldError[] {
  const [completions, text] = [numberAt(spec, 'completions'), textAt(now, 'completedIndexes')];
  const errors = completions === undefined ? [] : indexTextErrors(text, 'completedIndexes', completions);
  if (text === '' || valueAt(spec, 'completionMode') === 'Indexed') return errors;
  const why = 'cannot set non-empty completedIndexes when non-indexed completion mode';
  return [...errors, invalidField(field('completedIndexes'), text, why)];
}

function failedErrors({ spec, now }: Step): FieldError[] {
  const [completions, text] = [numberAt(spec, 'completions'), valueAt(now, 'failedIndexes')];
  if (typeof text !== 'string') return [];
  if (numberAt(spec, 'backoffLimitPerIndex') === undefined) {
    const why = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    return [invalidField(field('failedIndexes'), text, why)];
  }
  return completions === undefined ? [] : indexTextErrors(text, 'failedIndexes', completions);
}

const indexRules: Rule = (step) => [
  ...(isChanged(step, 'completedIndexes') ? completedErrors(step) : []),
  ...(isChanged(step, 'failedIndexes') ? failedErrors(step) : []),
  ...overlapErrors(step),
];

function overlapErrors(step: Step): FieldError[] {
  const { spec, now } = step;
  const completions = numberAt(spec, 'completions');
  const failed = valueAt(now, 'failedIndexes');
  if (completions === undefined || typeof failed !== 'string') return [];
  if (!isChanged(step, 'completedIndexes', 'failedIndexes')) return [];
  const index = firstCommonIndex(textAt(now, 'completedIndexes'), failed, completions);
  const text = `failedIndexes and completedIndexes overlap at index: ${index}`;
  return index === undefined ? [] : [invalidField(field('failedIndexes'), failed, text)];
}

const podRules: Rule = (step) => {
  const { now } = step;
  const ready = numberAt(now, 'ready') ?? 0;
  const isEnding = isFinished(now) && (hasFinishedNow(step) || isChanged(step, 'terminating'));
  const isTooReady = isChanged(step, 'ready', 'active') && ready > (numberAt(now, 'active') ?? 0);
  return [
    ...(isEnding ? idleErrors(now, 'terminating') : []),
    ...(isTooReady ? [invalidField(field('ready'), ready, 'cannot set more ready pods than active')] : []),
  ];
};

const successRules: Rule = ({ spec, now }) => {
  const isMet = has(now, 'SuccessCriteriaMet');
  const texts: string[] = [];
  if (isMet && has(now, 'Failed')) texts.push('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (isMet && has(now, 'FailureTarget')) {
    texts.push('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  if (objectAt(spec, 'successPolicy') !== undefined && !isMet && has(now, 'Complete')) {
    texts.push('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  return texts.map(conditionsError);
};

const lastingRules: Rule = ({ now, before }) =>
  ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => has(before, type) && !has(now, type))
    .map((type) => conditionsError(`cannot disable the terminal ${type}=True condition`));

const counterRules: Rule = ({ spec, now, before }) => {
  const isElastic =
    valueAt(spec, 'completionMode') === 'Indexed' && numberAt(spec, 'completions') === numberAt(spec, 'parallelism');
  const keys = isElastic ? ['failed'] : ['failed', 'succeeded'];
  const fallen = keys.filter((key) => (numberAt(now, key) ?? 0) < (numberAt(before, key) ?? 0));
  return fallen.map((key) => invalidField(field(key), numberAt(now, key) ?? 0, `cannot decrease the ${key} counter`));
};

const timeRules: Rule = (step) => {
  const { spec, now, before } = step;
  const [time, then] = [textAt(now, 'completionTime'), textAt(before, 'completionTime')];
  const errors: FieldError[] = [];
  if (time !== '' && then !== '' && time !== then) {
    errors.push(invalidField(field('completionTime'), shownTime(time), 'completionTime cannot be mutated'));
  }
  const hadStart = textAt(before, 'startTime') !== '';
  if (isChanged(step, 'startTime') && hadStart && !isTrueAt(spec, 'suspend')) {
    errors.push(requiredField(field('startTime'), 'startTime cannot be removed for unsuspended job'));
  }
  return errors;
};

const disablingRules: Rule = ({ now, before }) => {
  const [isMet, wasMet] = [has(now, 'SuccessCriteriaMet'), has(before, 'SuccessCriteriaMet')];
  if (wasMet && !isMet) return [conditionsError('cannot disable the SuccessCriteriaMet=True condition')];
  const text = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
  return has(before, 'Complete') && !wasMet && isMet ? [conditionsError(text)] : [];
};

/** In the order in which kube-apiserver looks. */
const rules: readonly Rule[] = [
  uncountedErrors,
  both('Complete', 'Failed', 'Complete=True and Failed=true'),
  both('Complete', 'FailureTarget', 'Complete=True and FailureTarget=true'),
  completionRules,
  criteriaRules,
  finishedRules,
  indexRules,
  podRules,
  successRules,
  lastingRules,
  counterRules,
  timeRules,
  disablingRules,
];

/** Errors of a write to the status of a job: which changes are allowed, and which values may be reset. */
export function jobStatusErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const now = objectAt(asJson(object), 'status') ?? {};
  const before = objectAt(asJson(old), 'status') ?? {};
  const step = { spec: readSpec(old), now, before };
  const counts = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
  return [...notNegative(now, 'status', counts), ...rules.flatMap((rule) => rule(step))];
}
