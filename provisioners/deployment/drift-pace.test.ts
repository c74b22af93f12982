import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { DriftPace } from './drift-pace.ts';

test('repeated drift is corrected less and less often, at last every five minutes', () => {
  let nowMs = 0;
  const pace = new DriftPace({ ...systemClock, now: () => nowMs });
  for (let repair = 1; repair <= 5; repair++) {
    expect(pace.repaired('web', 'v1')).toBe(false);
    expect(pace.pauseMs('web', 'v1')).toBe(0);
  }
  const pauses = Array.from({ length: 12 }, () => {
    expect(pace.repaired('web', 'v1')).toBe(true);
    const pauseMs = pace.pauseMs('web', 'v1');
    nowMs += pauseMs;
    expect(pace.pauseMs('web', 'v1')).toBe(0);
    return pauseMs;
  });
  expect(pauses[0]).toBeLessThanOrEqual(1_000);
  expect(pauses[3]).toBeGreaterThan(5_000);
  expect(pauses.at(-1)).toBeGreaterThan(200_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(300_000);
});

test('another version, another deployment and a long silence begin again', () => {
  let nowMs = 0;
  const pace = new DriftPace({ ...systemClock, now: () => nowMs });
  for (let repair = 1; repair <= 9; repair++) pace.repaired('web', 'v1');
  expect(pace.pauseMs('web', 'v1')).toBeGreaterThan(0);
  expect(pace.pauseMs('web', 'v2')).toBe(0);
  expect(pace.pauseMs('other', 'v1')).toBe(0);
  nowMs += 11 * 60_000;
  expect(pace.repaired('web', 'v1')).toBe(false);
  for (let repair = 1; repair <= 9; repair++) pace.repaired('web', 'v1');
  pace.forget('web');
  expect(pace.pauseMs('web', 'v1')).toBe(0);
});

test('a clock that is set back does not make a pause longer', () => {
  let nowMs = 7_200_000;
  const pace = new DriftPace({ ...systemClock, now: () => nowMs });
  for (let repair = 1; repair <= 9; repair++) pace.repaired('web', 'v1');
  expect(pace.pauseMs('web', 'v1')).toBeGreaterThan(0);
  nowMs = 0;
  expect(pace.pauseMs('web', 'v1')).toBe(0);
});
