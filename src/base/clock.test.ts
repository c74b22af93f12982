import { expect, test } from 'vitest';
import { longestTimerMs, systemClock } from './clock.ts';

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
