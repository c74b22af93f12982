import { StatusError, sharerOf } from '../core/index.ts';

/** How many watches may be open, and what may wait for all their readers together. */
interface WatchBounds {
  readonly maxWatches: number;
  readonly maxPerUser: number;
  /** Of the service accounts of a namespace, which its users create, together. */
  readonly maxPerNamespace: number;
  /** How many connections the server takes: those of one user, or of the service accounts of a namespace, have a quarter of them for watches, all users
   *  together three quarters. A watch without events is never closed for another connection. */
  readonly connections: number;
  readonly maxWaitingBytes: number;
}

/** A program watches each kind once: some hundred are many. */
const defaultWatchBounds: Omit<WatchBounds, 'connections'> = {
  maxWatches: 10_000,
  maxPerUser: 2_000,
  maxPerNamespace: 4_000,
  maxWaitingBytes: 256 * 1024 * 1024,
};
const shareOfOne = 1 / 4;
const shareOfAll = 3 / 4;

/** A watch with a longer selector counts once more for each so many characters: these take twenty times their text, and are compared with each event. */
const selectorCharacters = 1000;

/** A watch that is to begin. */
export interface WatchStart {
  readonly user: string;
  /** Over which it is sent. */
  readonly connection: object;
  readonly selectorLength?: number;
  /** Gets one, however many others have. */
  readonly isExempt?: boolean;
}

/** What a user has, or all together. */
class Share {
  /** Watches, those with long selectors more than once. */
  count = 0;
  /** The connections with watches, and how many each has. */
  readonly #connections = new Map<object, number>();

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Whether a watch over this connection is within so many connections. */
  hasRoomFor(connection: object, most: number): boolean {
    return this.#connections.has(connection) || this.#connections.size < most;
  }

  add(count: number, connection: object): void {
    this.count += count;
    this.#connections.set(connection, (this.#connections.get(connection) ?? 0) + 1);
  }

  remove(count: number, connection: object): void {
    this.count -= count;
    const left = (this.#connections.get(connection) ?? 0) - 1;
    if (left > 0) this.#connections.set(connection, left);
    else this.#connections.delete(connection);
  }
}

/** A watch that counts. */
export interface CountedWatch extends Disposable {
  /** Records what waits for the reader now; false when the watch must end, because too much waits for all readers and not less for this one than for
   *  others. */
  setWaiting(bytes: number): boolean;
}

function whoIs(user: string): string {
  const [, namespace] = /^system:serviceaccount:([^:]+)$/.exec(user) ?? [];
  return namespace === undefined ? `user "${user}" has` : `the service accounts of namespace "${namespace}" have`;
}

function tooMany(message: string): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 10 } });
}

/** Bounds what all watches of a server cost together. */
export class WatchLimits {
  readonly #bounds: WatchBounds;
  readonly #perUser = new Map<string, Share>();
  readonly #all = new Share();
  #waitingBytes = 0;
  #slow = 0;

  constructor(bounds: Partial<WatchBounds> & Pick<WatchBounds, 'connections'>) {
    this.#bounds = { ...defaultWatchBounds, ...bounds };
  }

  /** @throws StatusError 429 */
  begin({ user, connection, selectorLength = 0, isExempt = false }: WatchStart): CountedWatch {
    const count = 1 + Math.floor(selectorLength / selectorCharacters);
    const users = new Set([user, sharerOf({ username: user })]);
    for (const name of users) this.#assertFew(name, count, name === user);
    if (!isExempt) {
      this.#assertFewOpen(count);
      this.#assertFewConnections(users, connection);
    }
    this.#all.add(count, connection);
    for (const name of users) this.#shareOf(name).add(count, connection);
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
        this.#all.remove(count, connection);
        for (const name of users) this.#end(name, count, connection);
      },
    };
  }

  #shareOf(user: string): Share {
    const share = this.#perUser.get(user) ?? new Share();
    this.#perUser.set(user, share);
    return share;
  }

  /** @throws StatusError 429 */
  #assertFew(user: string, count: number, isOne: boolean): void {
    const { maxPerUser, maxPerNamespace } = this.#bounds;
    const own = this.#perUser.get(user)?.count ?? 0;
    if (own + count <= (isOne ? maxPerUser : maxPerNamespace)) return;
    throw tooMany(
      `${whoIs(user)} ${own} watches open: end some, watch collections instead of single objects, or use shorter selectors`,
    );
  }

  /** @throws StatusError 429 */
  #assertFewOpen(count: number): void {
    if (this.#all.count + count <= this.#bounds.maxWatches) return;
    throw tooMany(`the server has ${this.#all.count} watches open: try again later`);
  }

  /** @throws StatusError 429 */
  #assertFewConnections(users: ReadonlySet<string>, connection: object): void {
    const { connections } = this.#bounds;
    for (const user of users) {
      const own = this.#perUser.get(user);
      if (own === undefined || own.hasRoomFor(connection, connections * shareOfOne)) continue;
      throw tooMany(
        `${whoIs(user)} ${own.connectionCount} connections with watches: use one connection for many watches (HTTP/2)`,
      );
    }
    if (this.#all.hasRoomFor(connection, connections * shareOfAll)) return;
    throw tooMany(`the server has ${this.#all.connectionCount} connections with watches: try again later`);
  }

  #end(user: string, count: number, connection: object): void {
    const share = this.#shareOf(user);
    share.remove(count, connection);
    if (share.count === 0) this.#perUser.delete(user);
  }
}
