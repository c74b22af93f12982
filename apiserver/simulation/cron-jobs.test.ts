import { beforeEach, expect, test } from 'vitest';
import { formatTimestamp, isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { Controller } from '../controllers/controller.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { cronJobSimulation } from './cron-jobs.ts';

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'c' };
let cluster: MemoryCluster;
let nowMs: number;
let controller: Controller;
let sleeps: number[];

beforeEach(() => {
  cluster = new MemoryCluster();
  // Well after the beginning, which the cluster takes from the clock on the wall, and on a whole hour.
  nowMs = (Math.floor(Date.now() / 3_600_000) + 2) * 3_600_000;
  sleeps = [];
  const sleep = (ms: number): Promise<void> => {
    sleeps.push(ms);
    return new Promise(() => undefined);
  };
  const clock = { now: () => nowMs, sleep };
  controller = cronJobSimulation({ cluster, clock, now: () => formatTimestamp(nowMs) });
  controller.start?.(() => undefined);
});

const cronJobs = (): ReturnType<MemoryCluster['type']> => cluster.type('cronjobs', 'batch');
const jobType = (): ReturnType<MemoryCluster['type']> => cluster.type('jobs', 'batch');
const jobs = (): readonly KubeObject[] => cluster.list(jobType(), { namespace: 'ns' });
const minute = (): number => Math.floor(nowMs / 60_000);
const statusNow = (): unknown => cluster.get(cronJobs(), key)?.status;
const names = (): unknown[] => jobs().map(({ metadata }) => metadata.name);
const work = (): Promise<void> => controller.work('ns/c');

async function create(spec: JsonObject): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const jobTemplate = { metadata: { labels: { app: 'a' } }, spec: { template } };
  const object = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { ...key } };
  await cluster.create(cronJobs(), { ...object, spec: { schedule: '*/1 * * * *', jobTemplate, ...spec } }, as);
}

async function end(name: string, type: 'Complete' | 'Failed'): Promise<void> {
  const at = formatTimestamp(nowMs);
  const times = type === 'Complete' ? { startTime: at, completionTime: at } : { startTime: at };
  const status = { ...times, conditions: [{ type, status: 'True' }] };
  await cluster.patch(jobType(), { namespace: 'ns', name }, { status }, { ...as, subresource: 'status' });
}

/** Goes to the next minute and ends its Job. */
async function pass(type: 'Complete' | 'Failed'): Promise<void> {
  nowMs += 60_000;
  await work();
  await end(`c-${minute()}`, type);
  await work();
}

test('CTL-09 a CronJob makes one Job a minute, named after it, by the clock of the server', async () => {
  await create({ timeZone: 'Etc/UTC' });
  await work();
  await work();
  const name = `c-${minute()}`;
  const scheduled = formatTimestamp(nowMs);
  expect(jobs()).toMatchObject([
    {
      metadata: {
        name,
        labels: { app: 'a' },
        annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled },
        ownerReferences: [{ kind: 'CronJob', name: 'c', controller: true }],
      },
    },
  ]);
  const active = [{ apiVersion: 'batch/v1', kind: 'Job', name, namespace: 'ns' }];
  expect(statusNow()).toMatchObject({ active, lastScheduleTime: scheduled });
  nowMs += 59_000;
  await work();
  expect(names()).toEqual([name]);
  expect(sleeps.at(-1)).toBe(1020);
  nowMs += 1000;
  await work();
  expect(names()).toEqual([name, `c-${minute()}`]);
  await end(name, 'Complete');
  await work();
  expect(statusNow()).toMatchObject({
    active: [{ name: `c-${minute()}` }],
    lastSuccessfulTime: formatTimestamp(nowMs),
  });
});

test('CTL-09 a suspended CronJob makes none, and is not looked at again', async () => {
  await create({ suspend: true });
  await work();
  expect(names()).toEqual([]);
  expect(sleeps).toEqual([]);
});

test('CTL-09 a time that passed longer ago than the deadline is missed', async () => {
  await create({ startingDeadlineSeconds: 10 });
  nowMs += 30_000;
  await work();
  expect(names()).toEqual([]);
  nowMs += 35_000;
  await work();
  expect(names()).toEqual([`c-${minute()}`]);
});

test.each([
  ['Allow', 2],
  ['Forbid', 1],
  ['Replace', 1],
])('CTL-09 with policy %s %i Jobs run when one takes longer', async (concurrencyPolicy, count) => {
  await create({ concurrencyPolicy });
  await work();
  const first = names()[0];
  nowMs += 60_000;
  await work();
  expect(jobs()).toHaveLength(count);
  expect(names()[0] === first).toBe(concurrencyPolicy !== 'Replace');
  const status = statusNow();
  expect(isJsonObject(status) ? status['active'] : undefined).toHaveLength(count);
});

test('CTL-09 keeps as many Jobs that are over as the limits allow, the newest', async () => {
  await create({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  await pass('Failed');
  await pass('Complete');
  await pass('Complete');
  await pass('Failed');
  await pass('Complete');
  expect(names()).toEqual([minute() - 2, minute() - 1, minute()].map((at) => `c-${at}`));
  expect(statusNow()).not.toHaveProperty('active');
});

test('CTL-09 a Job that was made and not written down is written down', async () => {
  await create({});
  await work();
  await cluster.patch(cronJobs(), key, { status: null }, { ...as, subresource: 'status' });
  await work();
  expect(jobs()).toHaveLength(1);
  expect(statusNow()).toMatchObject({ active: [{ name: `c-${minute()}` }] });
});
