import type { Difference } from '../test/support/differences.ts';

/** Recordings of scenarios by their id. */
type Recorded<R> = Readonly<Record<string, R>>;

/** Compares a recording with what was played now. */
type Compare<R> = (id: string, before: R, now: R) => readonly Difference[];

/** Prints where what was played differs from what was recorded.
 *  @returns how many scenarios differ, or were not recorded yet */
export function reportDifferences<R extends { readonly title: string }>(
  recorded: Recorded<R>,
  played: Recorded<R>,
  compare: Compare<R>,
): number {
  let differing = 0;
  for (const [id, now] of Object.entries(played)) {
    const before = recorded[id];
    const differences = before === undefined ? [] : compare(id, before, now);
    if (before === undefined) console.log(`${id}: not recorded yet`);
    if (differences.length > 0) console.log(`\n# ${id}: ${now.title}`);
    for (const { label, path, reference, ours } of differences) {
      console.log(
        `  ${label}: ${path}\n      recorded: ${reference ?? '(absent)'}\n      now:      ${ours ?? '(absent)'}`,
      );
    }
    if (before === undefined || differences.length > 0) differing += 1;
  }
  return differing;
}
