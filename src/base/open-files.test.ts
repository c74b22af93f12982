import { expect, test } from 'vitest';
import { openFileLimit } from './open-files.ts';

test('the files that a process may open are read from the system, and unlimited where it does not report it', () => {
  const limit = openFileLimit();
  expect(limit).toBeGreaterThan(0);
  expect(openFileLimit('/none')).toBe(Number.POSITIVE_INFINITY);
});
