const sliceMs = 10;
/** As many as the settings of HTTP/2 allow a client, which may ignore them. */
const maxWaiting = 1000;

interface Requests {
  isServed: boolean;
  readonly waiting: (() => void)[];
}

/** Who is answered next: each connection one request in a turn of the event loop, and more of it while all of them together take less than ten
 *  milliseconds. A client can put thousands of requests into what is read of its connection at once. */
export class RequestTurns {
  readonly #nowMs: () => number;
  readonly #connections = new Map<object, Requests>();
  #isBegun = false;
  #begunMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Calls `answer` now, or in a later turn. False, and it is not called, when too many requests of the connection wait. */
  add(connection: object, answer: () => void): boolean {
    if (!this.#isBegun) this.#begin();
    const requests = this.#connections.get(connection) ?? { isServed: false, waiting: [] };
    this.#connections.set(connection, requests);
    if (requests.waiting.length === 0 && (!requests.isServed || this.#hasTime())) {
      requests.isServed = true;
      answer();
      return true;
    }
    if (requests.waiting.length >= maxWaiting) return false;
    requests.waiting.push(answer);
    return true;
  }

  #hasTime(): boolean {
    return this.#nowMs() - this.#begunMs < sliceMs;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#begunMs = this.#nowMs();
    setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    this.#isBegun = false;
    for (const requests of this.#connections.values()) requests.isServed = false;
    // Those that still wait come last, and so are visited again.
    for (const [connection, requests] of this.#connections) {
      this.#connections.delete(connection);
      const next = requests.waiting.shift();
      if (next === undefined) continue;
      if (!this.#isBegun) this.#begin();
      requests.isServed = true;
      this.#connections.set(connection, requests);
      next();
      if (!this.#hasTime()) return;
    }
  }
}
