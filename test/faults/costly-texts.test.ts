import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costlyTexts } from './costly-texts.ts';

/** What takes time with the square of the text takes a quarter of an hour and more; what does not, less than two seconds. */
const deadlineMs = 120_000;

let reader: Worker;

function startReader(): void {
  reader = new Worker(new URL('./costly-texts-child.ts', import.meta.url));
}

beforeAll(startReader);
afterAll(() => reader.terminate());

test.each(Object.keys(costlyTexts))('%s: does not block the thread that reads it', { tags: 'long' }, async (name) => {
  const read = once(reader, 'message').then(([word]) => word as string);
  reader.postMessage(name);
  const ended = await Promise.race([
    read,
    new Promise((resolve) => setTimeout(resolve, deadlineMs, 'it is still being read').unref()),
  ]);
  if (ended !== 'read') {
    await reader.terminate();
    startReader();
  }
  expect(ended).toBe('read');
});
