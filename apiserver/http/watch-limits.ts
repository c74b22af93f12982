import { StatusError, sharerOf } from '../core/index.ts';

/** How many watches may be open, and what may wait for all their readers together. */
interface WatchBounds {
  readonly maxWatches: number;
  readonly maxPerUser: number;
  /** Of the service accounts of a namespace, which its users create, together. */
  readonly maxPerNamespace: number;
  readonly maxWaitingBytes: number;
}

/** A program watches each kind once: some hundred are many. */
const defaultWatchBounds: WatchBounds = {
  maxWatches: 10_000,
  maxPerUser: 2_000,
  maxPerNamespace: 4_000,
  maxWaitingBytes: 256 * 1024 * 1024,
};

/** A watch with a longer selector counts once more for each so many characters: these take twenty times their text, and are compared with each event. */
const selectorCharacters = 1000;

/** A watch that counts. */
export interface CountedWatch extends Disposable {
  /** Records what waits for the reader now; false when the watch must end, because too much waits for all readers and not less for this one than for
   *  others. */
  setWaiting(bytes: number): boolean;
}

function tooMany(message: string): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 10 } });
}

/** Bounds what all watches of a server cost together. */
export class WatchLimits {
  readonly #bounds: WatchBounds;
  readonly #perUser = new Map<string, number>();
  #open = 0;
  #waitingBytes = 0;
  #slow = 0;

  constructor(bounds: WatchBounds = defaultWatchBounds) {
    this.#bounds = bounds;
  }

  /** `isExempt`: gets one, however many others have.
   *  @throws StatusError 429 */
  begin(user: string, selectorLength = 0, isExempt = false): CountedWatch {
    const count = 1 + Math.floor(selectorLength / selectorCharacters);
    const users = new Set([user, sharerOf({ username: user })]);
    for (const name of users) this.#assertFew(name, count, name === user);
    const { maxWatches } = this.#bounds;
    if (!isExempt && this.#open + count > maxWatches) {
      throw tooMany(`the server has ${this.#open} watches open: try again later`);
    }
    this.#open += count;
    for (const name of users) this.#perUser.set(name, this.#countOf(name) + count);
    let waiting = 0;
    const set = (bytes: number): void => {
      this.#slow += Math.sign(bytes) - Math.sign(waiting);
      this.#waitingBytes += bytes - waiting;
      waiting = bytes;
    };
    let isOpen = true;
    return {
      setWaiting: (bytes) => {
        if (isOpen) set(bytes);
        return this.#waitingBytes <= this.#bounds.maxWaitingBytes || waiting * this.#slow < this.#waitingBytes;
      },
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        set(0);
        this.#open -= count;
        for (const name of users) this.#end(name, count);
      },
    };
  }

  #countOf(user: string): number {
    return this.#perUser.get(user) ?? 0;
  }

  /** @throws StatusError 429 */
  #assertFew(user: string, count: number, isOne: boolean): void {
    const { maxPerUser, maxPerNamespace } = this.#bounds;
    const own = this.#countOf(user);
    if (own + count <= (isOne ? maxPerUser : maxPerNamespace)) return;
    const who = isOne ? `user "${user}" has` : `the service accounts of namespace "${user.split(':').at(-1)}" have`;
    throw tooMany(
      `${who} ${own} watches open: end some, watch collections instead of single objects, or use shorter selectors`,
    );
  }

  #end(user: string, count: number): void {
    const left = this.#countOf(user) - count;
    if (left > 0) this.#perUser.set(user, left);
    else this.#perUser.delete(user);
  }
}
