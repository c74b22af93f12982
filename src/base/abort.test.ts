import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withDeadline } from './abort.ts';

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail);
  });

test('work that takes too long ends with an error that names it', async () => {
  await expect(withDeadline('the answer', { deadlineMs: 10 }, aborted)).rejects.toMatchObject({
    name: 'TransientError',
    reason: 'DeadlineExceeded',
    message: 'the answer: no answer within 0.01 s',
  });
});

test('work ends with the signal from outside, for its reason, though that came before', async () => {
  const outer = new AbortController();
  const running = withDeadline('it', { deadlineMs: 60_000, signal: outer.signal }, aborted);
  outer.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  await expect(withDeadline('it', { deadlineMs: 60_000, signal: outer.signal }, aborted)).rejects.toThrow('enough');
});

test('no listener remains at the outer signal, whatever the result of the work', async () => {
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;
  await expect(withDeadline('it', { deadlineMs: 60_000, signal }, async () => listeners())).resolves.toBe(1);
  await expect(
    withDeadline('it', { deadlineMs: 60_000, signal }, () => Promise.reject(new Error('no'))),
  ).rejects.toThrow('no');
  expect(listeners()).toBe(0);
});
