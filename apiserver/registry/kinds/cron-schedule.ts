/** Schedules of five fields (minute, hour, day of month, month, day of week), or a word such as `@daily`. */

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

/** The values of one field that match. `isAny`: it was written with a star, and so leaves the choice to the other day field. */
export interface ScheduleField {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

/** When something is due: at fixed times, or every so often. */
export type Schedule =
  | {
      readonly kind: 'times';
      readonly minute: ScheduleField;
      readonly hour: ScheduleField;
      readonly dayOfMonth: ScheduleField;
      readonly month: ScheduleField;
      readonly dayOfWeek: ScheduleField;
    }
  | { readonly kind: 'every'; readonly periodMs: number };

/** Why a text is no schedule, in the words of kube-apiserver. */
class ScheduleProblem extends Error {}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: ['', ...months] },
  { min: 0, max: 6, names: days },
];

const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const longestSchedule = 1024;

function parseNumber(text: string): number {
  const failed = (why: string): ScheduleProblem =>
    new ScheduleProblem(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw failed('invalid syntax');
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw failed('value out of range');
  if (value < 0) throw new ScheduleProblem(`negative number (${value}) not allowed: ${text}`);
  return value;
}

function parseNumberOrName(text: string, names: readonly string[]): number {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  return named >= 0 ? named : parseNumber(text);
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isStar: boolean;
  readonly isSingle: boolean;
}

function parseRange(part: string, range: string, bounds: Bounds): Range {
  const [low = '', high, ...more] = range.split('-');
  const isSingle = high === undefined;
  if (low === '*' || low === '?') return { start: bounds.min, end: bounds.max, isStar: true, isSingle };
  const start = parseNumberOrName(low, bounds.names);
  if (more.length > 0) throw new ScheduleProblem(`too many hyphens: ${part}`);
  return { start, end: isSingle ? start : parseNumberOrName(high, bounds.names), isStar: false, isSingle };
}

function checkRange(
  part: string,
  { start, end }: { readonly start: number; readonly end: number },
  bounds: Bounds,
): void {
  if (start < bounds.min) {
    throw new ScheduleProblem(`beginning of range (${start}) below minimum (${bounds.min}): ${part}`);
  }
  if (end > bounds.max) throw new ScheduleProblem(`end of range (${end}) above maximum (${bounds.max}): ${part}`);
  if (start > end) {
    throw new ScheduleProblem(`beginning of range (${start}) beyond end of range (${end}): ${part}`);
  }
}

function parsePart(part: string, bounds: Bounds): { readonly values: number[]; readonly isAny: boolean } {
  const [range = '', stepText, ...more] = part.split('/');
  const parsed = parseRange(part, range, bounds);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (more.length > 0) throw new ScheduleProblem(`too many slashes: ${part}`);
  const end = stepText !== undefined && parsed.isSingle ? bounds.max : parsed.end;
  checkRange(part, { start: parsed.start, end }, bounds);
  if (step === 0) throw new ScheduleProblem(`step of range should be a positive number: ${part}`);
  const values: number[] = [];
  for (let value = parsed.start; value <= end; value += step) values.push(value);
  return { values, isAny: parsed.isStar && step === 1 };
}

function parseField(text: string, bounds: Bounds): ScheduleField {
  const parts = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parsePart(part, bounds));
  return { values: new Set(parts.flatMap(({ values }) => values)), isAny: parts.some(({ isAny }) => isAny) };
}

function parseTimes(text: string): Schedule {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    const found = `found ${parts.length}: [${parts.join(' ')}]`;
    throw new ScheduleProblem(`expected exactly ${fields.length} fields, ${found}`);
  }
  const parsed = fields.map((bounds, index) => parseField(parts[index] ?? '', bounds));
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parsed as [
    ScheduleField,
    ScheduleField,
    ScheduleField,
    ScheduleField,
    ScheduleField,
  ];
  return { kind: 'times', minute, hour, dayOfMonth, month, dayOfWeek };
}

function durationProblem(text: string): string {
  const shown = JSON.stringify(text);
  if (text === '' || !/^[+-]?(\d|\.\d)/.test(text)) return `time: invalid duration ${shown}`;
  const unit =
    /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*(?:\d+(?:\.\d*)?|\.\d+)?([^\d.]*)/.exec(text)?.[1] ?? '';
  return unit === ''
    ? `time: missing unit in duration ${shown}`
    : `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
}

function parseEvery(text: string): Schedule {
  const parts = text.length > 64 ? [] : [...text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.map(([part]) => part).join('') !== text.replace(/^[+-]/, '') || parts.length === 0) {
    throw new ScheduleProblem(`failed to parse duration @every ${text}: ${durationProblem(text)}`);
  }
  const sum = parts.reduce((total, [, number = '0', unit = '']) => total + Number(number) * (unitMs[unit] ?? 0), 0);
  const periodMs = Math.max(1000, Math.floor((text.startsWith('-') ? -sum : sum) / 1000) * 1000);
  return { kind: 'every', periodMs };
}

/** The zone that some write in front of a schedule. */
const zonePrefix = /^(?:CRON_)?TZ=(\S*)(?:\s+|$)/;

function withoutZone(text: string): string {
  const [prefix = '', zone = ''] = zonePrefix.exec(text) ?? [];
  if (zone !== '' && !isTimeZone(zone)) {
    throw new ScheduleProblem(`provided bad location ${zone}: unknown time zone ${zone}`);
  }
  return text.slice(prefix.length);
}

function parse(text: string): Schedule {
  if (text.length > longestSchedule) throw new ScheduleProblem('schedule is too long');
  const rest = withoutZone(text);
  if (!rest.startsWith('@')) return parseTimes(rest);
  if (rest.startsWith('@every ')) return parseEvery(rest.slice('@every '.length));
  const known = Object.hasOwn(words, rest) ? words[rest] : undefined;
  if (known === undefined) throw new ScheduleProblem(`unrecognized descriptor: ${rest}`);
  return parseTimes(known);
}

/** The schedule in a text, without its time zone; undefined when it is no schedule. */
export function readSchedule(text: string): Schedule | undefined {
  return scheduleProblem(text) === undefined ? parse(text) : undefined;
}

/** Why a text is no schedule; undefined when it is one. */
export function scheduleProblem(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ScheduleProblem) return thrown.message;
    throw thrown;
  }
}

/** Whether the tz database has the zone. */
function isTimeZone(zone: string): boolean {
  if (zone.length > 64) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Why a text may not be the zone of a schedule; empty when it may. */
export function zoneProblem(zone: string): string[] {
  if (zone === '') return ['timeZone must be nil or non-empty string'];
  const isPart = (part: string): boolean =>
    part !== '.' && part !== '..' && !part.startsWith('-') && zonePart.test(part);
  const unknown = `unknown time zone ${zone}`;
  if (!zone.split('/').every(isPart)) return [unknown];
  if (zone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return zone === 'Local' ? [text] : [text, unknown];
  }
  return isTimeZone(zone) ? [] : [unknown];
}
