/** Passed on at a time: of chunks of one byte each, a few milliseconds. */
export const pieceBytes: number = 16 * 1024;
/** How long connections are given what they have received before others have a turn. */
const sliceMs = 10;

/** A connection that has received something. */
export interface WaitingConnection {
  /** The least goes first, every other time. */
  readonly rank: number;
  /** How long it took to pass on what it had received last. */
  lastMs: number;
  /** Passes on what it has received. */
  pass(): void;
}

/** Connections take turns: in each turn of the event loop they pass on what they have received for ten milliseconds together. Every other one has the least
 *  rank, the others are those that have waited longest: none waits forever because others, however many, have a lower rank. */
export class ConnectionTurns {
  readonly #waiting = new Set<WaitingConnection>();
  #leftMs = sliceMs;
  #isTimed = false;
  #isForLeast = false;

  add(connection: WaitingConnection): void {
    if (this.#waiting.size === 0 && this.#leftMs > 0) this.#pass(connection);
    else this.#waiting.add(connection);
    // What takes little is not worth a turn of its own.
    if (this.#leftMs < sliceMs / 2) this.#startTurn();
  }

  /** For the rest of what it has received, of which it has passed on a piece: never at once. */
  addRest(connection: WaitingConnection): void {
    this.#waiting.add(connection);
    this.#startTurn();
  }

  #goOn(): void {
    while (this.#leftMs > 0) {
      const next = this.#next();
      if (next === undefined) return;
      this.#waiting.delete(next);
      this.#pass(next);
    }
    this.#startTurn();
  }

  /** What it passes on may have a turn within its own, as a request has that TLS has read. */
  #pass(connection: WaitingConnection): void {
    const [begunMs, leftMs] = [performance.now(), this.#leftMs];
    connection.pass();
    connection.lastMs = performance.now() - begunMs;
    this.#leftMs = leftMs - connection.lastMs;
  }

  #next(): WaitingConnection | undefined {
    this.#isForLeast = !this.#isForLeast;
    let [next] = this.#waiting;
    if (next === undefined || !this.#isForLeast) return next;
    for (const one of this.#waiting) if (one.rank < next.rank) next = one;
    return next;
  }

  #startTurn(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setImmediate(() => {
      this.#isTimed = false;
      this.#leftMs = sliceMs;
      if (this.#waiting.size > 0) this.#goOn();
    });
  }
}

/** Of all servers of the process. */
export const connectionTurns: ConnectionTurns = new ConnectionTurns();
