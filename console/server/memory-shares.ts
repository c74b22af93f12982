/** How much there is, in bytes. */
interface ShareLimits {
  readonly ofUser: number;
  readonly ofAll: number;
}

/** What one piece of work has in memory. */
export interface Share extends Disposable {
  /** Changes by how much it has; false, and nothing is changed, where there is not so much. Less is always possible. */
  add(bytes: number): boolean;
}

/** Memory that sessions share: each user has a part, in all sessions together, so that one leaves room for others. */
export class MemoryShares {
  readonly #limits: ShareLimits;
  readonly #byUser = new Map<string, number>();
  #all = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** A share without anything in it. */
  open(user: string): Share {
    let own = 0;
    let isOpen = true;
    return {
      add: (bytes) => {
        if (!isOpen || !this.#change(user, bytes)) return false;
        own += bytes;
        return true;
      },
      [Symbol.dispose]: () => {
        if (isOpen) this.#change(user, -own);
        isOpen = false;
      },
    };
  }

  #change(user: string, bytes: number): boolean {
    const { ofUser, ofAll } = this.#limits;
    const next = (this.#byUser.get(user) ?? 0) + bytes;
    if (bytes > 0 && (next > ofUser || this.#all + bytes > ofAll)) return false;
    this.#all += bytes;
    if (next <= 0) this.#byUser.delete(user);
    else this.#byUser.set(user, next);
    return true;
  }
}
