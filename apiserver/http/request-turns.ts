import { TurnSlice } from '../core/index.ts';

/** As many as the settings of HTTP/2 allow a client, which may ignore them. */
const maxWaiting = 1000;
/** Of a client without valid credentials: each costs as much when its connection is closed as when it is answered. */
const maxWaitingAnonymous = 100;

interface Requests {
  isServed: boolean;
  isOfUser: boolean;
  readonly waiting: (() => void)[];
}

/** Who is answered next: each connection one request in a turn of the event loop, and more of it while all of them together take less than ten
 *  milliseconds. A client can put thousands of requests into what is read of its connection at once. */
export class RequestTurns {
  readonly #slice: TurnSlice;
  readonly #connections = new Map<object, Requests>();

  constructor(nowMs?: () => number) {
    this.#slice = new TurnSlice(() => this.#goOn(), nowMs);
  }

  /** Calls `answer` now, or in a later turn. False, and it is not called, when too many requests of the connection wait; `isOfUser` is asked where that
   *  depends on who makes the request. */
  add(connection: object, answer: () => void, isOfUser: () => boolean): boolean {
    this.#slice.begin();
    const requests = this.#connections.get(connection) ?? { isServed: false, isOfUser: false, waiting: [] };
    this.#connections.set(connection, requests);
    if (requests.waiting.length === 0 && (!requests.isServed || this.#slice.hasTime())) {
      requests.isServed = true;
      answer();
      return true;
    }
    const { length } = requests.waiting;
    if (length >= maxWaiting || (length >= maxWaitingAnonymous && !(requests.isOfUser ||= isOfUser()))) return false;
    requests.waiting.push(answer);
    return true;
  }

  #goOn(): void {
    for (const requests of this.#connections.values()) requests.isServed = false;
    // Those that still wait come last, and so are visited again.
    for (const [connection, requests] of this.#connections) {
      this.#connections.delete(connection);
      const next = requests.waiting.shift();
      if (next === undefined) continue;
      this.#slice.begin();
      requests.isServed = true;
      this.#connections.set(connection, requests);
      next();
      if (!this.#slice.hasTime()) return;
    }
  }
}
