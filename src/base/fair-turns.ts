/** Does a small step of a piece of work when it has its turn. */
export type FairStep = (step: () => void) => Promise<void>;

interface Member {
  takenMs: number;
}

/** Of each turn of the thread; then what else it does has its turn. */
const sliceMs = 2;

/** Shares a thread among pieces of work that are done in small steps, each of which takes as long as others choose: every other step is of the piece of work
 *  that has taken the least time so far, so that what is small hardly waits. The others are of the one that has waited longest: what is large goes on, however
 *  many small ones arrive. */
export class FairTurns {
  readonly #waiting = new Map<Member, () => void>();
  #isBusy = false;
  #isForLeast = false;
  #takenMs = 0;

  /** For one piece of work, of which one step is done at a time. */
  begin(): FairStep {
    const member: Member = { takenMs: 0 };
    return async (step) => {
      if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.set(member, resolve));
      this.#isBusy = true;
      const begunMs = performance.now();
      try {
        step();
      } finally {
        const tookMs = performance.now() - begunMs;
        member.takenMs += tookMs;
        this.#takenMs += tookMs;
        this.#pass();
      }
    };
  }

  #pass(): void {
    if (this.#takenMs < sliceMs) return this.#resume();
    this.#takenMs = 0;
    setImmediate(() => this.#resume());
  }

  #resume(): void {
    const [first, ...others] = this.#waiting.keys();
    this.#isBusy = first !== undefined;
    if (first === undefined) return;
    this.#isForLeast = !this.#isForLeast;
    const rivals = this.#isForLeast ? others : [];
    const next = rivals.reduce((least, member) => (member.takenMs < least.takenMs ? member : least), first);
    const resolve = this.#waiting.get(next);
    this.#waiting.delete(next);
    resolve?.();
  }
}
