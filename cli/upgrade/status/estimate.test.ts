import { expect, test } from 'vitest';
import { roundedDuration, shortDuration } from './durations.ts';
import { remainingMs } from './estimate.ts';

const minute = 60_000;
const entry = (started: string, completed: string, state = 'Completed'): Parameters<typeof remainingMs>[1][number] => ({
  state,
  image: '',
  verified: true,
  startedTime: `2026-03-01T${started}:00Z`,
  completionTime: `2026-03-01T${completed}:00Z`,
});

test('at first the duration of the last update counts, without one an hour', () => {
  const pace = { completion: 0, updatingMs: 10 * minute, untilProgressMs: 0 };
  expect(remainingMs(pace, [])).toBe(50 * minute * 1.2);
  const history = [entry('12:00', '12:00', 'Partial'), entry('10:00', '10:30'), entry('08:00', '08:10')];
  expect(remainingMs(pace, history)).toBe(20 * minute * 1.2);
});

test('later the pace of this update counts', () => {
  const pace = { completion: 0.97, updatingMs: 67 * minute, untilProgressMs: 67 * minute };
  // What oc estimates.
  expect(Math.round(remainingMs(pace, []) / minute)).toBe(35);
  const third = { completion: 1 / 3, updatingMs: 30 * minute, untilProgressMs: 27 * minute };
  expect(Math.round(remainingMs(third, []) / minute)).toBe(47);
});

test('what takes longer than estimated is below zero', () => {
  const pace = { completion: 0.97, updatingMs: 156 * minute, untilProgressMs: 69.8 * minute };
  expect(remainingMs(pace, [])).toBeCloseTo((-56 * minute) / 1.2);
});

test.each([
  [0, 'now'],
  [999, 'now'],
  [45_000, '45s'],
  [2 * minute, '2m'],
  [125_000, '2m5s'],
  [60 * minute, '1h'],
  [62 * minute, '1h2m'],
  [60 * minute + 17_000, '1h0m17s'],
  [-90_000, '-1m30s'],
])('%i ms are %s', (ms, text) => {
  expect(shortDuration(ms)).toBe(text);
});

test('long durations are rounded to minutes', () => {
  expect(shortDuration(roundedDuration(9 * minute + 31_400))).toBe('9m31s');
  expect(shortDuration(roundedDuration(59 * minute + 31_000))).toBe('1h');
});
