import type { Literal, SatSolver } from './solver.ts';

/** How many of some literals may be true. */
export interface AtMost {
  readonly count: number;
  readonly literals: readonly Literal[];
  /** It need not hold where one of these is true. */
  readonly unless?: readonly Literal[];
}

/** Up to this many, each pair has its own clause. */
const maxPairwise = 5;

function forbidPairs(solver: SatSolver, { literals, unless = [] }: AtMost): void {
  for (const [index, one] of literals.entries()) {
    for (const other of literals.slice(index + 1)) solver.addClause([...unless, -one, -other]);
  }
}

/** The counter after one literal more: its n-th variable is true where more than n of the literals up to there are. */
function count(solver: SatSolver, literal: Literal, before: readonly Literal[]): readonly Literal[] {
  return before.map((previous, index) => {
    const here = solver.newVariable();
    const fewer = before[index - 1];
    solver.addClause([-previous, here]);
    solver.addClause(fewer === undefined ? [-literal, here] : [-literal, -fewer, here]);
    return here;
  });
}

/** At most so many of the literals are true. The clauses grow with the number of literals times the count.
 *  @see Sinz: Towards an Optimal CNF Encoding of Boolean Cardinality Constraints, LT_SEQ */
export function addAtMost(solver: SatSolver, atMost: AtMost): void {
  const { literals, unless = [] } = atMost;
  if (atMost.count >= literals.length) return;
  if (atMost.count === 0) for (const literal of literals) solver.addClause([...unless, -literal]);
  else if (atMost.count === 1 && literals.length <= maxPairwise) forbidPairs(solver, atMost);
  else {
    const never = solver.newVariable();
    solver.addClause([-never]);
    let counter: readonly Literal[] = Array.from({ length: atMost.count }, () => never);
    for (const literal of literals) {
      solver.addClause([...unless, -literal, -(counter.at(-1) ?? 0)]);
      counter = count(solver, literal, counter);
    }
  }
}
