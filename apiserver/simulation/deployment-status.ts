import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { objectsIn, specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject, ObjectMeta } from '../core/index.ts';
import { desiredReplicas, minimumAvailable, sumOf } from './rollout.ts';
import { countOf, isSetToFail, type Observation, positive, simulateAnnotation, templateOf } from './simulated.ts';

/** A Deployment and its ReplicaSets: `current` has its template and is among `sets`; there is none while a change is held back by a pause. */
export interface Progress {
  readonly deployment: KubeObject;
  readonly current: KubeObject | undefined;
  readonly sets: readonly KubeObject[];
}

/** A deadline of this many seconds means none. */
const noDeadline = 2 ** 31 - 1;
const complete = 'NewReplicaSetAvailable';
const exceeded = 'ProgressDeadlineExceeded';
const paused = 'DeploymentPaused';

function deadlineMs(deployment: KubeObject): number | undefined {
  const seconds = specOf(deployment)['progressDeadlineSeconds'];
  return typeof seconds === 'number' && seconds !== noDeadline ? seconds * 1000 : undefined;
}

function conditionOf(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((condition) => condition['type'] === type);
}

function timeOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** The list with the observation in it, last, unless its status and reason were there before. `isFresh` renews it even then. */
function withCondition(
  conditions: readonly JsonObject[],
  observation: Observation,
  options: { readonly now: string; readonly isFresh?: boolean },
): JsonObject[] {
  const { type, status, reason = '' } = observation;
  const before = conditionOf(conditions, type);
  const isSameStatus = before?.['status'] === status;
  if (isSameStatus && before['reason'] === reason && options.isFresh !== true) return [...conditions];
  const lastTransitionTime = isSameStatus ? (before['lastTransitionTime'] ?? options.now) : options.now;
  return [...without(conditions, type), { ...observation, lastUpdateTime: options.now, lastTransitionTime }];
}

function without(conditions: readonly JsonObject[], type: string): JsonObject[] {
  return conditions.filter((condition) => condition['type'] !== type);
}

function countsOf({ deployment, current, sets }: Progress): JsonObject {
  const available = sumOf(sets, 'availableReplicas');
  const { collisionCount } = statusOf(deployment);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: positive(sumOf(sets, 'replicas')),
    updatedReplicas: positive(current === undefined ? 0 : sumOf([current], 'replicas')),
    readyReplicas: positive(sumOf(sets, 'readyReplicas')),
    availableReplicas: positive(available),
    unavailableReplicas: positive(sets.reduce((total, set) => total + desiredReplicas(set), 0) - available),
    collisionCount,
  };
}

function isComplete(deployment: KubeObject, counts: JsonObject): boolean {
  const replicas = countOf(specOf(deployment)['replicas'], 1);
  return ['updatedReplicas', 'replicas', 'availableReplicas'].every((name) => countOf(counts[name], 0) === replicas);
}

/** Whether new pods came or got ready, or old ones went, since the last status. */
function isFurther(before: JsonObject, counts: JsonObject): boolean {
  const grown = (name: string): number => countOf(counts[name], 0) - countOf(before[name], 0);
  const old = grown('replicas') - grown('updatedReplicas');
  return old < 0 || ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some((name) => grown(name) > 0);
}

function isFailing({ deployment, current }: Progress): boolean {
  const template = current === undefined ? {} : templateOf(current)['metadata'];
  const { annotations } = (isJsonObject(template) ? template : {}) as Pick<ObjectMeta, 'annotations'>;
  return isSetToFail(deployment) || annotations?.[simulateAnnotation] === 'fail';
}

function available({ deployment, sets }: Progress): Observation {
  const type = 'Available';
  if (sumOf(sets, 'availableReplicas') >= minimumAvailable(deployment)) {
    const message = 'Deployment has minimum availability.';
    return { type, status: 'True', reason: 'MinimumReplicasAvailable', message };
  }
  const message = 'Deployment does not have minimum availability.';
  return { type, status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

/** The condition of a set about pods that were refused: the current one before the others. */
function withReplicaFailure(conditions: readonly JsonObject[], { current, sets }: Progress, now: string): JsonObject[] {
  const type = 'ReplicaFailure';
  const failed = [...(current === undefined ? [] : [current]), ...sets]
    .flatMap((set) => objectsIn(statusOf(set)['conditions']))
    .find((condition) => condition['type'] === type);
  if (failed === undefined) return without(conditions, type);
  const { reason, message } = failed as { reason: string; message: string };
  return withCondition(conditions, { type, status: 'True', reason, message }, { now });
}

interface Times {
  readonly now: string;
  readonly nowMs: number;
}

function subjectOf({ deployment, current }: Progress): string {
  const { name = '' } = (current ?? deployment).metadata;
  return `${current === undefined ? 'Deployment' : 'ReplicaSet'} "${name}"`;
}

/** The condition for the progress; `undefined` when the last one still applies. */
function progressing(progress: Progress, before: JsonObject | undefined, nowMs: number): Observation | undefined {
  const { deployment } = progress;
  const type = 'Progressing';
  const subject = subjectOf(progress);
  const counts = countsOf(progress);
  if (isComplete(deployment, counts)) {
    return { type, status: 'True', reason: complete, message: `${subject} has successfully progressed.` };
  }
  const message = `${subject} has timed out progressing.`;
  const timedOut: Observation = { type, status: 'False', reason: exceeded, message };
  if (isFailing(progress)) return timedOut;
  // The pods of a rollout that was complete come and go.
  if (before?.['reason'] === complete && counts['replicas'] === counts['updatedReplicas']) return undefined;
  if (isFurther(statusOf(deployment), counts)) {
    return { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
  }
  return isLate(deployment, before, nowMs) ? timedOut : undefined;
}

function isLate(deployment: KubeObject, before: JsonObject | undefined, nowMs: number): boolean {
  if (before === undefined || before['reason'] === complete) return false;
  return timeOf(before['lastUpdateTime']) + (deadlineMs(deployment) ?? Number.NaN) < nowMs;
}

function withProgressing(conditions: readonly JsonObject[], progress: Progress, times: Times): JsonObject[] {
  const { deployment } = progress;
  if (deadlineMs(deployment) === undefined) return without(conditions, 'Progressing');
  if (specOf(deployment)['paused'] === true) return [...conditions];
  const observation = progressing(progress, conditionOf(conditions, 'Progressing'), times.nowMs);
  if (observation === undefined) return [...conditions];
  return withCondition(conditions, observation, {
    now: times.now,
    isFresh: observation.reason === 'ReplicaSetUpdated',
  });
}

/** The whole status of a Deployment whose last one is known. */
export function deploymentStatus(progress: Progress, times: Times): JsonObject {
  const { deployment } = progress;
  const { now } = times;
  const known = objectsIn(statusOf(deployment)['conditions']);
  const updated = withCondition(known, available(progress), { now });
  const conditions = withReplicaFailure(withProgressing(updated, progress, times), progress, now);
  return { ...countsOf(progress), conditions };
}

/** Whether all pods are new and available according to the last status. */
export function isRolledOut(deployment: KubeObject): boolean {
  const { generation = 0 } = deployment.metadata;
  const status = statusOf(deployment);
  return isComplete(deployment, status) && countOf(status['observedGeneration'], 0) >= generation;
}

/** In how many milliseconds the Deployment is to be looked at because it may be stuck; `undefined` when nothing can time out. */
export function untilDeadline(deployment: KubeObject, nowMs: number): number | undefined {
  const deadline = deadlineMs(deployment);
  const before = conditionOf(objectsIn(statusOf(deployment)['conditions']), 'Progressing');
  const settled: unknown[] = [complete, exceeded, paused];
  if (deadline === undefined || before === undefined || settled.includes(before['reason'])) return undefined;
  const at = timeOf(before['lastUpdateTime']) + deadline;
  // Times have whole seconds: a second later it is over for certain.
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs) + 1000;
}

/** The conditions once a pause begins or ends; `undefined` when neither is new, or the progress is not watched. */
export function pauseConditions(deployment: KubeObject, now: string): JsonObject[] | undefined {
  const known = objectsIn(statusOf(deployment)['conditions']);
  const reason = conditionOf(known, 'Progressing')?.['reason'];
  if (deadlineMs(deployment) === undefined || reason === exceeded) return undefined;
  const isPaused = specOf(deployment)['paused'] === true;
  if (isPaused === (reason === paused)) return undefined;
  const [next, word] = isPaused ? [paused, 'paused'] : ['DeploymentResumed', 'resumed'];
  const observation: Observation = {
    type: 'Progressing',
    status: 'Unknown',
    reason: next,
    message: `Deployment is ${word}`,
  };
  return withCondition(known, observation, { now });
}

/** The conditions once a ReplicaSet was made for the template, or was found there though nothing is known of progress yet;
 *  `undefined` when that changes nothing. */
export function startConditions(
  deployment: KubeObject,
  set: { readonly name: string; readonly isNew: boolean },
  now: string,
): JsonObject[] | undefined {
  const known = objectsIn(statusOf(deployment)['conditions']);
  const isKnown = conditionOf(known, 'Progressing') !== undefined;
  if (deadlineMs(deployment) === undefined || (isKnown && !set.isNew)) return undefined;
  const [reason, word] = set.isNew ? ['NewReplicaSetCreated', 'Created'] : ['FoundNewReplicaSet', 'Found'];
  const message = `${word} new replica set "${set.name}"`;
  return withCondition(known, { type: 'Progressing', status: 'True', reason, message }, { now });
}
