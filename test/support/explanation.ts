import type { Difference } from './differences.ts';

/** Why Longshore differs from a reference implementation. */
export interface Explanation {
  /** `defect`: of the reference, not copied. `resync`: it hangs until its periodic resync, or shows what only that makes. `deliberate`: decided for Longshore.
   *  `chance`: the reference shows it sometimes. */
  readonly kind: 'defect' | 'resync' | 'deliberate' | 'chance';
  /** Sentences for the page. */
  readonly reason: string;
  /** Ids; absent: any scenario. */
  readonly scenarios?: readonly string[];
  /** Of the path; absent: any. */
  readonly path?: RegExp;
  /** Of what either of both shows there. */
  readonly shows?: RegExp;
}

function explains({ scenarios, path, shows }: Explanation, id: string, difference: Difference): boolean {
  if (scenarios?.includes(id) === false) return false;
  if (path?.test(difference.path) === false) return false;
  return shows?.test(`${difference.reference ?? ''} ${difference.ours ?? ''}`) !== false;
}

/** The differences of one scenario, by whether they are explained. */
export interface Explained {
  readonly unexplained: readonly Difference[];
  /** Each once. */
  readonly used: readonly Explanation[];
}

/** Splits the differences of a scenario. The first explanation that fits is used. */
export function explain(
  id: string,
  differences: readonly Difference[],
  explanations: readonly Explanation[],
): Explained {
  const used = new Set<Explanation>();
  const unexplained = differences.filter((difference) => {
    const found = explanations.find((explanation) => explains(explanation, id, difference));
    if (found !== undefined) used.add(found);
    return found === undefined;
  });
  return { unexplained, used: [...used] };
}
