import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { BundleWaits } from './bundle-waits.ts';

test('waiting for a Bundle is reported after ten seconds, for each Bundle again', () => {
  let nowMs = 1000;
  const waits = new BundleWaits({ ...systemClock, now: () => nowMs });
  expect(waits.quietMs('web', 'uid-1')).toBe(10_000);
  nowMs += 3000;
  expect(waits.quietMs('web', 'uid-1')).toBe(7000);
  expect(waits.quietMs('other', 'uid-2')).toBe(10_000);
  nowMs += 7000;
  expect(waits.quietMs('web', 'uid-1')).toBe(0);
  expect(waits.quietMs('web', 'uid-3')).toBe(10_000);
  waits.forget('web');
  expect(waits.quietMs('web', 'uid-1')).toBe(10_000);
});

test('a clock that is set back does not make the wait longer', () => {
  let nowMs = 7_200_000;
  const waits = new BundleWaits({ ...systemClock, now: () => nowMs });
  waits.quietMs('web', 'uid-1');
  nowMs = 0;
  expect(waits.quietMs('web', 'uid-1')).toBe(0);
});
