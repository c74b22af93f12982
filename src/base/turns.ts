import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long may work keep its thread to itself. */
const turnMs = 10;

/** Shares a thread with its other work: a long computation calls `share` between its steps. */
export class Turns {
  readonly #signal: AbortSignal;
  #sinceMs = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Lets other work have a turn when this one has taken long enough.
   *  @throws the signal's reason */
  async share(): Promise<void> {
    if (performance.now() - this.#sinceMs < turnMs) return;
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#sinceMs = performance.now();
  }
}
