import { TransientError } from '../../base/index.ts';

/** How much a search may do. */
export interface SearchLimits {
  /** Assignments, clauses visited for them, and what rules cost, over all questions; 20 million take between 2 and 10 seconds. */
  readonly maxSteps?: number;
  /** Asked now and then; the search is synchronous, so that no signal is heard while it runs. */
  readonly isCancelled?: (() => boolean) | undefined;
}

/** About a second, and many times what a namespace needs with the largest catalogs. */
const defaultMaxSteps = 5_000_000;
const stepsBetweenQuestions = 1_000_000;

/** Counts the steps of a search, which may span several solvers, and several requests. */
export class Steps {
  #maxSteps: number;
  readonly #isCancelled: SearchLimits['isCancelled'];
  #count = 0;
  #asked = 0;

  constructor({ maxSteps = defaultMaxSteps, isCancelled }: SearchLimits = {}) {
    this.#maxSteps = maxSteps;
    this.#isCancelled = isCancelled;
  }

  /** @throws TransientError ResolutionCancelled */
  take(count: number): void {
    this.#count += count;
    if (this.#count > this.#maxSteps) this.#stop(`more than ${this.#maxSteps} steps`);
    if (this.#count - this.#asked < stepsBetweenQuestions) return;
    this.#asked = this.#count;
    this.ask();
  }

  /** What `work` returns; undefined where it takes more than so many steps, which count nevertheless.
   *  @throws TransientError ResolutionCancelled */
  attempt<T>(maxSteps: number, work: () => T): T | undefined {
    const before = this.#maxSteps;
    this.#maxSteps = Math.min(before, this.#count + maxSteps);
    try {
      return work();
    } catch (thrown) {
      const isOverAll = this.#count > before || this.#isCancelled?.() === true;
      if (isOverAll || !(thrown instanceof TransientError)) throw thrown;
      return undefined;
    } finally {
      this.#maxSteps = before;
    }
  }

  /** Whether the caller cancelled meanwhile.
   *  @throws TransientError ResolutionCancelled */
  ask(): void {
    if (this.#isCancelled?.() === true) this.#stop();
  }

  #stop(why?: string): never {
    const text = 'cancelled before a solution could be found';
    throw new TransientError('ResolutionCancelled', why === undefined ? text : `${text}: ${why}`);
  }
}
