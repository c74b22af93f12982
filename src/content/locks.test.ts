import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLocks, type KeyedLocks } from './index.ts';

const mebibyte = 1024 ** 2;

/** Notes the name when its turn has come, and ends it at once. */
async function take(locks: KeyedLocks, [name, sizeBytes]: readonly [string, number], order: string[]): Promise<void> {
  await using _ = await locks.acquire('key', { sizeBytes });
  order.push(name);
}

test('the smallest goes first, and of those of one size the first', async () => {
  const locks = createLocks();
  const order: string[] = [];
  const held = await locks.acquire('key', {});
  const huge = Array.from({ length: 20 }, (_, index) => [`huge ${index}`, 60 * mebibyte] as const);
  const waiting = [...huge, ['good', 2 * mebibyte] as const, ['none', 0] as const].map((waiter) =>
    take(locks, waiter, order),
  );
  await turn();
  await held[Symbol.asyncDispose]();
  await Promise.all(waiting);
  expect(order).toEqual(['none', 'good', ...huge.map(([name]) => name)]);
});

test('who is aborted while waiting leaves the line, and nothing stays locked', async () => {
  const locks = createLocks();
  const order: string[] = [];
  const held = await locks.acquire('key', {});
  const stop = new AbortController();
  const aborted = locks.acquire('key', { signal: stop.signal });
  const next = take(locks, ['next', 0], order);
  stop.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  expect(order).toEqual([]);
  await held[Symbol.asyncDispose]();
  await held[Symbol.asyncDispose]();
  await next;
  await take(locks, ['last', 0], order);
  expect(order).toEqual(['next', 'last']);
});
