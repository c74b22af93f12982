import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { eventually } from '../../test/support/index.ts';
import { type Clock, type Logger, silentLogger, systemClock } from '../base/index.ts';
import {
  createEventRecorder,
  createKubeClient,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from './index.ts';
import { kubeErrorOf } from './kube-error.ts';

let server: ApiServer;
let kube: KubeClient;
const stop = new AbortController();
const startMs = Date.UTC(2026, 0, 1);
let nowMs = startMs;
const clock: Clock = { ...systemClock, now: () => nowMs };

beforeAll(async () => {
  server = await startApiServer({ simulation: false });
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
});
beforeEach(() => {
  nowMs = startMs;
});
afterAll(async () => {
  stop.abort();
  kube.close();
  await server.stop();
});

function start(client: KubeClient = kube, ownClock: Clock = clock): EventRecorder {
  return createEventRecorder({
    kube: client,
    component: 'longshore',
    clock: ownClock,
    log: silentLogger(),
    signal: stop.signal,
  });
}

function about(name: string): KubeObject {
  return { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name, uid: `uid of ${name}` } };
}

const failed = (message: string) => ({ type: 'Warning', reason: 'UnpackFailed', message }) as const;

async function eventsOf(name: string): Promise<readonly KubeObject[]> {
  const fieldSelector = `involvedObject.uid=uid of ${name}`;
  return (await kube.list({ apiVersion: 'v1', kind: 'Event', fieldSelector })).items;
}

async function countsOf(name: string): Promise<Record<string, unknown>> {
  const counts = (await eventsOf(name)).map((event): [string, unknown] => [event['message'] as string, event['count']]);
  return Object.fromEntries(counts);
}

test('the Event of a cluster-scoped object is in the namespace default', async () => {
  start().record(about('one'), failed('no'));
  await eventually(async () => {
    expect(await eventsOf('one')).toMatchObject([
      {
        metadata: { namespace: 'default' },
        involvedObject: { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'one', uid: 'uid of one' },
        type: 'Warning',
        reason: 'UnpackFailed',
        message: 'no',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'longshore' },
      },
    ]);
  });
});

test('Q30 a repeated Event raises the count of the first one, in another process too', async () => {
  for (let i = 0; i < 3; i++) {
    const recorder = start();
    recorder.record(about('two'), failed('no'));
    await eventually(async () => {
      expect(await countsOf('two')).toEqual({ no: 2 * i + 1 });
    });
    nowMs += 60_000;
    recorder.record(about('two'), failed('no'));
    await eventually(async () => {
      expect(await countsOf('two')).toEqual({ no: 2 * i + 2 });
    });
  }
  expect(await eventsOf('two')).toMatchObject([
    { firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:03:00Z' },
  ]);
});

test('repeated Events that arrive faster than they can be written take one request', async () => {
  const first = Promise.withResolvers<void>();
  let patches = 0;
  const slow: KubeClient = {
    ...kube,
    create: async (object, options) => {
      await first.promise;
      return await kube.create(object, options);
    },
    patch: async (ref, patch, options) => {
      patches++;
      return await kube.patch(ref, patch, options);
    },
  };
  const recorder = start(slow);
  for (let i = 0; i < 100; i++) recorder.record(about('three'), failed('no'));
  first.resolve();
  await eventually(async () => {
    expect(await countsOf('three')).toEqual({ no: 100 });
  });
  expect(patches).toBe(1);
});

test('many different Events with one reason are combined into one with the latest message', async () => {
  const recorder = start();
  for (let i = 1; i <= 30; i++) recorder.record(about('four'), failed(`try ${i}`));
  await eventually(async () => {
    const counts = await countsOf('four');
    expect(Object.keys(counts)).toHaveLength(11);
    expect(counts['(combined from similar events): try 30']).toBe(20);
  });
  nowMs += 11 * 60_000;
  recorder.record(about('four'), failed('try 31'));
  await eventually(async () => {
    expect((await countsOf('four'))['try 31']).toBe(1);
  });
  for (let i = 32; i <= 60; i++) recorder.record(about('four'), failed(`try ${i}`));
  nowMs -= 24 * 60 * 60_000;
  recorder.record(about('four'), failed('try 61'));
  await eventually(async () => {
    expect((await countsOf('four'))['try 61']).toBe(1);
  });
});

test('a deleted Event is created again', async () => {
  const recorder = start();
  recorder.record(about('five'), failed('no'));
  const [event] = await eventually(async () => {
    const events = await eventsOf('five');
    expect(events).toHaveLength(1);
    return events;
  });
  await kube.delete({ apiVersion: 'v1', kind: 'Event', namespace: 'default', name: event?.metadata.name ?? '' });
  recorder.record(about('five'), failed('no'));
  await eventually(async () => {
    expect(await countsOf('five')).toEqual({ no: 1 });
  });
});

test.each([
  { status: 0, requests: 3 },
  { status: 429, requests: 3 },
  { status: 403, requests: 1 },
  { status: 500, requests: 3 },
])('after an answer $status an Event is requested $requests times', async ({ status, requests }) => {
  let sent = 0;
  const failing: KubeClient = {
    ...kube,
    create: async (object, options) => {
      const { name } = (object['involvedObject'] ?? {}) as { readonly name?: string };
      if (name === `next-${status}`) return await kube.create(object, options);
      sent++;
      if (sent < 3) throw kubeErrorOf('create', { status, body: undefined });
      return await kube.create(object, options);
    },
  };
  const quick: Clock = { ...clock, sleep: () => Promise.resolve() };
  const recorder = start(failing, quick);
  recorder.record(about(`refused-${status}`), failed('no'));
  recorder.record(about(`next-${status}`), failed('no'));
  // An Event that is requested again does not hold up the next one.
  await eventually(async () => {
    expect(await countsOf(`next-${status}`)).toEqual({ no: 1 });
    expect(await countsOf(`refused-${status}`)).toEqual(requests === 3 ? { no: 1 } : {});
  });
  expect(sent).toBe(requests);
});

test('an Event that cannot be written yet holds up no other', async () => {
  const refusing: KubeClient = {
    ...kube,
    create: async (object, options) => {
      const { name } = (object['involvedObject'] ?? {}) as { readonly name?: string };
      if (name?.startsWith('held') === true) throw kubeErrorOf('create', { status: 503, body: undefined });
      return await kube.create(object, options);
    },
  };
  const never: Clock = { ...clock, sleep: () => new Promise(() => undefined) };
  const recorder = start(refusing, never);
  for (let i = 0; i < 20; i++) recorder.record(about(`held-${i}`), failed('no'));
  recorder.record(about('free'), failed('no'));
  await eventually(async () => {
    expect(await countsOf('free')).toEqual({ no: 1 });
  });
});

test('thousands of Events that come at once are written; what is too much is dropped from the oldest on, and that is logged', async () => {
  const written: string[] = [];
  const counting: KubeClient = {
    ...kube,
    create: async (object) => {
      await Promise.resolve();
      written.push(object['message'] as string);
      return object;
    },
  };
  const logged: string[] = [];
  const log: Logger = {
    ...silentLogger(),
    warn: (_fields: unknown, message?: string) => void logged.push(message ?? ''),
  };
  const recorder = createEventRecorder({ kube: counting, component: 'longshore', clock, log, signal: stop.signal });
  for (let i = 0; i < 4_000; i++) recorder.record(about(`many-${i}`), failed(`of ${i}`));
  await eventually(() => expect(written).toHaveLength(4_000));
  expect(logged).toEqual([]);
  for (let i = 0; i < 6_000; i++) recorder.record(about(`more-${i}`), failed(`of ${i}`));
  await eventually(() => expect(logged).toEqual([expect.stringContaining('oldest'), 'events were dropped']));
  expect(written.at(-1)).toBe('of 5999');
  expect(written.length).toBeLessThan(10_000);
});
