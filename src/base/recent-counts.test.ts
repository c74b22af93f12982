import { expect, test } from 'vitest';
import { RecentCounts, systemClock } from './index.ts';

test('a clock that is set back does not hold up a peer until it gets there again', () => {
  const yearMs = 365 * 86_400_000;
  let nowMs = yearMs;
  const counts = new RecentCounts({ ...systemClock, now: () => nowMs }, { limit: 2, windowMs: 60_000 });
  counts.add('peer');
  counts.add('peer');
  expect(counts.isFull('peer')).toBe(true);
  nowMs = 0;
  expect(counts.isFull('peer')).toBe(false);
  counts.add('peer');
  counts.add('peer');
  expect(counts.isFull('peer')).toBe(true);
});
