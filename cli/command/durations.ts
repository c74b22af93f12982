import { parseGoDuration } from '../../src/base/index.ts';

/** The longest time that a timer of Node.js can wait. */
const longest = '596h';

/** Units in which a duration without a unit may be given. */
const plainUnits = { seconds: 's', minutes: 'm' } as const;

interface DurationFormat {
  readonly plainUnit?: keyof typeof plainUnits;
  readonly range?: readonly [string, string];
}

function millisecondsOf(text: string): number | undefined {
  const nanoseconds = parseGoDuration(text);
  return nanoseconds === undefined || nanoseconds < 0n ? undefined : Number(nanoseconds) / 1_000_000;
}

/** Milliseconds of `90s`, `1h30m`, or a whole number in the plain unit; what was expected and found if `text` is no duration, or out of range. */
export function readDuration(
  text: string,
  { plainUnit = 'seconds', range: [least, greatest] = ['0s', longest] }: DurationFormat,
): number | { readonly expected: string; readonly found: string } {
  const written = /^\d+$/.test(text) ? `${text}${plainUnits[plainUnit]}` : text;
  const value = millisecondsOf(written);
  if (value === undefined) {
    const expected = `a duration such as 30s, 5m or 1h30m, or a number of ${plainUnit}`;
    return { expected, found: `"${text}"` };
  }
  const isInRange = value >= (millisecondsOf(least) ?? 0) && value <= (millisecondsOf(greatest) ?? 0);
  return isInRange ? value : { expected: `${least} to ${greatest}`, found: written };
}
