import type { BundleUnderCheck } from './bundle.ts';
import type { Check, CheckContext, Hit } from './check.ts';

/** A check that takes some of the problems which another part of the program finds all at once. */
export interface ProblemRow<Problem> extends Pick<Check, 'id' | 'title' | 'whatToDo'> {
  readonly matches: (problem: Problem) => boolean;
}

/** Where the problems come from, and how they are reported. */
export interface ProblemSource<Problem> extends Pick<Check, 'suite' | 'stage' | 'severity'> {
  readonly find: (bundle: BundleUnderCheck, context: CheckContext) => Iterable<{ problem: Problem; hit: Hit }>;
}

/** A check for each row; a problem is reported by the first row that it matches. */
export function checksOfProblems<Problem>(
  rows: readonly ProblemRow<Problem>[],
  { find, ...kind }: ProblemSource<Problem>,
): readonly Check[] {
  return rows.map(({ id, title, whatToDo, matches }, index) => ({
    ...kind,
    id,
    title,
    whatToDo,
    *find(bundle, context) {
      const before = rows.slice(0, index);
      for (const { problem, hit } of find(bundle, context)) {
        if (matches(problem) && !before.some((row) => row.matches(problem))) yield hit;
      }
    },
  }));
}
