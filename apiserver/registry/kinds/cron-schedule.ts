interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['', ...months] },
  { min: 0, max: 6, names: days },
];

const descriptors = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

function numberOf(text: string, { names = [] }: Bounds): number | string {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function rangeProblem(part: string, bounds: Bounds): string | undefined {
  const [range = '', step] = part.split('/');
  if (step !== undefined && !/^[1-9]\d*$/.test(step)) return `step of range should be a positive number: ${part}`;
  if (range === '*' || range === '?') return undefined;
  const [first = '', last = first] = range.split('-');
  const [start, end] = [numberOf(first, bounds), numberOf(last, bounds)];
  if (typeof start === 'string') return start;
  return typeof end === 'string' ? end : boundsProblem(start, end, { bounds, part });
}

function boundsProblem(
  start: number,
  end: number,
  { bounds, part }: { readonly bounds: Bounds; readonly part: string },
): string | undefined {
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${part}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${part}`;
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${part}` : undefined;
}

/** Why a text is no schedule of five fields (or `@daily` and the like); undefined when it is one. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptors.test(schedule) ? undefined : `unrecognized descriptor: ${schedule}`;
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  const problems = parts.flatMap((part, index) => {
    const bounds = fields[index];
    return bounds === undefined ? [] : part.split(',').map((range) => rangeProblem(range, bounds));
  });
  return problems.find((problem) => problem !== undefined);
}

/** Whether the tz database has the zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
