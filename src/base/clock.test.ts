import { expect, test } from 'vitest';
import { longestTimerMs, remainingMs, systemClock } from './clock.ts';

test.each([longestTimerMs, longestTimerMs + 1, 2 ** 40, Number.POSITIVE_INFINITY])(
  'a sleep of %d ms is not over before a short one',
  async (ms) => {
    const over = new AbortController();
    const long = systemClock.sleep(ms, { signal: over.signal }).then(
      () => 'long',
      () => 'ended',
    );
    const short = systemClock.sleep(20).then(() => 'short');
    expect(await Promise.race([long, short])).toBe('short');
    over.abort();
    expect(await long).toBe('ended');
  },
);

test.each([
  { name: 'what has just begun lasts as long as it lasts', sinceMs: 1000, left: 500 },
  { name: 'what is over leaves nothing', sinceMs: 400, left: 0 },
  { name: 'the clocks of two machines may differ a little', sinceMs: 1100, left: 600 },
  { name: 'what a wrong clock has dated into the future is over', sinceMs: 2_000_000, left: 0 },
  { name: 'no time lasts no time, whenever it began', sinceMs: 1001, lastsMs: 0, left: 0 },
])('$name', ({ sinceMs, lastsMs = 500, left }) => {
  expect(remainingMs(sinceMs, lastsMs, 1000)).toBe(left);
});
