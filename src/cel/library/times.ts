import { Duration, Failure, noSuchOverload, Timestamp, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

const million = 1_000_000n;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

function offsetSeconds(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** The date and time of day as milliseconds since 1970; undefined for the 30th of February. */
function millisecondsOf(numbers: readonly number[]): number | undefined {
  const [year, month, day, hour, minute, second] = numbers as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isDate = month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate && hour < 24 && minute < 60 && second < 60 ? date.getTime() : undefined;
}

/** Reads an RFC 3339 time; undefined when it is none. */
export function parseTime(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const zone = offsetSeconds(match[8] ?? 'Z');
  const milliseconds = millisecondsOf(match.slice(1, 7).map(Number));
  if (zone === undefined || milliseconds === undefined) return undefined;
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp((BigInt(milliseconds) / 1000n - BigInt(zone)) * 1000n * million + fraction, zone);
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -((-a + b - 1n) / b);
}

function printZone(seconds: number): string {
  if (seconds === 0) return 'Z';
  const [hours, minutes] = [Math.floor(Math.abs(seconds) / 3600), Math.floor((Math.abs(seconds) % 3600) / 60)];
  const digits = [hours, minutes].map((part) => String(part).padStart(2, '0'));
  return `${seconds < 0 ? '-' : '+'}${digits.join(':')}`;
}

/** `2024-01-02T03:04:05.5Z`, with as many digits as there are. */
export function formatTime({ nanos, offsetSeconds }: Timestamp): string {
  const seconds = floorDivide(nanos, 1000n * million);
  const rest = nanos - seconds * 1000n * million;
  const text = new Date((Number(seconds) + offsetSeconds) * 1000).toISOString().replace(/\.\d+Z$/, '');
  const fraction = rest.toString().padStart(9, '0').replace(/0+$/, '');
  return `${text}${fraction === '' ? '' : `.${fraction}`}${printZone(offsetSeconds)}`;
}

/** `5400s`, `1.5s` */
export function formatDuration(nanos: bigint): string {
  const seconds = Number(nanos / (1000n * million)) + Number(nanos % (1000n * million)) / 1e9;
  return `${seconds}s`;
}

interface Fields {
  readonly date: Date;
  readonly nanos: bigint;
}

const zoned = /^([+-]?\d+):([+-]?\d+)$/;

const maxFormats = 100;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Costly to make, cheap to use. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  if (formats.size >= maxFormats) formats.clear();
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}

function clockOf(moment: Date, timeZone: string): Date {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type as string, Number(value)]),
  );
  const [year, month, day] = ['year', 'month', 'day'].map((type) => parts.get(type) ?? 1);
  const [hour, minute, second] = ['hour', 'minute', 'second'].map((type) => parts.get(type) ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(year ?? 1, (month ?? 1) - 1, day);
  date.setUTCHours(hour ?? 0, minute, second);
  return date;
}

/** The clock of a time zone, as if it were UTC; an unknown name is a Failure. */
function inZone(seconds: bigint, zone: string): Date | Failure {
  const moment = new Date(Number(seconds) * 1000);
  const match = zoned.exec(zone);
  if (match !== null) {
    const [hours, minutes] = [Number(match[1]), Number(match[2])];
    const offset = zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
    return new Date(moment.getTime() + offset * 60_000);
  }
  if (zone.includes(':')) return new Failure(`strconv.Atoi: parsing "${zone.split(':')[0]}": invalid syntax`);
  try {
    return clockOf(moment, zone === '' ? 'UTC' : zone);
  } catch {
    return new Failure(`unknown time zone ${zone}`);
  }
}

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000);
}

type Reader = (fields: Fields) => number;

function ofTime(read: Reader, ofDuration?: (nanos: bigint) => bigint) {
  return ([value = null, zone = 'UTC']: readonly Value[]): Value => {
    if (value instanceof Duration && ofDuration !== undefined) return ofDuration(value.nanos);
    if (!(value instanceof Timestamp) || typeof zone !== 'string') return noSuchOverload(value);
    const seconds = floorDivide(value.nanos, 1000n * million);
    const date = inZone(seconds, zone);
    if (date instanceof Failure) return date;
    return BigInt(read({ date, nanos: value.nanos - seconds * 1000n * million }));
  };
}

/** Functions on moments and lengths of time. */
export const timeFunctions: Implementations = {
  getFullYear: ofTime(({ date }) => date.getUTCFullYear()),
  getMonth: ofTime(({ date }) => date.getUTCMonth()),
  getDayOfYear: ofTime(({ date }) => dayOfYear(date)),
  getDayOfMonth: ofTime(({ date }) => date.getUTCDate() - 1),
  getDate: ofTime(({ date }) => date.getUTCDate()),
  getDayOfWeek: ofTime(({ date }) => date.getUTCDay()),
  getHours: ofTime(
    ({ date }) => date.getUTCHours(),
    (nanos) => nanos / (3_600_000n * million),
  ),
  getMinutes: ofTime(
    ({ date }) => date.getUTCMinutes(),
    (nanos) => nanos / (60_000n * million),
  ),
  getSeconds: ofTime(
    ({ date }) => date.getUTCSeconds(),
    (nanos) => nanos / (1000n * million),
  ),
  getMilliseconds: ofTime(
    ({ nanos }) => Number(nanos / million),
    (nanos) => nanos / million,
  ),
};
