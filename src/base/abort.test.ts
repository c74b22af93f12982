import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { mapLimit, withDeadline } from './abort.ts';

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

test('after a failure nothing more is begun, and what was under way has ended before it is thrown', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const slow = Promise.withResolvers<void>();
  const running = mapLimit([0, 1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 0) await slow.promise;
    if (item === 1) throw new Error('the first');
    ended.push(item);
    if (item === 0) throw new Error('the second');
  });
  const outcome = running.then(
    () => 'none',
    (thrown: unknown) => [String(thrown), [...ended]],
  );
  // All that follows from the failure has happened by then.
  await new Promise(setImmediate);
  expect([begun, ended]).toEqual([[0, 1], []]);
  slow.resolve();
  expect(await outcome).toEqual(['Error: the first', [0]]);
  expect(begun).toEqual([0, 1]);
});
