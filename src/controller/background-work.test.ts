import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { type Clock, silentLogger, TerminalError, TransientError, WaitingError } from '../base/index.ts';
import { BackgroundWork } from './background-work.ts';
import type { WorkId } from './work-slots.ts';

/** A clock that moves on demand. */
class TestClock implements Clock {
  #nowMs = 0;
  readonly #sleepers = new Set<{ dueMs: number; wake: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { dueMs: this.#nowMs + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    await promise;
  }

  async move(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const sleeper of this.#sleepers) if (sleeper.dueMs <= this.#nowMs) sleeper.wake();
    await turn();
  }
}

let clock: TestClock;
let stopper: AbortController;
let works: BackgroundWork;
let changed: string[];

beforeEach(() => {
  clock = new TestClock();
  stopper = new AbortController();
  changed = [];
  const onChange = (name: string): void => void changed.push(name);
  const limits = { perGroup: 8, prompt: 64, running: 1_000, promptMs: 2_000 };
  const retry = { firstMs: 500, longestMs: 300_000 };
  const runtime = { clock, log: silentLogger(), signal: stopper.signal, onChange };
  works = new BackgroundWork({ ...runtime, limits, retry, quietMs: 10_000, defectPrefix: 'fetch: ' });
});
afterEach(() => {
  stopper.abort();
});

const id = (name: string): WorkId => ({ name, input: 'u1' });

/** Work that ends when it is aborted. */
const silent = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

async function fail(name: string, error: Error): Promise<void> {
  works.start(id(name), () => Promise.reject(error), { group: 'host' });
  await turn();
}

test('a host gets 8 requests at a time, and another host does not wait for it', async () => {
  const started: string[] = [];
  const work = (name: string) => (signal: AbortSignal) => (started.push(name), silent(signal));
  for (let index = 0; index < 40; index++) works.start(id(`a${index}`), work(`a${index}`), { group: 'a' });
  works.start(id('b'), work('b'), { group: 'b' });
  await turn();
  expect(started).toEqual([...Array.from({ length: 8 }, (_, index) => `a${index}`), 'b']);
});

test('Q22 work without an answer for two seconds releases its slot, on its own host and on all others', async () => {
  const started: string[] = [];
  for (let index = 0; index < 200; index++) {
    works.start(id(`s${index}`), (signal) => (started.push(`s${index}`), silent(signal)), {
      group: `host-${index % 50}`,
    });
  }
  works.start(id('good'), () => Promise.resolve(started.push('good')), { group: 'host-0' });
  await turn();
  expect(started).toHaveLength(64);
  for (let rounds = 0; rounds < 4; rounds++) await clock.move(2_000);
  expect(started).toContain('good');
  expect(changed.filter((name) => name === 'good')).toHaveLength(1);
});

test('work of a group with few makes slow work of the group with the most end, which is retried', async () => {
  const started: string[] = [];
  const work = (name: string) => (signal: AbortSignal) => (started.push(name), silent(signal));
  for (let index = 0; index < 1_100; index++)
    works.start(id(`s${index}`), work(`s${index}`), { group: `host-${index % 8}` });
  for (let rounds = 0; rounds < 20; rounds++) await clock.move(2_000);
  expect(started).toHaveLength(1_000);
  works.start(id('good'), () => Promise.resolve(started.push('good')), { group: 'good-host' });
  await eventually(() => expect(started).toContain('good'));
  expect(started.length).toBeLessThan(1_020);
  const failed = Array.from({ length: 1_100 }, (_, index) => works.failureOf(id(`s${index}`))).filter(Boolean);
  expect(failed[0]).toMatchObject({ error: { reason: 'MadeRoom' }, nextTryMs: expect.any(Number) as number });
});

test('work that runs programs has limits of its own, where what is slow makes room as well', async () => {
  const limits = { perGroup: 8, prompt: 64, running: 1_000, promptMs: 2_000 };
  const programs = { perGroup: 8, prompt: 4, running: 16, promptMs: 2_000 };
  const options = { clock, log: silentLogger(), signal: stopper.signal, onChange: () => undefined };
  const mixed = new BackgroundWork({ ...options, limits, programs, retry: { firstMs: 500, longestMs: 300_000 } });
  const running = new Set<string>();
  const work = (name: string) => async (signal: AbortSignal) => {
    running.add(name);
    await silent(signal).finally(() => running.delete(name));
  };
  for (let index = 0; index < 40; index++) {
    const name = `s${index}`;
    mixed.start(id(name), work(name), { group: `host-${index % 4}`, runsProgram: true });
  }
  for (let rounds = 0; rounds < 10; rounds++) await clock.move(2_000);
  expect(running.size).toBe(16);
  mixed.start(id('page'), work('page'), { group: 'host-0' });
  expect(running).toContain('page');
  const others = ['a', 'b', 'c'];
  for (const name of others) mixed.start(id(name), work(name), { group: name, runsProgram: true });
  await eventually(() => expect([...running]).toEqual(expect.arrayContaining(others)));
  expect(running.size).toBe(17);
});

test('transient failures are retried with a back-off that doubles up to five minutes', async () => {
  const pauses: number[] = [];
  for (let count = 0; count < 14; count++) {
    await fail('x', new TransientError('Busy', 'busy'));
    const state = works.stateOf(id('x'));
    if (state.kind !== 'failed' || state.nextTryMs === undefined) throw new Error(JSON.stringify(state));
    pauses.push(state.nextTryMs - clock.now());
    await clock.move(state.nextTryMs - clock.now() - 1);
    expect(works.stateOf(id('x')).kind).toBe('failed');
    await clock.move(1);
    expect(works.stateOf(id('x')).kind).toBe('due');
  }
  expect(pauses[0]).toBeGreaterThanOrEqual(400);
  expect(pauses[0]).toBeLessThanOrEqual(500);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(240_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(300_000);
});

test.each([
  { name: 'forward', jumpMs: 2 * 86_400_000 },
  { name: 'back', jumpMs: -2 * 86_400_000 },
])('failed work is retried after the clock was set $name by days', async ({ jumpMs }) => {
  works.start(id('a'), () => Promise.reject(new TransientError('RegistryUnavailable', 'no answer')));
  await works.whenIdle();
  expect(works.stateOf(id('a'))).toMatchObject({ kind: 'failed' });
  await clock.move(jumpMs);
  expect(works.stateOf(id('a'))).toEqual({ kind: 'due' });
});

test('a Retry-After of a server is honored up to five minutes', async () => {
  await fail('x', new TransientError('Busy', 'busy', { retryAfterMs: 30_000 }));
  expect(works.stateOf(id('x'))).toMatchObject({ nextTryMs: 30_000 });
  await fail('y', new TransientError('Busy', 'busy', { retryAfterMs: 86_400_000 }));
  expect(works.stateOf(id('y'))).toMatchObject({ nextTryMs: 300_000 });
});

test('a terminal failure lasts until a restart, or until another Bundle has the name', async () => {
  await fail('x', new TerminalError('InvalidArchive', 'bad'));
  await clock.move(86_400_000);
  expect(works.stateOf(id('x'))).toMatchObject({ kind: 'failed', nextTryMs: undefined, isNew: true });
  expect(works.stateOf(id('x'))).toMatchObject({ kind: 'failed', isNew: false });
  expect(works.stateOf({ name: 'x', input: 'u2' }).kind).toBe('due');
  expect(works.restart('x')).toBe(true);
  expect(works.stateOf(id('x')).kind).toBe('due');
});

test('a WaitingError is returned once, and the next call finds the work due', async () => {
  await fail('x', new WaitingError('UnpackPending', 'waiting', { afterMs: 60_000 }));
  expect(works.stateOf(id('x'))).toMatchObject({ kind: 'failed', nextTryMs: 60_000 });
  expect(works.stateOf(id('x')).kind).toBe('due');
});

test('a change during a fetch restarts it and does not count as a failure', async () => {
  works.start(id('x'), silent, { group: 'host' });
  expect(works.stateOf(id('x')).kind).toBe('running');
  expect(works.restart('x')).toBe(true);
  await turn();
  expect(changed).toEqual(['x']);
  expect(works.stateOf(id('x')).kind).toBe('due');
});

test('work for a deleted object ends, whether it runs or waits', async () => {
  for (let index = 0; index < 9; index++) works.start(id(`x${index}`), silent, { group: 'host' });
  await works.cancel('x0');
  await works.cancel('x8');
  expect(changed).toEqual(['x0', 'x8']);
});

test('progress is reported when a fetch becomes slow, or after ten seconds in the queue', async () => {
  const quietMsOf = (name: string): number | undefined => {
    const state = works.stateOf(id(name));
    return state.kind === 'running' ? state.quietMs : undefined;
  };
  const names = Array.from({ length: 40 }, (_, index) => `x${index}`);
  for (const name of names) works.start(id(name), silent, { group: 'host' });
  expect(quietMsOf('x0')).toBe(10_000);
  await clock.move(2_000);
  expect(changed).toEqual(names.slice(0, 8));
  expect(names.map(quietMsOf)).toEqual(names.map((_, index) => (index < 8 ? 0 : 8_000)));
  await clock.move(8_000);
  expect(names.map(quietMsOf)).toEqual(names.map(() => 0));
});

test('all work ends with the process', async () => {
  for (let index = 0; index < 20; index++) works.start(id(`x${index}`), silent, { group: 'host' });
  stopper.abort();
  await works.whenIdle();
  works.start(id('late'), silent, { group: 'host' });
  expect(works.stateOf(id('late')).kind).toBe('due');
});

test('an unexpected error is retried like a transient one', async () => {
  await fail('x', new TypeError('x is not a function'));
  expect(works.stateOf(id('x'))).toMatchObject({
    error: { message: 'fetch: x is not a function' },
  });
});

test('work with another input aborts what is running, and a queued one starts at once', async () => {
  works.start(id('x'), silent, { group: 'host' });
  await turn();
  expect(works.stateOf({ name: 'x', input: 'u2' }).kind).toBe('running');
  await turn();
  expect(works.stateOf({ name: 'x', input: 'u2' }).kind).toBe('due');
  expect(changed).toEqual(['x']);
});
