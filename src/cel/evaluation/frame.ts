import type { Value } from '../values/value.ts';

/** Where an expression finds its variables; undefined for a name without a value. */
export type Lookup = (name: string) => Value | undefined;

/** Ends an evaluation that has become too expensive. */
export class TooExpensive extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Ends an evaluation that takes too much processor time. */
export class Interrupted extends Error {
  constructor() {
    super('operation interrupted');
  }
}

/** Work that a unit of cost allows, in characters that are read. */
const workPerCost = 100;
/** Of processor time: on a busy machine the same work takes longer, but costs no more. */
const maxMs = 5000;
const ticksPerCheck = 16;

/** Processor time of this thread; to ask for it costs more than to ask for the time. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** One evaluation: its variables, the values of its loops, and what it has cost. */
export class Frame {
  readonly lookUp: Lookup;
  readonly slots: Value[] = [];
  readonly #limit: number;
  #ticks = 0;
  #start = { wallMs: 0, processorMs: 0 };
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
   *  @throws Interrupted after five seconds of processor time */
  tick(): void {
    this.#ticks += 1;
    if (this.#ticks % ticksPerCheck !== 0) return;
    if (this.#ticks === ticksPerCheck) this.#start = { wallMs: performance.now(), processorMs: processorMs() };
    else if (performance.now() - this.#start.wallMs > maxMs) this.#checkProcessorTime();
  }

  #checkProcessorTime(): void {
    if (processorMs() - this.#start.processorMs > maxMs) throw new Interrupted();
  }
}
