import { addAtMost } from './at-most.ts';
import { type Literal, SatSolver } from './solver.ts';
import type { Steps } from './steps.ts';

/** More assumptions than this, and a smallest contradiction is not looked for among them all, but a minimal one is taken. */
const maxForMinimum = 150;
/** How often a candidate for the smallest contradiction may turn out to be none. */
const maxRounds = 60;

/** The core if they contradict one another, in the order in which they are given. */
function contradiction(solver: SatSolver, assumptions: readonly Literal[]): readonly Literal[] | undefined {
  const answer = solver.solve(assumptions);
  if (answer.isSatisfiable) return undefined;
  const core = new Set(answer.core);
  return assumptions.filter((literal) => core.has(literal));
}

/** Makes a contradiction smaller as long as one literal can be left out; those that come first go first. */
function shrink(solver: SatSolver, start: readonly Literal[]): readonly Literal[] {
  let core = start;
  for (const literal of start) {
    if (!core.includes(literal)) continue;
    core =
      contradiction(
        solver,
        core.filter((one) => one !== literal),
      ) ?? core;
  }
  return core;
}

/** What must be left out of `assumptions`, none of `retained`, so that the rest can be true together; nothing can be put back.
 *  The solver has just found that `retained` can. */
function correction(
  solver: SatSolver,
  assumptions: readonly Literal[],
  retained: readonly Literal[],
): readonly Literal[] {
  let together = [...retained];
  const leftOut: Literal[] = [];
  for (const literal of assumptions) {
    if (together.includes(literal)) continue;
    if (solver.isTrue(literal) || solver.solve([...together, literal]).isSatisfiable) together = [...together, literal];
    else leftOut.push(literal);
  }
  return leftOut;
}

/** A smallest set that has a member in common with each of `sets`, if it is smaller than `below`. */
function smallestHittingSet(
  sets: readonly (readonly Literal[])[],
  below: number,
  steps: Steps,
): readonly Literal[] | undefined {
  const members = [...new Set(sets.flat())];
  for (let size = 0; size < below; size += 1) {
    const solver = new SatSolver(steps);
    const variables = new Map(members.map((member): [Literal, number] => [member, solver.newVariable()]));
    for (const set of sets) solver.addClause(set.map((member) => variables.get(member) ?? 0));
    addAtMost(solver, { count: size, literals: [...variables.values()] });
    if (!solver.solve().isSatisfiable) continue;
    return members.filter((member) => solver.isTrue(variables.get(member) ?? 0));
  }
  return undefined;
}

/** Assumptions that contradict one another, each of which is needed for that: without any one of them there is no contradiction. Of several such
 *  sets, one without the first assumptions. Undefined: there is no contradiction.
 *  @throws TransientError ResolutionCancelled */
export function minimalCore(solver: SatSolver, assumptions: readonly Literal[]): readonly Literal[] | undefined {
  const core = contradiction(solver, assumptions);
  return core === undefined ? undefined : shrink(solver, core);
}

/** Assumptions that contradict one another, as few as possible; empty if the clauses do so by themselves.
 *  Minimal always. The smallest of all where there are not too many assumptions: what every contradiction must contain follows from what must be left out to resolve all (each of the one kind meets each of the other).
 *  @throws TransientError ResolutionCancelled
 *  @see Ignatiev, Previti, Liffiton, Marques-Silva: Smallest MUS Extraction with Minimal Hitting Set Dualization */
export function smallestCore(
  solver: SatSolver,
  assumptions: readonly Literal[],
  steps: Steps,
): readonly Literal[] | undefined {
  const best = minimalCore(solver, assumptions);
  if (best === undefined || assumptions.length > maxForMinimum) return best;
  const corrections: (readonly Literal[])[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const candidate = smallestHittingSet(corrections, best.length, steps);
    if (candidate === undefined) return best;
    const core = contradiction(solver, candidate);
    if (core !== undefined) return core;
    corrections.push(correction(solver, assumptions, candidate));
  }
  return best;
}
