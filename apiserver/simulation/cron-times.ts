import type { Schedule } from '../registry/kinds/index.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Clocks change at whole quarters of an hour. */
const clockChangeMs = 15 * minuteMs;
/** How far ahead a time is looked for: what is not due within five years never is (30 February). */
const horizonMs = 5 * 366 * dayMs;
/** How far back a missed time is looked for, near ones first. */
const lookBackMs = [2 * minuteMs, 2 * hourMs, 2 * dayMs, 62 * dayMs, horizonMs];

/** Returns how far the clocks of a zone are ahead of UTC, in milliseconds, at a time. */
type ZoneOffset = (atMs: number) => number;

/** How far the clocks of a zone (UTC when there is none) are ahead.
 *  @throws RangeError when the zone is unknown */
export function zoneOffset(zone: string | undefined): ZoneOffset {
  if (zone === undefined || zone === '' || zone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  // To ask takes a thousand times as long as to count on.
  let known = { slot: Number.NaN, aheadMs: 0 };
  return (atMs) => {
    const slot = Math.floor(atMs / clockChangeMs);
    if (known.slot === slot) return known.aheadMs;
    const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    known = { slot, aheadMs: (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs) };
    return known.aheadMs;
  };
}

type Times = Extract<Schedule, { kind: 'times' }>;

/** Whether some year has a day of the schedule: 30 February never comes. */
function hasDay({ dayOfMonth, dayOfWeek, month }: Times): boolean {
  const isAlsoByWeekday = !dayOfMonth.isAny && !dayOfWeek.isAny;
  // Of a leap year. The day before the first one of the next month is the last one.
  const lastDay = (one: number): number => new Date(Date.UTC(2024, one, 0)).getUTCDate();
  return isAlsoByWeekday || [...month.values].some((one) => Math.min(...dayOfMonth.values) <= lastDay(one));
}

/** Days after this one until the end of its month. */
function daysLeft(local: Date): number {
  return new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate() - local.getUTCDate();
}

/** A stretch of time without the day of a schedule, from an hour of another day on. Clocks may change on the way: the last day of a month and the last
 *  hours of a day are looked at one by one. */
function dayDistance(local: Date, isMonth: boolean): number {
  const untilHour = hourMs - local.getUTCMinutes() * minuteMs;
  const days = isMonth ? 0 : daysLeft(local) - 1;
  if (days > 0) return untilHour + days * dayMs;
  const whole = 22 - local.getUTCHours();
  return whole > 0 ? untilHour + (whole - 1) * hourMs : untilHour;
}

/** A stretch of time to pass over because nothing in it matches; 0 when the minute itself does. */
function distance(schedule: Times, local: Date): number {
  const { dayOfMonth, dayOfWeek, month, hour, minute } = schedule;
  const byDate = dayOfMonth.values.has(local.getUTCDate());
  const byWeekday = dayOfWeek.values.has(local.getUTCDay());
  const isDay = dayOfMonth.isAny || dayOfWeek.isAny ? byDate && byWeekday : byDate || byWeekday;
  const isMonth = month.values.has(local.getUTCMonth() + 1);
  if (!isDay || !isMonth) return dayDistance(local, isMonth);
  if (!hour.values.has(local.getUTCHours())) return hourMs - local.getUTCMinutes() * minuteMs;
  return minute.values.has(local.getUTCMinutes()) ? 0 : minuteMs;
}

/** The first time of a schedule after a time; undefined when there is none. `offset` is that of the zone in which the schedule is meant. */
export function nextTime(schedule: Schedule, afterMs: number, offset: ZoneOffset): number | undefined {
  if (schedule.kind === 'every') return Math.floor(afterMs / 1000) * 1000 + schedule.periodMs;
  if (!hasDay(schedule)) return undefined;
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (at <= afterMs + horizonMs) {
    const step = distance(schedule, new Date(at + offset(at)));
    if (step === 0) return at;
    at += step;
  }
  return undefined;
}

/** The last time of a schedule after `sinceMs` and not after `nowMs`; undefined when none has come. The work does not grow with how many
 *  were missed. */
export function lastTime(
  schedule: Schedule,
  span: { readonly sinceMs: number; readonly nowMs: number },
  offset: ZoneOffset,
): number | undefined {
  const { sinceMs, nowMs } = span;
  if (schedule.kind === 'every') {
    const periods = Math.floor((nowMs - sinceMs) / schedule.periodMs);
    return periods >= 1 ? sinceMs + periods * schedule.periodMs : undefined;
  }
  for (const backMs of lookBackMs) {
    const from = Math.max(sinceMs, nowMs - backMs);
    let last: number | undefined;
    let next = nextTime(schedule, from, offset);
    while (next !== undefined && next <= nowMs) {
      last = next;
      next = nextTime(schedule, next, offset);
    }
    if (last !== undefined || from === sinceMs) return last;
  }
  return undefined;
}

/** RFC 3339 in the zone with that offset. */
export function localTimestamp(atMs: number, offset: ZoneOffset): string {
  const aheadMs = offset(atMs);
  const text = new Date(atMs + aheadMs).toISOString().slice(0, 19);
  if (aheadMs === 0) return `${text}Z`;
  const ahead = new Date(Math.abs(aheadMs)).toISOString().slice(11, 16);
  return `${text}${aheadMs < 0 ? '-' : '+'}${ahead}`;
}
