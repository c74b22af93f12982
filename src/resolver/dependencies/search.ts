import type { Steps } from '../sat/steps.ts';
import type { Anchor } from './anchor.ts';
import type { Candidate } from './candidate.ts';
import { type Encoding, encode } from './encoding.ts';
import type { Need, Problem } from './problem.ts';

/** Why a bundle was chosen: its package is requested, a bundle needs it, or it is installed and stays. */
export type Cause =
  | { readonly kind: 'requested'; readonly anchor: Anchor }
  | { readonly kind: 'needed'; readonly by: Candidate; readonly need: Need }
  | { readonly kind: 'fixed' };

/** One decision of the search. */
export interface Decision {
  readonly chosen: Candidate;
  readonly cause: Cause;
  /** What would have been preferred, and cannot be together with what was chosen before. */
  readonly refused: readonly Candidate[];
}

interface Question {
  readonly cause: Cause;
  readonly choices: readonly Candidate[];
}

/** Goes through the questions in their order; each bundle that is chosen adds its own. */
class Search {
  readonly decisions: Decision[] = [];
  readonly #problem: Problem;
  readonly #encoding: Encoding;
  readonly #chosen = new Set<Candidate>();
  readonly #questions: Question[];

  constructor(problem: Problem, encoding: Encoding) {
    this.#problem = problem;
    this.#encoding = encoding;
    this.#questions = [
      ...problem.fixed.map((candidate): Question => ({ cause: { kind: 'fixed' }, choices: [candidate] })),
      ...problem.anchors.map(
        (anchor): Question => ({ cause: { kind: 'requested', anchor }, choices: anchor.candidates }),
      ),
    ];
  }

  run(): void {
    for (const { cause, choices } of this.#questions) {
      if (choices.some((candidate) => this.#chosen.has(candidate))) continue;
      const index = choices.findIndex((candidate) => this.#try(candidate));
      const chosen = choices[index];
      if (chosen === undefined && cause.kind === 'needed' && cause.need.isOptional) continue;
      if (chosen === undefined) throw new Error(`resolution: no choice is left, though a solution exists`);
      this.decisions.push({ chosen, cause, refused: choices.slice(0, index) });
      this.#chosen.add(chosen);
      for (const need of this.#problem.needs.get(chosen) ?? []) {
        this.#questions.push({ cause: { kind: 'needed', by: chosen, need }, choices: need.met });
      }
    }
  }

  /** Whether a solution with the candidate exists. What is found stays so for the rest of the search. */
  #try(candidate: Candidate): boolean {
    const { solver, variableOf } = this.#encoding;
    const { isSatisfiable } = solver.solve([variableOf(candidate)]);
    solver.addClause([isSatisfiable ? variableOf(candidate) : -variableOf(candidate)]);
    return isSatisfiable;
  }
}

/** Chooses bundles: the first of each list for which a solution exists, lists in their order, so that nothing better is possible without
 *  something worse in an earlier list. All that is chosen is in a list, so that nothing is chosen that is not needed. Undefined: there is no
 *  solution.
 *  @throws TransientError ResolutionCancelled
 *  @see docs/spec/catalogs.md#search */
export function search(problem: Problem, steps: Steps): readonly Decision[] | undefined {
  const encoding = encode(problem, steps, false);
  if (!encoding.solver.solve().isSatisfiable) return undefined;
  const run = new Search(problem, encoding);
  run.run();
  return run.decisions;
}
