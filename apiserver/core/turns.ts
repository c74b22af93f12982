/** How long work may go on before others have a turn. */
const sliceMs = 10;

/** Calls it after what is done in promises that are settled by now, however long their chains are: microtasks end before the next tick, unless that was
 *  asked for before they began. */
function afterPromises(call: () => void): void {
  queueMicrotask(() => process.nextTick(call));
}

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
    afterPromises(() => {
      if (this.#slice.hasTime()) this.#goOn();
    });
  }
}

interface Sharer {
  readonly waiting: (() => void)[];
  usedMs: number;
}

/** Turns of the event loop for the work of users. The first ten milliseconds of a turn are for all who come, and then for those who wait, first the
 *  user for whom the least time was used since they wait: others do not wait for all that one user has. */
export class UserTurns {
  readonly #slice: TurnSlice;
  readonly #nowMs: () => number;
  /** Until no one waits any more. */
  readonly #sharers = new Map<string, Sharer>();
  #served: { readonly sharer: Sharer; readonly sinceMs: number } | undefined;
  /** Whether the work of one of them is yet to begin: of very many who come at the same time each would find that there is time. */
  #isEntered = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#slice = new TurnSlice(() => this.#goOn(), nowMs);
  }

  /** Call it before work that may be long, and await what it answers, if anything. */
  take(user: string): Promise<void> | undefined {
    this.#slice.begin();
    if (this.#sharers.size === 0 && !this.#isEntered && this.#slice.hasTime()) {
      this.#enter();
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const sharer = this.#sharers.get(user) ?? { waiting: [], usedMs: 0 };
    // Who has not waited for long has no claim to what others have used meanwhile.
    if (sharer.waiting.length === 0) sharer.usedMs = Math.max(sharer.usedMs, this.#next()?.usedMs ?? 0);
    sharer.waiting.push(resolve);
    this.#sharers.set(user, sharer);
    return promise;
  }

  /** Of those who wait the one for whom the least time was used. */
  #next(): Sharer | undefined {
    let least: Sharer | undefined;
    for (const sharer of this.#sharers.values()) {
      if (sharer.waiting.length > 0 && sharer.usedMs < (least?.usedMs ?? Number.POSITIVE_INFINITY)) least = sharer;
    }
    return least;
  }

  #goOn(): void {
    const sharer = this.#next();
    if (sharer === undefined) return this.#sharers.clear();
    this.#slice.begin();
    this.#served = { sharer, sinceMs: this.#nowMs() };
    sharer.waiting.shift()?.();
    this.#enter();
  }

  /** What controllers and other connections do in the same turn is not the user's. */
  #charge(): void {
    if (this.#served !== undefined) this.#served.sharer.usedMs += this.#nowMs() - this.#served.sinceMs;
    this.#served = undefined;
  }

  /** Short work does not wait for a turn each: that would halve what a busy server does. */
  #enter(): void {
    this.#isEntered = true;
    afterPromises(() => {
      this.#isEntered = false;
      this.#charge();
      if (this.#sharers.size > 0 && this.#slice.hasTime()) this.#goOn();
    });
  }
}
