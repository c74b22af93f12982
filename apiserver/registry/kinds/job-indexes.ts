/** Indexes of an Indexed job in text: `1,3-5`. */

interface Interval {
  readonly first: number;
  readonly last: number;
}

function indexOf(text: string, completions: number): number | string {
  const index = /^[+-]?\d{1,18}$/.test(text) ? Number(text) : undefined;
  const shown = JSON.stringify(text);
  if (index === undefined) return `cannot convert string to integer for index: ${shown}`;
  return index >= completions ? `too large index: ${shown}` : index;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

function intervalOf(text: string, completions: number): Interval | string {
  const [from = '', to, more] = text.split('-', 3);
  if (more !== undefined) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return `the fragment ${JSON.stringify(text)} ${rule}`;
  }
  const first = indexOf(from, completions);
  if (typeof first === 'string' || to === undefined) {
    return typeof first === 'string' ? first : { first, last: first };
  }
  const last = indexOf(to, completions);
  if (typeof last === 'string') return last;
  return first >= last ? notIncreasing(first, last) : { first, last };
}

/** How many indexes the text names, or what is wrong with it: they increase and are below `completions`. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let count = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = intervalOf(part, completions);
    if (typeof interval === 'string') return interval;
    if (previous !== undefined && previous >= interval.first) return notIncreasing(previous, interval.first);
    count += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return count;
}

function intervalsOf(text: string, completions: number): Interval[] {
  if (text === '') return [];
  return text
    .split(',')
    .map((part) => intervalOf(part, completions))
    .filter((interval): interval is Interval => typeof interval !== 'string');
}

/** The first index that both texts name; parts that are none are passed over. Both are in increasing order. */
export function firstCommonIndex(one: string, other: string, completions: number): number | undefined {
  const [left, right] = [intervalsOf(one, completions), intervalsOf(other, completions)];
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i += 1;
    else j += 1;
  }
}
