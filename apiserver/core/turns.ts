/** How long work may go on before others have a turn. */
const sliceMs = 10;

/** The part of a turn of the event loop that work of one kind has together. */
export class TurnSlice {
  readonly #onEnd: () => void;
  readonly #nowMs: () => number;
  #isBegun = false;
  #begunMs = 0;

  /** `onEnd` is called in the turn after that in which a slice has begun. */
  constructor(onEnd: () => void, nowMs: () => number = () => performance.now()) {
    this.#onEnd = onEnd;
    this.#nowMs = nowMs;
  }

  /** Begins a slice, if none has begun in this turn. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#begunMs = this.#nowMs();
    setImmediate(() => {
      this.#isBegun = false;
      this.#onEnd();
    });
  }

  hasTime(): boolean {
    return this.#nowMs() - this.#begunMs < sliceMs;
  }
}

/** Turns of the event loop that all long work of one kind shares: in each of them it goes on for ten milliseconds together, whatever number of scans
 *  there are; those that wait continue one after another. */
export class Turns {
  readonly #slice: TurnSlice;
  readonly #waiting: (() => void)[] = [];

  constructor(nowMs?: () => number) {
    this.#slice = new TurnSlice(() => this.#goOn(), nowMs);
  }

  /** Call it before each small step of long work, and await what it answers, if anything. */
  take(): Promise<void> | undefined {
    this.#slice.begin();
    if (this.#slice.hasTime()) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #goOn(): void {
    const resume = this.#waiting.shift();
    if (resume === undefined) return;
    this.#slice.begin();
    resume();
  }
}
