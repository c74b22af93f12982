import { expect, test } from 'vitest';
import { readSchedule } from '../registry/kinds/cron-schedule.ts';
import { lastTime, localTimestamp, nextTime, zoneOffset } from './cron-times.ts';

const utc = zoneOffset(undefined);

function next(text: string, after: string, zone?: string): string | undefined {
  const schedule = readSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is no schedule`);
  const found = nextTime(schedule, Date.parse(after), zoneOffset(zone));
  return found === undefined ? undefined : new Date(found).toISOString();
}

function last(text: string, since: string, now: string): string | undefined {
  const schedule = readSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is no schedule`);
  const found = lastTime(schedule, { sinceMs: Date.parse(since), nowMs: Date.parse(now) }, utc);
  return found === undefined ? undefined : new Date(found).toISOString();
}

test.each([
  ['*/1 * * * *', '2026-01-31T23:59:30Z', '2026-02-01T00:00:00.000Z'],
  ['*/15 * * * *', '2026-01-31T10:15:00Z', '2026-01-31T10:30:00.000Z'],
  ['30 2 * * *', '2026-01-31T03:00:00Z', '2026-02-01T02:30:00.000Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['0 12 13 * fri', '2026-03-01T00:00:00Z', '2026-03-06T12:00:00.000Z'],
  ['0 12 * * fri', '2026-03-01T00:00:00Z', '2026-03-06T12:00:00.000Z'],
  ['@yearly', '2026-06-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['@every 90s', '2026-06-01T00:00:00.5Z', '2026-06-01T00:01:30.000Z'],
])('CTL-09 %s after %s is %s', (text, after, expected) => {
  expect(next(text, after)).toBe(expected);
});

test('a day that never comes is given up', () => {
  expect(next('0 0 31 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
});

test.each([
  ['0 0 30 2 *', undefined],
  ['0 0 31 4,6,9,11 *', undefined],
  ['* * * 1 *', '2027-01-01T00:00:00.000Z'],
  ['59 23 29 2 *', '2028-02-29T23:59:00.000Z'],
])('%s is found, or given up, without looking at every day', (text, expected) => {
  const schedule = readSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is no schedule`);
  let looks = 0;
  const found = nextTime(schedule, Date.parse('2026-02-01T00:00:00Z'), () => {
    looks += 1;
    return 0;
  });
  expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(expected);
  expect(looks).toBeLessThan(1000);
});

test('clocks are asked once for all minutes between which they do not change', () => {
  const offset = zoneOffset('Europe/Berlin');
  const change = Date.parse('2026-03-29T01:00:00Z');
  expect([-1, 0, 1, 0, -1].map((minutes) => offset(change + minutes * 60_000) / 3_600_000)).toEqual([1, 2, 2, 2, 1]);
});

test('CTL-09 a schedule in a zone follows its clocks, over the change to summer time', () => {
  const zone = 'Europe/Berlin';
  expect(next('0 9 * * *', '2026-01-01T09:00:00Z', zone)).toBe('2026-01-02T08:00:00.000Z');
  expect(next('0 9 * * *', '2026-03-28T09:00:00Z', zone)).toBe('2026-03-29T07:00:00.000Z');
  expect(next('30 2 * * *', '2026-03-28T09:00:00Z', zone)).toBe('2026-03-30T00:30:00.000Z');
  expect(next('0 0 * * *', '2026-01-01T00:00:00Z', 'Asia/Kathmandu')).toBe('2026-01-01T18:15:00.000Z');
  const at = Date.parse('2026-01-02T08:00:00Z');
  expect(localTimestamp(at, zoneOffset(zone))).toBe('2026-01-02T09:00:00+01:00');
  expect(localTimestamp(at, zoneOffset('America/St_Johns'))).toBe('2026-01-02T04:30:00-03:30');
  expect(localTimestamp(at, utc)).toBe('2026-01-02T08:00:00Z');
});

test('CTL-09 of many times that were missed the last counts, found without going through them', () => {
  expect(last('* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:00:59Z')).toBeUndefined();
  expect(last('* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:01:00Z')).toBe('2026-01-01T00:01:00.000Z');
  expect(last('* * * * *', '1990-01-01T00:00:00Z', '2026-01-01T10:11:12Z')).toBe('2026-01-01T10:11:00.000Z');
  expect(last('0 0 1 * *', '1990-01-01T00:00:00Z', '2026-01-31T10:11:12Z')).toBe('2026-01-01T00:00:00.000Z');
  expect(last('@every 1s', '1990-01-01T00:00:00Z', '2026-01-01T10:11:12.7Z')).toBe('2026-01-01T10:11:12.000Z');
});
