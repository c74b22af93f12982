import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { eventually, SteppedClock } from '../../test/support/index.ts';
import { silentLogger, systemClock, TerminalError, TransientError, WaitingError } from '../base/index.ts';
import { type Controller, startController } from './controller.ts';
import { backOffMs } from './work-queue.ts';

const stoppers: AbortController[] = [];
afterEach(() => {
  for (const stopper of stoppers.splice(0)) stopper.abort();
});

interface Started {
  readonly controller: { enqueue(name: string): void } & Pick<Controller, 'whenStopped'>;
  readonly stop: () => void;
}

function start(reconcileNamed: (name: string) => Promise<void>, workers = 2): Started {
  const stopper = new AbortController();
  stoppers.push(stopper);
  const { signal } = stopper;
  const runtime = { clock: systemClock, log: silentLogger(), signal };
  const reconcile = ({ name }: { readonly name: string }): Promise<void> => reconcileNamed(name);
  const controller = startController({ name: 'test', workers, reconcile, ...runtime });
  return {
    controller: {
      enqueue: (name) => controller.enqueue({ namespace: '', name }),
      whenStopped: controller.whenStopped,
    },
    stop: () => {
      stopper.abort();
    },
  };
}

test('requests that are gathered lead to one reconcile of each object', async () => {
  const stopper = new AbortController();
  stoppers.push(stopper);
  const clock = new SteppedClock(Date.now());
  const names: string[] = [];
  const reconcile = async ({ name }: { readonly name: string }): Promise<void> => {
    await Promise.resolve();
    names.push(name);
  };
  const runtime = { clock, log: silentLogger(), signal: stopper.signal };
  const controller = startController({ name: 'test', workers: 1, gatherMs: 1_000, reconcile, ...runtime });
  for (const name of ['a', 'b', 'a']) {
    controller.enqueue({ namespace: '', name });
    await turn();
    expect(names).toEqual([]);
  }
  await clock.pass(1_000);
  await eventually(() => expect(names).toEqual(['a', 'b']));
  controller.enqueue({ namespace: '', name: 'a' });
  await clock.pass(1_000);
  await eventually(() => expect(names).toEqual(['a', 'b', 'a']));
});

test('the back-off doubles from 5 ms and ends at 5 minutes', () => {
  const waits = [1, 2, 3, 10, 30, 5_000].map((failures) => backOffMs(failures, { random: () => 0 }));
  expect(waits).toEqual([5, 10, 20, 2_560, 300_000, 300_000]);
  expect(backOffMs(1, { random: () => 1 })).toBe(4);
});

test('an object is never reconciled concurrently, and changes during a reconcile lead to one more', async () => {
  let active = 0;
  let most = 0;
  let passes = 0;
  const gate = Promise.withResolvers<void>();
  const { controller } = start(async () => {
    most = Math.max(most, ++active);
    passes++;
    if (passes === 1) await gate.promise;
    active--;
  }, 4);
  controller.enqueue('a');
  await eventually(() => {
    expect(passes).toBe(1);
  });
  for (let i = 0; i < 5; i++) controller.enqueue('a');
  await turn();
  gate.resolve();
  await eventually(() => {
    expect(passes).toBe(2);
  });
  await turn();
  expect({ passes, most }).toEqual({ passes: 2, most: 1 });
});

test('a slow object does not delay others', async () => {
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { controller } = start(async (key) => {
    if (key === 'slow') await gate.promise;
    seen.push(key);
  });
  for (const key of ['slow', 'a', 'b', 'c']) controller.enqueue(key);
  await eventually(() => {
    expect(seen).toEqual(['a', 'b', 'c']);
  });
  gate.resolve();
});

test.each([
  { name: 'a transient error', error: () => new TransientError('Down', 'down'), passes: 3 },
  { name: 'a defect', error: () => new Error('bug'), passes: 3 },
  { name: 'waiting', error: () => new WaitingError('Wait', 'wait', { afterMs: 1 }), passes: 3 },
])('$name leads to another reconcile', async ({ error, passes }) => {
  let count = 0;
  const { controller } = start(() => (++count < passes ? Promise.reject(error()) : Promise.resolve()));
  controller.enqueue('a');
  await eventually(() => {
    expect(count).toBe(passes);
  });
});

test('a terminal error waits for the next change, which is reconciled', async () => {
  const counts = new Map<string, number>();
  const { controller } = start((key) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return Promise.reject(key === 'b' ? new TransientError('Down', 'down') : new TerminalError('No', 'no'));
  });
  controller.enqueue('a');
  controller.enqueue('b');
  await eventually(() => {
    expect(counts.get('b')).toBeGreaterThan(3);
  });
  expect(counts.get('a')).toBe(1);
  controller.enqueue('a');
  await eventually(() => {
    expect(counts.get('a')).toBe(2);
  });
});

test('stopping waits for running reconciles and starts no more', async () => {
  const gate = Promise.withResolvers<void>();
  let passes = 0;
  const { controller, stop } = start(async () => {
    passes++;
    await gate.promise;
  }, 1);
  controller.enqueue('a');
  controller.enqueue('b');
  await eventually(() => {
    expect(passes).toBe(1);
  });
  stop();
  gate.resolve();
  await controller.whenStopped;
  expect(passes).toBe(1);
});

test('reconciles that wait for nothing leave other work its turns', async () => {
  let reconciled = 0;
  const { controller } = start(async () => {
    await Promise.resolve();
    const begunMs = performance.now();
    while (performance.now() - begunMs < 12);
    reconciled += 1;
  });
  const seen = new Set<number>();
  for (let object = 0; object < 20; object += 1) controller.enqueue(`object-${object}`);
  while (reconciled < 20) {
    await turn();
    seen.add(reconciled);
  }
  expect(seen.size).toBeGreaterThan(5);
});
