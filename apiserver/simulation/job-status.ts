import type { JsonObject } from '../../src/base/index.ts';
import { objectsIn, specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';
import { type IndexProgress, indexText } from './job-indexes.ts';
import {
  conditionsFrom,
  countOf,
  isPodActive,
  isPodReady,
  isSetToFail,
  type Observation,
  positive,
  templateOf,
} from './simulated.ts';

/** How many pods of a Job are in which state. */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** All that is known of a Job when its pods are counted. */
export interface JobProgress {
  readonly job: KubeObject;
  readonly counts: JobCounts;
  /** Of an Indexed Job. */
  readonly indexes: IndexProgress | undefined;
  readonly nowMs: number;
}

function isTerminating(pod: KubeObject): boolean {
  const { phase } = statusOf(pod);
  return pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Counts pods; of an Indexed Job an index that succeeded counts once. */
export function countPods(pods: readonly KubeObject[], indexes: IndexProgress | undefined): JobCounts {
  const inPhase = (phase: string): number => pods.filter((pod) => statusOf(pod).phase === phase).length;
  const active = pods.filter(isPodActive);
  return {
    active: active.length,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: indexes === undefined ? inPhase('Succeeded') : indexes.succeeded.size,
    failed: inPhase('Failed'),
  };
}

function parallelismOf(job: KubeObject): number {
  return countOf(specOf(job).parallelism, 1);
}

/** Undefined for a work queue, which is complete once one pod succeeded and none is left. */
function completionsOf(job: KubeObject): number | undefined {
  const { completions } = specOf(job);
  return typeof completions === 'number' ? completions : undefined;
}

/** How often a Job that is made to fail tries at most, whatever its limit: no time passes between its pods. */
const mostRetries = 6;

/** How many pods may fail before the Job does. */
function retriesOf(job: KubeObject): number {
  const limit = countOf(specOf(job).backoffLimit, mostRetries);
  return isSetToFail(job) || isSetToFail(templateOf(job) as unknown as KubeObject)
    ? Math.min(limit, mostRetries)
    : limit;
}

function isSuspended(job: KubeObject): boolean {
  return specOf(job).suspend === true;
}

function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** In how many milliseconds the Job has been active for too long; undefined where nothing limits it. Not above 0: it has. */
export function untilDeadline(job: KubeObject, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = specOf(job);
  const startMs = timeOf(statusOf(job).startTime);
  if (typeof activeDeadlineSeconds !== 'number' || Number.isNaN(startMs) || isSuspended(job)) return undefined;
  return startMs + activeDeadlineSeconds * 1000 - nowMs;
}

/** Why a Job ends, and how. */
export interface JobEnd {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): JobEnd => ({ type: 'Failed', reason, message });

const interim = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const;

/** An end that was decided before, while pods were still there. */
function decidedEnd(job: KubeObject): JobEnd | undefined {
  for (const condition of objectsIn(statusOf(job).conditions)) {
    const type = (['Complete', 'Failed'] as const).find((end) => interim[end] === condition.type);
    const { status, reason, message } = condition as unknown as Record<string, string>;
    if (type !== undefined && status === 'True') return { type, reason: reason ?? '', message: message ?? '' };
  }
  return undefined;
}

function indexFailure(job: KubeObject, indexes: IndexProgress | undefined): JobEnd | undefined {
  const { maxFailedIndexes } = specOf(job);
  const failed = indexes?.failed.size ?? 0;
  if (failed === 0) return undefined;
  if (typeof maxFailedIndexes === 'number' && failed > maxFailedIndexes) {
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  const isOver = failed + (indexes?.succeeded.size ?? 0) >= (completionsOf(job) ?? 0);
  return isOver ? failure('FailedIndexes', 'Job has failed indexes') : undefined;
}

function isComplete(job: KubeObject, { succeeded, active }: JobCounts): boolean {
  const completions = completionsOf(job);
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

/** Whether, why and how the Job ends now. */
export function endOf({ job, counts, indexes, nowMs }: JobProgress): JobEnd | undefined {
  const decided = decidedEnd(job);
  if (decided !== undefined) return decided;
  if (counts.failed > retriesOf(job)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if ((untilDeadline(job, nowMs) ?? 1) <= 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const failed = indexFailure(job, indexes);
  if (failed !== undefined) return failed;
  if (!isComplete(job, counts)) return undefined;
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/** How many pods should run now. */
export function desiredPods(progress: JobProgress): number {
  const { job, counts, indexes } = progress;
  if (isSuspended(job) || endOf(progress) !== undefined) return 0;
  const completions = completionsOf(job);
  if (completions === undefined) return counts.succeeded > 0 ? counts.active : parallelismOf(job);
  const open = completions - counts.succeeded - (indexes?.failed.size ?? 0);
  return Math.max(0, Math.min(open, parallelismOf(job)));
}

/** Whether the Job is suspended; nothing for one that never was. */
function suspensionOf(job: KubeObject): Observation[] {
  const type = 'Suspended';
  if (isSuspended(job)) return [{ type, status: 'True', reason: 'JobSuspended', message: 'Job suspended' }];
  const wasSuspended = objectsIn(statusOf(job).conditions).some((condition) => condition.type === type);
  return wasSuspended ? [{ type, status: 'False', reason: 'JobResumed', message: 'Job resumed' }] : [];
}

/** When the Job began, counted from the last time that it was resumed. */
export function startOf(job: KubeObject, now: string): JsonObject {
  const { startTime, conditions } = statusOf(job);
  if (isSuspended(job)) return startTime === undefined ? {} : { startTime };
  const wasSuspended = objectsIn(conditions).some(({ type, status }) => type === 'Suspended' && status === 'True');
  return { startTime: wasSuspended ? now : (startTime ?? now) };
}

/** The conditions of an end: the last one follows when no pod of the Job is left. */
function endConditions(end: JobEnd | undefined, { active, terminating }: JobCounts): Observation[] {
  if (end === undefined) return [];
  const { type, reason, message } = end;
  const isOver = active + terminating === 0;
  const types = isOver ? [interim[type], type] : [interim[type]];
  return types.map((one) => ({ type: one, status: 'True', reason, message }));
}

function indexStatus(job: KubeObject, indexes: IndexProgress | undefined): JsonObject {
  if (indexes === undefined) return {};
  const completedIndexes = indexText(indexes.succeeded);
  return {
    ...(completedIndexes === '' ? {} : { completedIndexes }),
    ...(specOf(job).backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexText(indexes.failed) }),
  };
}

/** The status of a Job. */
export function jobStatus(progress: JobProgress, end: JobEnd | undefined, now: string): JsonObject {
  const { job, counts, indexes } = progress;
  const observations = [...suspensionOf(job), ...endConditions(end, counts)];
  const conditions = conditionsFrom(job, observations, { now, extra: [] }).map(
    (condition): JsonObject => ({ lastProbeTime: now, ...condition }),
  );
  const isOver = conditions.some(({ type }) => type === 'Complete');
  return {
    ...startOf(job, now),
    active: positive(counts.active),
    succeeded: positive(counts.succeeded),
    failed: positive(counts.failed),
    ready: counts.ready,
    terminating: counts.terminating,
    uncountedTerminatedPods: {},
    ...indexStatus(job, indexes),
    ...(isOver ? { completionTime: now } : {}),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** How a Job ended; undefined while it goes on. */
export function endingOf(job: KubeObject): 'Complete' | 'Failed' | undefined {
  const held = objectsIn(statusOf(job).conditions).filter(({ status }) => status === 'True');
  return (['Complete', 'Failed'] as const).find((ending) => held.some(({ type }) => type === ending));
}

/** In how many milliseconds a Job that ended is deleted; undefined for one that stays. */
export function untilRemoval(job: KubeObject, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = specOf(job);
  const ending = endingOf(job);
  const condition = objectsIn(statusOf(job).conditions).find(({ type }) => type === ending);
  const endMs = timeOf(condition?.lastTransitionTime);
  if (typeof seconds !== 'number' || ending === undefined || Number.isNaN(endMs)) return undefined;
  return Math.max(0, endMs + seconds * 1000 - nowMs);
}
