import type { Schedule } from '../registry/kinds/index.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
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
  return (atMs) => {
    const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs);
  };
}

/** A stretch of time to pass over because nothing in it matches; 0 when the minute itself does. */
function distance(schedule: Extract<Schedule, { kind: 'times' }>, local: Date): number {
  const { dayOfMonth, dayOfWeek, month, hour, minute } = schedule;
  const byDate = dayOfMonth.values.has(local.getUTCDate());
  const byWeekday = dayOfWeek.values.has(local.getUTCDay());
  const isDay = dayOfMonth.isAny || dayOfWeek.isAny ? byDate && byWeekday : byDate || byWeekday;
  const untilHour = hourMs - local.getUTCMinutes() * minuteMs;
  if (!isDay || !month.values.has(local.getUTCMonth() + 1)) {
    // Clocks may change on the way: the last hours of a day are looked at one by one.
    const whole = 22 - local.getUTCHours();
    return whole > 0 ? untilHour + (whole - 1) * hourMs : untilHour;
  }
  if (!hour.values.has(local.getUTCHours())) return untilHour;
  return minute.values.has(local.getUTCMinutes()) ? 0 : minuteMs;
}

/** The first time of a schedule after a time; undefined when there is none. `offset` is that of the zone in which the schedule is meant. */
export function nextTime(schedule: Schedule, afterMs: number, offset: ZoneOffset): number | undefined {
  if (schedule.kind === 'every') return Math.floor(afterMs / 1000) * 1000 + schedule.periodMs;
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
