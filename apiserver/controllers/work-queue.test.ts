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
