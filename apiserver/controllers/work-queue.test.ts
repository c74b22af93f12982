import { expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { WorkQueue } from './work-queue.ts';

test('a key that comes again while its work begins is worked on afterwards, never beside it', async () => {
  const { promise: hasRunTwice, resolve } = Promise.withResolvers<void>();
  let active = 0;
  let mostActive = 0;
  let runs = 0;
  await using queue = new WorkQueue({
    name: 'test',
    workers: 4,
    log: silentLogger(),
    work: async (key) => {
      active += 1;
      mostActive = Math.max(mostActive, active);
      runs += 1;
      // As a write does whose event arrives before it returns.
      if (runs === 1) queue.add(key);
      await new Promise(setImmediate);
      active -= 1;
      if (runs === 2) resolve();
    },
  });
  queue.add('a');
  await hasRunTwice;
  expect(mostActive).toBe(1);
});

test('the keys of a namespace that has very many take turns with those of others', async () => {
  const { promise: hasEnded, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  await using queue = new WorkQueue({
    name: 'test',
    workers: 1,
    log: silentLogger(),
    work: async (key) => {
      done.push(key);
      if (key === 'many/9') resolve();
    },
  });
  for (let index = 0; index < 10; index += 1) queue.add(`many/${index}`);
  for (const name of ['a', 'b']) queue.add(`few/${name}`);
  await hasEnded;
  expect(done.slice(0, 5)).toEqual(['many/0', 'few/a', 'many/1', 'few/b', 'many/2']);
});

test('a namespace whose keys take long leaves a worker to others', async () => {
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await using queue = new WorkQueue({
    name: 'test',
    workers: 4,
    log: silentLogger(),
    work: async (key) => {
      if (key === 'others/a') reach();
      else await isReleased;
    },
  });
  for (let index = 0; index < 10; index += 1) queue.add(`slow/${index}`);
  await new Promise(setImmediate);
  queue.add('others/a');
  await isReached;
  release();
});
