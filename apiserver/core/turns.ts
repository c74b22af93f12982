/** How long work may go on before others have a turn. */
const sliceMs = 10;

/** Turns of the event loop that all long work of one kind shares: in each of them it goes on for ten milliseconds together, whatever number of scans
 *  there are; those that wait continue one after another. */
export class Turns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #isBegun = false;
  #begunMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Call it before each small step of long work, and await what it answers, if anything. */
  take(): Promise<void> | undefined {
    if (!this.#isBegun) this.#begin();
    if (this.#nowMs() - this.#begunMs < sliceMs) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#begunMs = this.#nowMs();
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#isBegun = false;
    const resume = this.#waiting.shift();
    if (resume === undefined) return;
    this.#begin();
    resume();
  }
}
