import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { costlyTexts } from './costly-texts.ts';

/** What takes time with the square of the text takes a quarter of an hour and more; what does not, less than two seconds. */
const deadlineMs = 120_000;

test.each(Object.keys(costlyTexts))('%s: does not block the thread that reads it', async (name) => {
  const worker = new Worker(new URL('./costly-texts-child.ts', import.meta.url), { workerData: name });
  const ended = await Promise.race([
    once(worker, 'message').then(([word]) => word as string),
    new Promise((resolve) => setTimeout(resolve, deadlineMs, 'it is still being read').unref()),
  ]);
  await worker.terminate();
  expect(ended).toBe('read');
});
