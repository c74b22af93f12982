import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, openBareCluster, SteppedClock } from '../../test/support/index.ts';
import type { JsonObject } from '../base/index.ts';
import { conditionsOf, type KubeObject, type ObjectEvent } from '../kube/index.ts';
import { changedConditions, type StatusHolder, StatusWriter } from './status.ts';

const options = { fieldManager: 'demo' };
const signal = new AbortController().signal;
let cluster: BareCluster;
let clock: SteppedClock;
let holder: StatusHolder;
let writer: StatusWriter;
let recorded: ObjectEvent[];
let writes: JsonObject[];

beforeAll(async () => {
  cluster = await openBareCluster();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

let count = 0;
beforeEach(async () => {
  count += 1;
  clock = new SteppedClock(Date.parse('2030-01-01T00:00:00Z'));
  recorded = [];
  writes = [];
  const metadata = { name: `n${count}` };
  const object = await cluster.kube.create({ apiVersion: 'v1', kind: 'Node', metadata }, options);
  holder = { object };
  writer = new StatusWriter(object, {
    ...options,
    // The real client, and what was sent.
    kube: {
      ...cluster.kube,
      patch: (ref, patch, how) => {
        writes.push(patch);
        return cluster.kube.patch(ref, patch, how);
      },
    },
    clock,
    events: { record: (_, event) => void recorded.push(event) },
    eventsOf: (before, after) =>
      conditionsOf(after)
        .filter(({ type, status }) => conditionsOf(before).find((one) => one.type === type)?.status !== status)
        .map(({ reason, message }) => ({ type: 'Normal', reason, message })),
  });
});

const ready = { type: 'Ready', status: 'True', reason: 'Done', message: 'all done' } as const;

function live(): Promise<KubeObject> {
  return cluster.kube.get({ apiVersion: 'v1', kind: 'Node', name: holder.object.metadata.name ?? '' });
}

test('nothing is written before the flush, and one request writes the differences', async () => {
  writer.set(holder, [{ ...ready, status: 'False' }]);
  writer.set(holder, [ready, { ...ready, type: 'Healthy' }]);
  expect(conditionsOf(await live())).toEqual([]);
  expect(conditionsOf(holder.object).map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Ready=True',
    'Healthy=True',
  ]);
  await writer.flush(holder, signal);
  await writer.flush(holder, signal);
  expect(writes).toHaveLength(1);
  expect(conditionsOf(await live())).toMatchObject([ready, { type: 'Healthy' }]);
  expect(recorded.map(({ reason }) => reason)).toEqual(['Done', 'Done']);
});

test('the time of a condition changes with its status alone, or when it is about something new', async () => {
  const timeOf = async () => {
    await writer.flush(holder, signal);
    return conditionsOf(await live())[0]?.lastTransitionTime;
  };
  writer.set(holder, [ready]);
  expect(await timeOf()).toBe('2030-01-01T00:00:00Z');
  await clock.pass(60_000);
  writer.set(holder, [{ ...ready, message: 'still done' }]);
  expect(await timeOf()).toBe('2030-01-01T00:00:00Z');
  writer.set(holder, [{ ...ready, isFresh: true }]);
  expect(await timeOf()).toBe('2030-01-01T00:01:00Z');
});

test('pending changes survive the response to another write, and changes by others stay', async () => {
  writer.set(holder, [ready]);
  const other = { type: 'Other', status: 'True', reason: 'X', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' };
  const { name = '' } = holder.object.metadata;
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const written = await cluster.kube.patch(
    ref,
    { status: { conditions: [other] } },
    { ...options, subresource: 'status' },
  );
  writer.rebase(holder, written);
  await writer.flush(holder, signal);
  expect(conditionsOf(await live()).map(({ type }) => type)).toEqual(['Other', 'Ready']);
  writer.remove(holder, 'Other');
  await writer.flush(holder, signal);
  expect(conditionsOf(await live()).map(({ type }) => type)).toEqual(['Ready']);
});

test('members that are null are removed, and an Event is recorded once its status is written', async () => {
  writer.setFields(holder, { phase: 'Running' });
  writer.event({ type: 'Warning', reason: 'Ending', message: 'it ends' });
  expect(recorded).toEqual([]);
  await writer.flush(holder, signal);
  expect((await live())['status']).toMatchObject({ phase: 'Running' });
  expect(recorded).toMatchObject([{ reason: 'Ending' }]);
  writer.setFields(holder, { phase: null });
  await writer.flush(holder, signal);
  expect(writes.at(-1)).toMatchObject({ status: { phase: null } });
});

test('the status of an object is never written to another one of its name', async () => {
  const { name = '' } = holder.object.metadata;
  const stale = new StatusWriter(
    { ...holder.object, metadata: { name, uid: 'another' } },
    { ...options, kube: cluster.kube, clock },
  );
  const before = { object: { ...holder.object, metadata: { name, uid: 'another' } } };
  stale.set(before, [ready]);
  await stale.flush(before, signal);
  expect(conditionsOf(await live())).toEqual([]);
});

test('an object that was deleted meanwhile is not an error', async () => {
  const metadata = { name: 'never', uid: 'x' };
  const gone = { object: { apiVersion: 'v1', kind: 'Node', metadata } };
  const late = new StatusWriter(gone.object, { ...options, kube: cluster.kube, clock });
  late.set(gone, [ready]);
  await late.flush(gone, signal);
});

test('conditions are changed by their reason or message, also very many of them', () => {
  const withReasons = (reasonOf: (index: number) => string): KubeObject => {
    const conditions = Array.from({ length: 30_000 }, (_, index) => ({
      type: `t-${index}`,
      status: 'True',
      reason: reasonOf(index),
      message: 'a',
    }));
    return { apiVersion: 'v1', kind: 'Demo', metadata: { name: 'a' }, status: { conditions } };
  };
  const changed = changedConditions(
    withReasons(() => 'First'),
    withReasons((index) => (index === 7 ? 'Second' : 'First')),
  );
  expect(changed.map(({ type, reason }) => [type, reason])).toEqual([['t-7', 'Second']]);
});
