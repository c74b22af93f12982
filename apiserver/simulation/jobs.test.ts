import { expect, test } from 'vitest';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { SteppedClock } from '../../test/support/stepped-clock.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { runSecondsAnnotation, simulateAnnotation, startSimulation } from './index.ts';
import { indexText } from './job-indexes.ts';

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'j' };
const slow = { [runSecondsAnnotation]: '60' };
const fail = { [simulateAnnotation]: 'fail' };
let cluster: MemoryCluster;
let clock: SteppedClock;

runForEachTest((world) => {
  ({ cluster, clock } = world);
  return startSimulation(cluster, { clock, log: silentLogger() });
});

async function createJob(spec: JsonObject, annotations: Record<string, string> = {}): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { ...key, annotations } };
  await cluster.create(cluster.type('jobs', 'batch'), { ...job, spec: { template, ...spec } }, as);
}

const job = (): KubeObject | undefined => cluster.get(cluster.type('jobs', 'batch'), key);
const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'));
const phases = (): unknown[] => pods().map(({ status }) => (status as JsonObject)['phase']);
const ended = (type: string, reason: string): unknown =>
  expect.arrayContaining([expect.objectContaining({ type, status: 'True', reason })]) as unknown;

test('the pods of a Job run for as long as the annotation specifies', async () => {
  await createJob({}, slow);
  await eventually(() => expect(job()?.status).toMatchObject({ active: 1, ready: 1 }));
  await clock.pass(59_000);
  expect(phases()).toEqual(['Running']);
  await clock.pass(1_000);
  await eventually(() =>
    expect(job()?.status).toMatchObject({
      succeeded: 1,
      startTime: '2030-01-01T00:00:00Z',
      completionTime: '2030-01-01T00:01:00Z',
    }),
  );
  expect(phases()).toEqual(['Succeeded']);
});

test('a Job that is active for too long fails, and its pods are removed', async () => {
  await createJob({ activeDeadlineSeconds: 30 }, slow);
  await eventually(() => expect(job()?.status).toMatchObject({ ready: 1 }));
  await clock.pass(31_000);
  await eventually(() => {
    expect(job()?.status).toMatchObject({ failed: 1, conditions: ended('Failed', 'DeadlineExceeded') });
    expect(pods()).toEqual([]);
  });
});

test('the deadline counts from when a Job is resumed', async () => {
  await createJob({ activeDeadlineSeconds: 30, suspend: true }, slow);
  await eventually(() => expect(job()?.status).toMatchObject({ conditions: ended('Suspended', 'JobSuspended') }));
  await clock.pass(100_000);
  await cluster.patch(cluster.type('jobs', 'batch'), key, { spec: { suspend: false } }, as);
  await eventually(() => expect(job()?.status).toMatchObject({ ready: 1, startTime: '2030-01-01T00:01:40Z' }));
});

test.each([
  ['Complete', {}],
  ['Failed', fail],
])('a Job that is %s is deleted when its time to live is over', async (type, annotations) => {
  await createJob({ ttlSecondsAfterFinished: 100, backoffLimit: 0 }, annotations);
  await eventually(() =>
    expect(job()?.status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type })]) as unknown,
    }),
  );
  await clock.pass(99_000);
  expect(job()?.metadata.deletionTimestamp).toBeUndefined();
  await clock.pass(1_000);
  // Foreground: the Job waits for its pods, which the garbage collector removes.
  await eventually(() => expect(job()?.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] }));
});

test('an Indexed Job has a pod for each index, which knows it', async () => {
  await createJob({ completionMode: 'Indexed', completions: 3, parallelism: 2 });
  await eventually(() => expect(job()?.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' }));
  const [first] = pods();
  const index = 'batch.kubernetes.io/job-completion-index';
  expect(first?.metadata).toMatchObject({
    name: expect.stringMatching(/^j-0-/) as unknown,
    labels: { [index]: '0' },
    annotations: { [index]: '0' },
  });
  expect(first?.spec).toMatchObject({
    hostname: 'j-0',
    containers: [
      {
        env: [{ name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${index}']` } } }],
      },
    ],
  });
});

test('an index that fails too often is given up, and then the Job', async () => {
  const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1, backoffLimit: 99 };
  await createJob(spec, fail);
  await eventually(() =>
    expect(job()?.status).toMatchObject({
      failed: 4,
      failedIndexes: '0,1',
      conditions: ended('Failed', 'FailedIndexes'),
    }),
  );
});

test('a work queue is complete when one pod succeeded and none is left', async () => {
  await createJob({ parallelism: 3 });
  await eventually(() => expect(job()?.status).toMatchObject({ conditions: ended('Complete', 'CompletionsReached') }));
  expect(phases()).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
});

test.each([
  [[], ''],
  [[3], '3'],
  [[2, 1], '1,2'],
  [[5, 0, 1, 2, 7, 8], '0-2,5,7,8'],
])('the indexes %j are written as %j', (indexes, text) => {
  expect(indexText(new Set(indexes))).toBe(text);
});
