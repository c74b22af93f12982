import type { JsonObject } from '../../src/base/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { createPod, deletePod } from './pod-set.ts';
import {
  childrenOf,
  conditionsFrom,
  countOf,
  isPodActive,
  isPodReady,
  isToldToFail,
  keyOf,
  keysOfKind,
  type Observation,
  positive,
  type SimulationContext,
  templateOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:job-controller';

interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
}

function countsOf(pods: readonly KubeObject[]): JobCounts {
  const inPhase = (phase: string): number => pods.filter((pod) => statusOf(pod).phase === phase).length;
  const active = pods.filter(isPodActive);
  const ready = active.filter(isPodReady).length;
  return { active: active.length, ready, succeeded: inPhase('Succeeded'), failed: inPhase('Failed') };
}

function completionsOf(job: KubeObject): number {
  const { completions, parallelism } = specOf(job);
  return countOf(completions, countOf(parallelism, 1));
}

/** How often a Job that is told to fail tries at most, whatever its limit: no time passes between its pods. */
const mostRetries = 6;

/** How many pods may fail before the Job does. */
function retriesOf(job: KubeObject): number {
  const limit = countOf(specOf(job).backoffLimit, mostRetries);
  return isToldToFail(job) || isToldToFail(templateOf(job) as unknown as KubeObject)
    ? Math.min(limit, mostRetries)
    : limit;
}

function endOf(job: KubeObject, { succeeded, failed }: JobCounts): Observation[] {
  if (succeeded >= completionsOf(job)) {
    const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
    return [
      { type: 'SuccessCriteriaMet', status: 'True', ...why },
      { type: 'Complete', status: 'True', ...why },
    ];
  }
  if (failed <= retriesOf(job)) return [];
  const why = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  return [
    { type: 'FailureTarget', status: 'True', ...why },
    { type: 'Failed', status: 'True', ...why },
  ];
}

function isSuspended(job: KubeObject): boolean {
  return specOf(job).suspend === true;
}

/** Whether the Job is held back; nothing for one that never was. */
function suspensionOf(job: KubeObject): Observation[] {
  const type = 'Suspended';
  if (isSuspended(job)) return [{ type, status: 'True', reason: 'JobSuspended', message: 'Job suspended' }];
  const wasHeld = objectsIn(statusOf(job).conditions).some((condition) => condition.type === type);
  return wasHeld ? [{ type, status: 'False', reason: 'JobResumed', message: 'Job resumed' }] : [];
}

/** When the Job began, counted anew each time that it goes on. */
function startOf(job: KubeObject, now: string): JsonObject {
  const { startTime, conditions } = statusOf(job);
  if (isSuspended(job)) return startTime === undefined ? {} : { startTime };
  const wasHeld = objectsIn(conditions).some(({ type, status }) => type === 'Suspended' && status === 'True');
  return { startTime: wasHeld ? now : (startTime ?? now) };
}

function statusFor(job: KubeObject, counts: JobCounts, now: string): JsonObject {
  const end = isSuspended(job) ? [] : endOf(job, counts);
  const observations = [...suspensionOf(job), ...end];
  const conditions = conditionsFrom(job, observations, { now, extra: [] }).map(
    (condition): JsonObject => ({ lastProbeTime: now, ...condition }),
  );
  const isComplete = end.some(({ type }) => type === 'Complete');
  return {
    ...startOf(job, now),
    active: positive(counts.active),
    succeeded: positive(counts.succeeded),
    failed: positive(counts.failed),
    ready: counts.ready,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...(isComplete ? { completionTime: now } : {}),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function labelsFor({ metadata }: KubeObject): Record<string, string> {
  const { name = '', uid = '' } = metadata;
  return {
    'batch.kubernetes.io/job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': name,
    'controller-uid': uid,
  };
}

/** How a Job ended; undefined while it goes on. */
export function endingOf(job: KubeObject): 'Complete' | 'Failed' | undefined {
  const held = objectsIn(statusOf(job).conditions).filter(({ status }) => status === 'True');
  return (['Complete', 'Failed'] as const).find((ending) => held.some(({ type }) => type === ending));
}

/** How many pods should run now. */
function wantedPods(job: KubeObject, counts: JobCounts): number {
  if (isSuspended(job) || endOf(job, counts).length > 0) return 0;
  return Math.min(completionsOf(job) - counts.succeeded, countOf(specOf(job).parallelism, 1));
}

/** Runs each Job's pods to their end; every pod succeeds at once, or fails at once where the annotation says so. */
export function jobSimulation(context: SimulationContext): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, 'jobs', 'batch');
  const pods = typeOf(cluster, 'pods');
  return {
    name: 'simulated-jobs',
    keysOf: keysOfKind(type),
    work: async (text) => {
      const job = cluster.get(type, keyOf(text));
      if (job === undefined || job.metadata.deletionTimestamp !== undefined || endingOf(job) !== undefined) return;
      const present = childrenOf(cluster, pods, job);
      const counts = countsOf(present);
      const wanted = wantedPods(job, counts);
      for (let made = counts.active; made < wanted; made++)
        await createPod(cluster, job, { as, labels: labelsFor(job) });
      for (const pod of present.filter(isPodActive).slice(wanted)) await deletePod(cluster, pod, as);
      const now = countsOf(childrenOf(cluster, pods, job));
      await writeStatus(cluster, { type, object: job, as }, statusFor(job, now, context.now()));
    },
  };
}
