import { addAtMost } from '../sat/at-most.ts';
import { type Literal, SatSolver } from '../sat/solver.ts';
import type { Steps } from '../sat/steps.ts';
import type { Candidate } from './candidate.ts';
import type { Problem } from './problem.ts';
import type { Rule } from './rule.ts';

/** A problem as clauses. */
export interface Encoding {
  readonly solver: SatSolver;
  readonly variableOf: (candidate: Candidate) => Literal;
  /** Literals that make the rules hold, one a rule, in their order; empty where they hold anyway. */
  readonly guards: readonly Literal[];
}

class Encoder {
  readonly solver: SatSolver;
  readonly #isGuarded: boolean;
  readonly #variables = new Map<object | string, Literal>();

  constructor(steps: Steps, isGuarded: boolean) {
    this.solver = new SatSolver(steps);
    this.#isGuarded = isGuarded;
  }

  /** True where the candidate is chosen, the anchor counts. */
  variableOf(of: object | string): Literal {
    const known = this.#variables.get(of);
    if (known !== undefined) return known;
    const variable = this.solver.newVariable();
    this.#variables.set(of, variable);
    return variable;
  }

  /** The literal that makes the rule hold; undefined where it holds anyway. */
  add(rule: Rule): Literal | undefined {
    const guard = this.#isGuarded ? this.solver.newVariable() : undefined;
    const unless = guard === undefined ? [] : [-guard];
    if (rule.kind === 'package') this.#atMostOne(this.#all(rule.candidates), unless);
    else if (rule.kind === 'api') {
      this.#atMostOne(
        rule.groups.map((group) => this.#impliedBy(group)),
        unless,
      );
    } else this.solver.addClause([...unless, ...this.#clauseOf(rule)]);
    return guard;
  }

  #atMostOne(literals: readonly Literal[], unless: readonly Literal[]): void {
    addAtMost(this.solver, { count: 1, literals, unless });
  }

  #clauseOf(rule: Exclude<Rule, { readonly kind: 'package' | 'api' }>): readonly Literal[] {
    switch (rule.kind) {
      case 'requested':
        return [this.variableOf(rule.anchor)];
      case 'choice':
        return [-this.variableOf(rule.anchor), ...this.#all(rule.anchor.candidates)];
      case 'requires':
        return [-this.variableOf(rule.by), this.#someOf(rule.met)];
      case 'installed':
        return [this.variableOf(rule.candidate)];
      case 'refused':
        return [-this.variableOf(rule.candidate)];
      case 'replaces':
        return [-this.variableOf(rule.update), -this.variableOf(rule.present)];
      default:
        return rule satisfies never;
    }
  }

  #all(candidates: readonly Candidate[]): readonly Literal[] {
    return candidates.map((candidate) => this.variableOf(candidate));
  }

  /** False where none of them is chosen. Many bundles ask the same, and have the same list for an answer: it is encoded once. */
  #someOf(candidates: readonly Candidate[]): Literal {
    const isKnown = this.#variables.has(candidates);
    const some = this.variableOf(candidates);
    if (!isKnown) this.solver.addClause([-some, ...this.#all(candidates)]);
    return some;
  }

  /** True where one of them is chosen. Providers of one API provide others too: it is encoded once for all of these. */
  #impliedBy(candidates: readonly Candidate[]): Literal {
    const literals = this.#all(candidates);
    const key = literals.toSorted((a, b) => a - b).join(' ');
    const isKnown = this.#variables.has(key);
    const implied = this.variableOf(key);
    if (!isKnown) for (const literal of literals) this.solver.addClause([-literal, implied]);
    return implied;
  }
}

/** Turns a problem into clauses; `isGuarded`: a rule counts only where its guard is assumed, so that clashing rules can be identified. */
export function encode({ candidates, rules }: Problem, steps: Steps, isGuarded: boolean): Encoding {
  const encoder = new Encoder(steps, isGuarded);
  for (const candidate of candidates) encoder.variableOf(candidate);
  const guards = rules.map((rule) => encoder.add(rule)).filter((guard) => guard !== undefined);
  return { solver: encoder.solver, variableOf: (candidate) => encoder.variableOf(candidate), guards };
}
