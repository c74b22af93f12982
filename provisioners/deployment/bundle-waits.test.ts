import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { BundleWaits } from './bundle-waits.ts';

test('waiting for a Bundle is told after half a second, for each Bundle anew', () => {
  let nowMs = 1000;
  const waits = new BundleWaits({ ...systemClock, now: () => nowMs });
  expect(waits.quietMs('web', 'uid-1')).toBe(500);
  nowMs += 200;
  expect(waits.quietMs('web', 'uid-1')).toBe(300);
  expect(waits.quietMs('other', 'uid-2')).toBe(500);
  nowMs += 1000;
  expect(waits.quietMs('web', 'uid-1')).toBe(0);
  expect(waits.quietMs('web', 'uid-3')).toBe(500);
  waits.forget('web');
  expect(waits.quietMs('web', 'uid-1')).toBe(500);
});
