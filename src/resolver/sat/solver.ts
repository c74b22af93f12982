import { DecisionOrder } from './decision-order.ts';
import type { Steps } from './steps.ts';

/** A variable, `v`, or its negation, `-v`; variables are numbered from 1. */
export type Literal = number;

/** Satisfiable: `isTrue` of the solver gives the values. Else the assumptions that contradict one another; none of them: the clauses do. */
export type Answer =
  | { readonly isSatisfiable: true }
  | { readonly isSatisfiable: false; readonly core: readonly Literal[] };

/** Literals as numbers from 2: twice the variable, plus one where it is negated. */
type Code = number;
/** The first two are watched; the first is the one that the clause gave its value. */
type Clause = Code[];

const conflictsPerRestart = 64;

function codeOf(literal: Literal): Code {
  return literal > 0 ? 2 * literal : -2 * literal + 1;
}

function literalOf(code: Code): Literal {
  return (code & 1) === 0 ? code >> 1 : -(code >> 1);
}

/** 1, 1, 2, 1, 1, 2, 4, …: how long searches between restarts may last.
 *  @see Luby, Sinclair, Zuckerman: Optimal Speedup of Las Vegas Algorithms */
function luby(index: number): number {
  let size = 1;
  while (size < index + 1) size = 2 * size + 1;
  let rest = index;
  while (size - 1 !== rest) {
    size = (size - 1) / 2;
    rest %= size;
  }
  return (size + 1) / 2;
}

/** Decides whether clauses can all be true: conflict-driven clause learning with watched literals and restarts. Variables are false where
 *  nothing makes them true. The same calls in the same order give the same answers. */
export class SatSolver {
  readonly #steps: Steps;
  readonly #order = new DecisionOrder();
  /** By code: 1 true, -1 false, 0 neither. */
  readonly #truth: number[] = [0, 0];
  /** By code: the clauses that watch it. */
  readonly #watches: Clause[][] = [[], []];
  /** By variable: why and when it has its value. */
  readonly #reasons: (Clause | undefined)[] = [undefined];
  readonly #levels: number[] = [0];
  readonly #isSeen: boolean[] = [false];
  readonly #trail: Code[] = [];
  /** Where the values of each level begin. */
  readonly #starts: number[] = [];
  #propagated = 0;
  #isContradictory = false;
  #model: readonly number[] = [];

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  newVariable(): number {
    const variable = this.#levels.length;
    this.#truth.push(0, 0);
    this.#watches.push([], []);
    this.#reasons.push(undefined);
    this.#levels.push(0);
    this.#isSeen.push(false);
    this.#order.add(variable);
    return variable;
  }

  /** One of the literals must be true. */
  addClause(literals: readonly Literal[]): void {
    const codes = [...new Set(literals.map(codeOf))];
    const isTautology = codes.some((code) => this.#truth[code] === 1 || codes.includes(code ^ 1));
    if (isTautology) return;
    const open = codes.filter((code) => this.#truth[code] === 0);
    const [first] = open;
    if (first === undefined) this.#isContradictory = true;
    else if (open.length === 1) this.#assign(first, undefined);
    else this.#watch(open);
  }

  /** Whether all clauses and all assumptions can be true together.
   *  @throws TransientError ResolutionCancelled */
  solve(assumptions: readonly Literal[] = []): Answer {
    this.#steps.ask();
    const requested = assumptions.map(codeOf);
    for (let round = 0; !this.#isContradictory; round += 1) {
      const answer = this.#search(requested, luby(round) * conflictsPerRestart);
      if (answer?.isSatisfiable === true) this.#model = [...this.#truth];
      this.#backtrack(0);
      if (answer !== undefined) return answer;
    }
    return { isSatisfiable: false, core: [] };
  }

  /** In the last answer that was satisfiable. */
  isTrue(literal: Literal): boolean {
    return this.#model[codeOf(literal)] === 1;
  }

  /** Undefined: too many conflicts, or the clauses turned out to contradict one another. */
  #search(assumptions: readonly Code[], maxConflicts: number): Answer | undefined {
    for (let conflicts = 0; conflicts < maxConflicts; ) {
      const conflict = this.#propagate();
      if (conflict !== undefined) {
        conflicts += 1;
        if (!this.#learn(conflict)) return undefined;
        continue;
      }
      const decided = this.#decide(assumptions);
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  /** Assumes or decides one literal more; an answer where there is nothing left to decide, or an assumption is false already. */
  #decide(assumptions: readonly Code[]): Answer | undefined {
    for (
      let assumed = assumptions[this.#starts.length];
      assumed !== undefined;
      assumed = assumptions[this.#starts.length]
    ) {
      if (this.#truth[assumed] === -1) return { isSatisfiable: false, core: this.#causesOf(assumed) };
      this.#starts.push(this.#trail.length);
      if (this.#truth[assumed] === 0) {
        this.#assign(assumed, undefined);
        return undefined;
      }
    }
    const variable = this.#order.next((one) => this.#truth[2 * one] === 0);
    if (variable === 0) return { isSatisfiable: true };
    this.#starts.push(this.#trail.length);
    this.#assign(2 * variable + 1, undefined);
    return undefined;
  }

  #assign(code: Code, reason: Clause | undefined): void {
    this.#truth[code] = 1;
    this.#truth[code ^ 1] = -1;
    this.#reasons[code >> 1] = reason;
    this.#levels[code >> 1] = this.#starts.length;
    this.#trail.push(code);
  }

  #watch(clause: Clause): void {
    this.#watches[clause[0] ?? 0]?.push(clause);
    this.#watches[clause[1] ?? 0]?.push(clause);
  }

  /** Gives values that clauses leave no choice about; a clause that is false, where there is one. */
  #propagate(): Clause | undefined {
    let steps = 0;
    let conflict: Clause | undefined;
    while (conflict === undefined && this.#propagated < this.#trail.length) {
      const code = this.#trail[this.#propagated] ?? 0;
      this.#propagated += 1;
      steps += 1 + (this.#watches[code ^ 1]?.length ?? 0);
      conflict = this.#visit(code ^ 1);
    }
    this.#steps.take(steps);
    return conflict;
  }

  /** Looks at the clauses that watch a literal which has become false. */
  #visit(falsified: Code): Clause | undefined {
    const watching = this.#watches[falsified] ?? [];
    let conflict: Clause | undefined;
    let retained = 0;
    for (const clause of watching) {
      if (conflict === undefined && this.#leaves(clause, falsified)) continue;
      watching[retained] = clause;
      retained += 1;
      const first = clause[0] ?? 0;
      if (conflict !== undefined || this.#truth[first] === 1) continue;
      if (this.#truth[first] === -1) conflict = clause;
      else this.#assign(first, clause);
    }
    watching.length = retained;
    return conflict;
  }

  /** Whether the clause watches another literal from now on. If not, `falsified` is its second one. */
  #leaves(clause: Clause, falsified: Code): boolean {
    if (clause[0] === falsified) {
      clause[0] = clause[1] ?? 0;
      clause[1] = falsified;
    }
    if (this.#truth[clause[0] ?? 0] === 1) return false;
    for (let index = 2; index < clause.length; index += 1) {
      const other = clause[index] ?? 0;
      if (this.#truth[other] === -1) continue;
      clause[1] = other;
      clause[index] = falsified;
      this.#watches[other]?.push(clause);
      return true;
    }
    return false;
  }

  /** Adds the clause that the conflict proves, and backtracks to where it gives a value; false: the conflict needs no decision. */
  #learn(conflict: Clause): boolean {
    if (this.#starts.length === 0) {
      this.#isContradictory = true;
      return false;
    }
    const learned = this.#analyse(conflict);
    this.#backtrack(this.#levels[(learned[1] ?? 0) >> 1] ?? 0);
    if (learned.length > 1) this.#watch(learned);
    this.#assign(learned[0] ?? 0, learned.length > 1 ? learned : undefined);
    return true;
  }

  /** The first literal is the only one of the current level, the second of the highest level below it. */
  #analyse(conflict: Clause): Clause {
    const learned: Clause = [0];
    const level = this.#starts.length;
    let open = 0;
    let position = this.#trail.length;
    let clause: Clause = conflict;
    let resolved: Code = 0;
    do {
      for (const code of clause) {
        if (code === resolved || !this.#see(code)) continue;
        if (this.#levels[code >> 1] === level) open += 1;
        else learned.push(code);
      }
      position = this.#seenBefore(position);
      resolved = this.#trail[position] ?? 0;
      this.#isSeen[resolved >> 1] = false;
      clause = this.#reasons[resolved >> 1] ?? [];
      open -= 1;
    } while (open > 0);
    learned[0] = resolved ^ 1;
    for (const code of learned) this.#isSeen[code >> 1] = false;
    this.#secondHighest(learned);
    return learned;
  }

  /** Notes that the literal takes part in the conflict; false: it did already, or needs no decision. */
  #see(code: Code): boolean {
    const variable = code >> 1;
    if (this.#isSeen[variable] === true || this.#levels[variable] === 0) return false;
    this.#isSeen[variable] = true;
    this.#order.bump(variable);
    return true;
  }

  #seenBefore(position: number): number {
    let before = position - 1;
    while (this.#isSeen[(this.#trail[before] ?? 0) >> 1] !== true) before -= 1;
    return before;
  }

  #secondHighest(clause: Clause): void {
    let best = 1;
    for (let index = 2; index < clause.length; index += 1) {
      const level = this.#levels[(clause[index] ?? 0) >> 1] ?? 0;
      if (level > (this.#levels[(clause[best] ?? 0) >> 1] ?? 0)) best = index;
    }
    const code = clause[best];
    if (code === undefined) return;
    clause[best] = clause[1] ?? 0;
    clause[1] = code;
  }

  /** The assumption that is false, and those that make it so. */
  #causesOf(failed: Code): readonly Literal[] {
    const core = [literalOf(failed)];
    this.#isSeen[failed >> 1] = true;
    for (let position = this.#trail.length - 1; position >= (this.#starts[0] ?? this.#trail.length); position -= 1) {
      const code = this.#trail[position] ?? 0;
      if (this.#isSeen[code >> 1] !== true) continue;
      const reason = this.#reasons[code >> 1];
      if (reason === undefined) core.push(literalOf(code));
      else for (const one of reason) this.#isSeen[one >> 1] = (this.#levels[one >> 1] ?? 0) > 0;
      this.#isSeen[code >> 1] = false;
    }
    this.#isSeen[failed >> 1] = false;
    return core;
  }

  #backtrack(level: number): void {
    const start = this.#starts[level];
    if (start === undefined) return;
    for (const code of this.#trail.splice(start)) {
      this.#truth[code] = 0;
      this.#truth[code ^ 1] = 0;
      this.#reasons[code >> 1] = undefined;
      this.#order.release(code >> 1);
    }
    this.#starts.length = level;
    this.#propagated = Math.min(this.#propagated, start);
  }
}
