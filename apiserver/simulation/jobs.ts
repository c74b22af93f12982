import type { JsonObject } from '../../src/base/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { createPod } from './pod-set.ts';
import {
  childrenOf,
  conditionsFrom,
  countOf,
  isPodActive,
  keyOf,
  keysOfKind,
  type Observation,
  positive,
  type SimulationContext,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:job-controller';

interface JobCounts {
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

function countsOf(pods: readonly KubeObject[]): JobCounts {
  const inPhase = (phase: string): number => pods.filter((pod) => statusOf(pod).phase === phase).length;
  return { active: pods.filter(isPodActive).length, succeeded: inPhase('Succeeded'), failed: inPhase('Failed') };
}

function completionsOf(job: KubeObject): number {
  const { completions, parallelism } = specOf(job);
  return countOf(completions, countOf(parallelism, 1));
}

function endOf(job: KubeObject, { succeeded, failed }: JobCounts): Observation[] {
  if (succeeded >= completionsOf(job)) {
    const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
    return [
      { type: 'SuccessCriteriaMet', status: 'True', ...why },
      { type: 'Complete', status: 'True', ...why },
    ];
  }
  if (failed === 0) return [];
  const why = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  return [
    { type: 'FailureTarget', status: 'True', ...why },
    { type: 'Failed', status: 'True', ...why },
  ];
}

function statusFor(job: KubeObject, counts: JobCounts, now: string): JsonObject {
  const { startTime = now } = statusOf(job);
  const observations = endOf(job, counts);
  const conditions = conditionsFrom(job, observations, { now, extra: ['lastProbeTime'] });
  const isComplete = observations.some(({ type }) => type === 'Complete');
  return {
    startTime,
    active: positive(counts.active),
    succeeded: positive(counts.succeeded),
    failed: positive(counts.failed),
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...(isComplete ? { completionTime: now } : {}),
    ...(observations.length === 0 ? {} : { conditions }),
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

function isFinished(job: KubeObject): boolean {
  return objectsIn(statusOf(job).conditions).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
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
      if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
      if (isFinished(job) || specOf(job).suspend === true) return;
      const counts = countsOf(childrenOf(cluster, pods, job));
      const left = completionsOf(job) - counts.succeeded;
      const missing = Math.min(left, countOf(specOf(job).parallelism, 1)) - counts.active;
      for (let made = 0; made < missing && counts.failed === 0; made++) {
        await createPod(cluster, job, { as, labels: labelsFor(job) });
      }
      const now = countsOf(childrenOf(cluster, pods, job));
      await writeStatus(cluster, { type, object: job, as }, statusFor(job, now, context.now()));
    },
  };
}
