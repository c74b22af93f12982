import { expect, test } from 'vitest';
import { eventually, SteppedClock } from '../../test/support/index.ts';
import { WorkQueue } from './work-queue.ts';

const hourMs = 3_600_000;

test.each([12 * hourMs, 0, -12 * hourMs])(
  'of two delays the one that ends first counts, where the clock is set by %s ms between them',
  async (jumpMs) => {
    for (const delays of [
      [10 * hourMs, 60_000],
      [60_000, 10 * hourMs],
    ]) {
      const clock = new SteppedClock(Date.now());
      const queue = new WorkQueue(clock);
      for (const delayMs of delays) {
        queue.addAfter('a', delayMs);
        clock.jump(jumpMs);
      }
      await clock.pass(60_000);
      await eventually(() => expect(queue.size).toBe(1));
      queue.close();
    }
  },
);

test('a longer delay that is nearly over is not replaced by a shorter one', async () => {
  const clock = new SteppedClock(Date.now());
  const queue = new WorkQueue(clock);
  queue.addAfter('a', hourMs);
  await clock.pass(hourMs - 1000);
  queue.addAfter('a', 60_000);
  await clock.pass(1000);
  await eventually(() => expect(queue.size).toBe(1));
  queue.close();
});

test('namespaces take turns, however many keys one of them has, and in each the oldest goes first', async () => {
  const clock = new SteppedClock(Date.now());
  const queue = new WorkQueue(clock);
  for (const name of ['a', 'b', 'c', 'd']) queue.add(`many/${name}`);
  await clock.pass(1_000);
  for (const key of ['few/a', 'cluster-scoped', 'few/b', 'many/a']) queue.add(key);
  expect([queue.size, queue.oldestMs]).toEqual([7, 1_000]);
  const taken: string[] = [];
  while (queue.size > 0) taken.push((await queue.take(new AbortController().signal)) ?? '');
  expect(taken).toEqual(['many/a', 'few/a', 'cluster-scoped', 'many/b', 'few/b', 'many/c', 'many/d']);
  expect(queue.oldestMs).toBe(0);
});

test('what failed when it was last worked on does not hold up what is new or has succeeded, nor the other way round', async () => {
  const queue = new WorkQueue(new SteppedClock(Date.now()));
  const take = async (): Promise<string> => (await queue.take(new AbortController().signal)) ?? '';
  const keys = ['failing-1', 'failing-2', 'failing-3', 'recovered'];
  for (const key of keys) {
    queue.add(key);
    expect(await take()).toBe(key);
    queue.markFailed(key);
    if (key === 'recovered') queue.forgetFailures(key);
    queue.done(key);
  }
  for (const key of [...keys, 'failing-1', 'new-1', 'new-2']) queue.add(key);
  const taken: string[] = [];
  while (queue.size > 0) taken.push(await take());
  expect(taken).toEqual(['failing-1', 'recovered', 'failing-2', 'new-1', 'failing-3', 'new-2']);
});

test('keys that take much effort do not hold up others, and are worked on all the same', async () => {
  const { signal } = new AbortController();
  const queue = new WorkQueue(new SteppedClock(Date.now()), { effortOf: (key) => (key.startsWith('l') ? 50_000 : 10) });
  for (const key of ['large-1', 'large-2', 'large-3', 'a', 'b']) queue.add(key);
  const first = [await queue.take(signal), await queue.take(signal), await queue.take(signal)];
  expect(first).toEqual(['large-1', 'a', 'b']);
  // One at a time, whatever else is worked on.
  const next = queue.take(signal);
  queue.add('c');
  expect(await next).toBe('c');
  const large = queue.take(signal);
  queue.done('large-1');
  expect(await large).toBe('large-2');
});

test('a key that waits is handed out once, also when its object becomes large meanwhile', async () => {
  const { signal } = new AbortController();
  let effort = 10;
  const queue = new WorkQueue(new SteppedClock(Date.now()), { effortOf: () => effort });
  queue.add('a');
  effort = 50_000;
  queue.add('a');
  expect([queue.size, await queue.take(signal), queue.size]).toEqual([1, 'a', 0]);
});

test('a key that is new hardly waits for very many others, of which the oldest have turns as well', async () => {
  const { signal } = new AbortController();
  const queue = new WorkQueue(new SteppedClock(Date.now()));
  for (let index = 0; index < 1_000; index += 1) queue.add(`many-${index}`);
  expect(await queue.take(signal)).toBe('many-0');
  queue.add('new');
  expect([await queue.take(signal), await queue.take(signal)]).toEqual(['new', 'many-1']);
});

test('keys that are worked on very often take turns with others, for some minutes', async () => {
  const { signal } = new AbortController();
  const clock = new SteppedClock(Date.now());
  const queue = new WorkQueue(clock, { effortOf: () => 100 });
  const work = async (keys: readonly string[]): Promise<string[]> => {
    for (const key of keys) queue.add(key);
    const taken: string[] = [];
    for (const _ of keys) {
      const key = (await queue.take(signal)) ?? '';
      taken.push(key);
      queue.done(key);
    }
    return taken;
  };
  for (let round = 0; round < 60; round += 1) await work(['often-1', 'often-2']);
  expect(await work(['often-1', 'often-2', 'a'])).toEqual(['often-1', 'a', 'often-2']);
  await clock.pass(10 * 60_000);
  expect(await work(['often-1', 'often-2', 'a'])).toEqual(['often-1', 'often-2', 'a']);
});
