import type { Value } from '../values/value.ts';

/** Where an expression finds its variables; undefined for a name without a value. */
export type Lookup = (name: string) => Value | undefined;

/** Ends an evaluation that has become too expensive. */
export class TooExpensive extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Ends an evaluation that takes too long. */
export class Interrupted extends Error {
  constructor() {
    super('operation interrupted');
  }
}

/** Work that a unit of cost allows, in characters that are read. */
const workPerCost = 100;
const maxMs = 5000;
const ticksPerCheck = 16;

/** One evaluation: its variables, the values of its loops, and what it has cost. */
export class Frame {
  readonly lookUp: Lookup;
  readonly slots: Value[] = [];
  readonly #limit: number;
  readonly #startMs = performance.now();
  #ticks = 0;
  #work = 0;
  #cost = 0;

  constructor(lookUp: Lookup, limit: number) {
    this.lookUp = lookUp;
    this.#limit = limit;
  }

  /** @throws TooExpensive */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new TooExpensive();
  }

  /** What it has cost: its work counts where that is more than what it was charged. */
  get cost(): number {
    return Math.max(this.#cost, Math.ceil(this.#work / workPerCost));
  }

  /** Work that is left. */
  get workLeft(): number {
    return this.#limit * workPerCost - this.#work;
  }

  /** Counts work, in characters that are read.
   *  @throws TooExpensive */
  work(amount: number): void {
    this.#work += amount;
    if (this.workLeft < 0) throw new TooExpensive();
  }

  /** Called once a round of every loop.
   *  @throws Interrupted after five seconds */
  tick(): void {
    this.#ticks += 1;
    if (this.#ticks % ticksPerCheck === 0 && performance.now() - this.#startMs > maxMs) throw new Interrupted();
  }
}
