import type { JsonObject } from '../../src/base/index.ts';
import { type Controller, ignoreNotFound, statusOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { claimChildren } from './claiming.ts';
import { type IndexProgress, indexProgress, isIndexed, pendingIndexes, podOfIndex } from './job-indexes.ts';
import {
  countPods,
  desiredPods,
  endingOf,
  endOf,
  type JobProgress,
  jobStatus,
  startOf,
  untilDeadline,
  untilRemoval,
} from './job-status.ts';
import { createPod, deletePod } from './pod-set.ts';
import { isPodActive, keyOf, keyText, type SimulationContext, writeStatus } from './simulated.ts';
import { WorkloadController } from './workload-controller.ts';

const as = 'system:serviceaccount:kube-system:job-controller';
const cleaner = 'system:serviceaccount:kube-system:ttl-after-finished-controller';

function labelsFor({ metadata }: KubeObject): Record<string, string> {
  const { name = '', uid = '' } = metadata;
  return {
    'batch.kubernetes.io/job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': name,
    'controller-uid': uid,
  };
}

async function createPods(
  cluster: Cluster,
  job: KubeObject,
  options: { readonly count: number; readonly indexes: IndexProgress | undefined },
): Promise<void> {
  const { count, indexes } = options;
  const labels = labelsFor(job);
  if (indexes === undefined) {
    for (let made = 0; made < count; made++) await createPod(cluster, job, { as, labels });
    return;
  }
  for (const index of pendingIndexes(job, indexes, count)) {
    const pod = podOfIndex(job, index, indexes);
    await createPod(cluster, job, { ...pod, as, labels: { ...labels, ...pod.labels } });
  }
}

class JobSimulation extends WorkloadController {
  constructor(context: SimulationContext) {
    super(context, { name: 'simulated-jobs', type: ['jobs', 'batch'], children: ['pods'] });
  }

  protected override async reconcile(job: KubeObject): Promise<void> {
    if (endingOf(job) !== undefined) return await this.#remove(job);
    await claimChildren({ cluster: this.cluster, type: this.children, owner: job, as });
    const started = this.#started(job);
    const before = await this.#progressOf(started);
    const end = endOf(before);
    await this.#keepPods(before);
    const after = await this.#progressOf(started);
    const failed = end?.type === 'Failed' ? before.counts.failed + before.counts.active : after.counts.failed;
    const counts = { ...after.counts, failed: Math.max(failed, this.#failedBefore(job, end !== undefined)) };
    const status = jobStatus({ ...after, counts }, end, this.context.now());
    await writeStatus(this.cluster, { type: this.type, object: job, as }, status);
    const waitMs = end === undefined ? untilDeadline(started, this.context.clock.now()) : undefined;
    this.requeueAfter(job, waitMs);
  }

  /** Pods that an end removed stay among those that failed. */
  #failedBefore(job: KubeObject, isEnding: boolean): number {
    const { failed } = statusOf(job);
    return isEnding && typeof failed === 'number' ? failed : 0;
  }

  /** The Job with its start in its status, as it will be written. */
  #started(job: KubeObject): KubeObject {
    const status: JsonObject = { ...statusOf(job), ...startOf(job, this.context.now()) };
    return { ...job, status } as KubeObject;
  }

  async #progressOf(job: KubeObject): Promise<JobProgress> {
    const pods = await this.childrenOf(job);
    const indexes = isIndexed(job) ? indexProgress(job, pods) : undefined;
    return { job, indexes, counts: countPods(pods, indexes), nowMs: this.context.clock.now() };
  }

  async #keepPods(progress: JobProgress): Promise<void> {
    const { job, counts, indexes } = progress;
    const desired = desiredPods(progress);
    await createPods(this.cluster, job, { count: desired - counts.active, indexes });
    const active = (await this.childrenOf(job)).filter(isPodActive);
    for (const pod of active.slice(desired)) await deletePod(this.cluster, pod, as);
  }

  /** Deletes a Job that ended once its time to live is over. */
  async #remove(job: KubeObject): Promise<void> {
    const waitMs = untilRemoval(job, this.context.clock.now());
    if (waitMs !== 0) return this.requeueAfter(job, waitMs);
    const { uid } = job.metadata;
    const options = { as: cleaner, propagationPolicy: 'Foreground' as const, ...(uid === undefined ? {} : { uid }) };
    await ignoreNotFound(this.cluster.delete(this.type, keyOf(keyText(job)), options));
  }
}

/** Runs the pods of each Job to their end; every pod succeeds at once, fails at once, or runs for a time, as its annotations specify. */
export function jobSimulation(context: SimulationContext): Controller {
  return new JobSimulation(context);
}
