import { expect, test } from 'vitest';
import { parseWatchOptions } from './watch-options.ts';

test.each([
  ['1', 1000],
  ['999999999999', 2 ** 31 - 1],
])('a watch of %s seconds takes no longer than a timer can run, and does not end at once', (seconds, timeoutMs) => {
  expect(parseWatchOptions(new URLSearchParams({ timeoutSeconds: seconds })).timeoutMs).toBe(timeoutMs);
});
