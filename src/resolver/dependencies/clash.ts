import { minimalCore, smallestCore } from '../sat/core.ts';
import type { Literal } from '../sat/solver.ts';
import type { Steps } from '../sat/steps.ts';
import type { Candidate } from './candidate.ts';
import { type Encoding, encode } from './encoding.ts';
import type { Problem } from './problem.ts';
import type { Rule } from './rule.ts';
import type { Decision } from './search.ts';

/** Why a candidate was not chosen: rules that exclude it, together with what was chosen before it. */
export interface Refusal {
  readonly rules: readonly Rule[];
  readonly earlier: readonly Candidate[];
}

/** Finds out which rules of a problem clash. */
export class Clashes {
  readonly #problem: Problem;
  readonly #steps: Steps;
  #encoding: Encoding | undefined;

  constructor(problem: Problem, steps: Steps) {
    this.#problem = problem;
    this.#steps = steps;
  }

  /** As few rules as possible that contradict one another, of a problem without a solution.
   *  @throws TransientError ResolutionCancelled */
  smallest(): readonly Rule[] {
    const { solver, guards } = this.#guarded();
    return this.#rulesOf(smallestCore(solver, guards, this.#steps) ?? []);
  }

  /** Why the candidate, which the decision came before, was refused.
   *  @throws TransientError ResolutionCancelled */
  refusal(candidate: Candidate, decisions: readonly Decision[]): Refusal {
    const { solver, guards, variableOf } = this.#guarded();
    const choices = new Map(decisions.map(({ chosen }): [Literal, Candidate] => [variableOf(chosen), chosen]));
    const core = minimalCore(solver, [...[...choices.keys()].toReversed(), ...guards, variableOf(candidate)]) ?? [];
    return {
      rules: this.#rulesOf(core),
      earlier: core.map((literal) => choices.get(literal)).filter((chosen) => chosen !== undefined),
    };
  }

  #guarded(): Encoding {
    this.#encoding ??= encode(this.#problem, this.#steps, true);
    return this.#encoding;
  }

  #rulesOf(core: readonly Literal[]): readonly Rule[] {
    const known = new Set(core);
    const { guards } = this.#guarded();
    return this.#problem.rules.filter((_, index) => known.has(guards[index] ?? 0));
  }
}
