import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import {
  Appointments,
  type Controller,
  ignoreNotFound,
  objectsIn,
  specOf,
  statusOf,
  typeOf,
} from '../controllers/index.ts';
import type { KubeObject, ObjectMeta, ResourceType } from '../core/index.ts';
import { readSchedule } from '../registry/kinds/index.ts';
import { keysOfClaims } from './claiming.ts';
import { lastTime, localTimestamp, nextTime, zoneOffset } from './cron-times.ts';
import { endingOf } from './job-status.ts';
import {
  childrenOf,
  controllerReference,
  countOf,
  keyOf,
  type SimulationContext,
  timestampOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:cronjob-controller';
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** A little late, so that no timer comes before its time; and never longer than a timer can wait. */
const marginMs = 20;
const longestWaitMs = 3_600_000;

interface Timetable {
  readonly schedule: NonNullable<ReturnType<typeof readSchedule>>;
  readonly offset: ReturnType<typeof zoneOffset>;
}

/** When a CronJob is due; undefined when it is suspended or has no readable schedule. */
function timetableOf(cronJob: KubeObject): Timetable | undefined {
  const { schedule: text, timeZone, suspend } = specOf(cronJob);
  if (suspend === true || cronJob.metadata.deletionTimestamp !== undefined) return undefined;
  const schedule = typeof text === 'string' ? readSchedule(text) : undefined;
  if (schedule === undefined) return undefined;
  return { schedule, offset: zoneOffset(typeof timeZone === 'string' ? timeZone : undefined) };
}

function timeOf(value: JsonValue | undefined): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}

/** From when on times count: the last one that was met, or the beginning. */
function startOf(cronJob: KubeObject): number {
  return timeOf(statusOf(cronJob).lastScheduleTime ?? cronJob.metadata.creationTimestamp);
}

/** The time whose Job is to be made now, if any. */
function dueTime(cronJob: KubeObject, nowMs: number): number | undefined {
  const timetable = timetableOf(cronJob);
  if (timetable === undefined) return undefined;
  const { startingDeadlineSeconds: deadline } = specOf(cronJob);
  const earliestMs = typeof deadline === 'number' ? nowMs - deadline * 1000 : 0;
  const span = { sinceMs: Math.max(startOf(cronJob), Math.floor(earliestMs / 1000) * 1000), nowMs };
  return lastTime(timetable.schedule, span, timetable.offset);
}

function waitOf(cronJob: KubeObject, nowMs: number): number | undefined {
  const timetable = timetableOf(cronJob);
  if (timetable === undefined) return undefined;
  const { schedule, offset } = timetable;
  const span = { sinceMs: startOf(cronJob), nowMs };
  const next = nextTime(schedule, lastTime(schedule, span, offset) ?? startOf(cronJob), offset);
  return next === undefined ? undefined : Math.min(Math.max(next - nowMs, 0) + marginMs, longestWaitMs);
}

/** The name of a Job has the minute of its time, so that none is made twice. */
function nameFor({ metadata }: KubeObject, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

function jobFor(cronJob: KubeObject, dueMs: number): KubeObject {
  const { jobTemplate, timeZone } = specOf(cronJob);
  const template = isJsonObject(jobTemplate) ? jobTemplate : {};
  const { labels, annotations } = (isJsonObject(template.metadata) ? template.metadata : {}) as Partial<ObjectMeta>;
  const offset = zoneOffset(typeof timeZone === 'string' ? timeZone : undefined);
  const { namespace = '' } = cronJob.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: nameFor(cronJob, dueMs),
      namespace,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, [scheduledAnnotation]: localTimestamp(dueMs, offset) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: isJsonObject(template.spec) ? structuredClone(template.spec) : {},
  };
}

function referenceTo({ metadata }: KubeObject): JsonObject {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', name, namespace, resourceVersion, uid };
}

/** The references of `status.active` to Jobs that still run. */
function stillActive(cronJob: KubeObject, jobs: readonly KubeObject[]): JsonObject[] {
  const open = new Set(jobs.filter((job) => endingOf(job) === undefined).map(({ metadata }) => metadata.uid));
  return objectsIn(statusOf(cronJob).active).filter(({ uid }) => typeof uid === 'string' && open.has(uid));
}

function lastSuccess(cronJob: KubeObject, jobs: readonly KubeObject[]): JsonObject {
  const { lastSuccessfulTime } = statusOf(cronJob);
  const times = jobs.filter((job) => endingOf(job) === 'Complete').map((job) => timeOf(statusOf(job).completionTime));
  const last = Math.max(timeOf(lastSuccessfulTime), ...times);
  return last === 0 ? {} : { lastSuccessfulTime: timestampOf(last) };
}

/** The Jobs that are over and more than are to be kept, the oldest first. */
function surplus(cronJob: KubeObject, jobs: readonly KubeObject[]): KubeObject[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = specOf(cronJob);
  const started = (job: KubeObject): number => timeOf(statusOf(job).startTime);
  const over = (ending: string, limit: JsonValue | undefined): KubeObject[] => {
    const ended = jobs
      .filter((job) => endingOf(job) === ending && job.metadata.deletionTimestamp === undefined)
      .toSorted((a, b) => started(a) - started(b) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
    return ended.slice(0, Math.max(0, ended.length - countOf(limit, ended.length)));
  };
  return [...over('Complete', successfulJobsHistoryLimit), ...over('Failed', failedJobsHistoryLimit)];
}

/** The Jobs of CronJobs: made, replaced, cleared away. */
class CronJobRuns {
  readonly #context: SimulationContext;
  readonly #type: ResourceType;

  constructor(context: SimulationContext) {
    this.#context = context;
    this.#type = typeOf(context.cluster, 'jobs', 'batch');
  }

  async of(cronJob: KubeObject): Promise<KubeObject[]> {
    return await childrenOf(this.#context.cluster, this.#type, cronJob);
  }

  async remove(jobs: readonly KubeObject[]): Promise<void> {
    for (const { metadata } of jobs) {
      const { namespace = '', name = '', uid } = metadata;
      const options = { as, propagationPolicy: 'Background' as const, ...(uid === undefined ? {} : { uid }) };
      await ignoreNotFound(this.#context.cluster.delete(this.#type, { namespace, name }, options));
    }
  }

  /** What of the status changes when a time has come; nothing when none has, or its Job may not be made. */
  async start(cronJob: KubeObject, active: readonly JsonObject[]): Promise<JsonObject> {
    const dueMs = dueTime(cronJob, this.#context.clock.now());
    if (dueMs === undefined || active.some(({ name }) => name === nameFor(cronJob, dueMs))) return {};
    const { concurrencyPolicy } = specOf(cronJob);
    if (concurrencyPolicy === 'Forbid' && active.length > 0) return {};
    const replaced = new Set(concurrencyPolicy === 'Replace' ? active.map(({ uid }) => uid) : []);
    await this.remove((await this.of(cronJob)).filter(({ metadata }) => replaced.has(metadata.uid)));
    const job = await this.#jobOf(cronJob, dueMs);
    if (job === undefined) return {};
    const kept = active.filter(({ uid }) => !replaced.has(uid));
    const now = endingOf(job) === undefined ? [...kept, referenceTo(job)] : kept;
    return { active: now.length === 0 ? undefined : now, lastScheduleTime: timestampOf(dueMs) };
  }

  /** The Job of a time: the one that is there already, or a new one; undefined when another owner's Job has its name. */
  async #jobOf(cronJob: KubeObject, dueMs: number): Promise<KubeObject | undefined> {
    const { cluster } = this.#context;
    const job = jobFor(cronJob, dueMs);
    const { namespace = '', name = '' } = job.metadata;
    const present = cluster.get(this.#type, { namespace, name });
    if (present === undefined) return await cluster.create(this.#type, job, { as });
    const isOurs = present.metadata.ownerReferences?.some(({ uid }) => uid === cronJob.metadata.uid);
    return isOurs === true ? present : undefined;
  }
}

/** Creates the Jobs of CronJobs when they are due, and deletes old ones. */
export function cronJobSimulation(context: SimulationContext): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, 'cronjobs', 'batch');
  const runs = new CronJobRuns(context);
  let appointments: Appointments | undefined;
  return {
    name: 'simulated-cronjobs',
    start: (again) => (appointments = new Appointments(context.clock, again)),
    keysOf: keysOfClaims(cluster, type, []).keysOf,
    work: async (text) => {
      const cronJob = cluster.get(type, keyOf(text));
      appointments?.set(text, undefined);
      if (cronJob === undefined) return;
      const jobs = await runs.of(cronJob);
      const active = stillActive(cronJob, jobs);
      const { lastScheduleTime } = statusOf(cronJob);
      const status = {
        active: active.length === 0 ? undefined : active,
        lastScheduleTime,
        ...lastSuccess(cronJob, jobs),
        ...(await runs.start(cronJob, active)),
      };
      await writeStatus(cluster, { type, object: cronJob, as }, status);
      await runs.remove(surplus(cronJob, jobs));
      appointments?.set(text, waitOf({ ...cronJob, status }, context.clock.now()));
    },
  };
}
