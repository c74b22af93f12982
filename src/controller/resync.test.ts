import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../base/index.ts';
import { resync } from './resync.ts';

const objects = Array.from({ length: 600 }, (_, index) => ({ namespace: '', name: `bundle-${index}` }));

/** A clock whose sleeps end at once, until `endMs` has passed on it. */
function hurriedClock(endMs: number, stop: AbortController): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    now: () => nowMs,
    sleep: (ms, { signal } = {}) => {
      nowMs += ms;
      if (nowMs > endMs) stop.abort();
      return signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve();
    },
  };
}

test('each object is reconciled once in the interval, and few at a time', async () => {
  const stop = new AbortController();
  const clock = hurriedClock(36_000_000, stop);
  const seen = new Map<string, number>();
  const moments = new Map<number, number>();
  await resync({
    everyMs: 36_000_000,
    clock,
    signal: stop.signal,
    requests: () => objects,
    enqueue: ({ name }) => {
      seen.set(name, (seen.get(name) ?? 0) + 1);
      moments.set(clock.now(), (moments.get(clock.now()) ?? 0) + 1);
    },
  });
  expect(seen.size).toBe(objects.length);
  expect(new Set(seen.values())).toEqual(new Set([1]));
  expect(Math.max(...moments.values())).toBeLessThan(objects.length / 20);
});
