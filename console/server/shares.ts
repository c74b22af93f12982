/** How much there is: bytes of memory, streams, requests. */
interface ShareLimits {
  readonly ofUser: number;
  readonly ofAll: number;
}

/** What one piece of work has of it. */
export interface Share extends Disposable {
  /** Changes by how much it has; false, and nothing is changed, where there is not so much. Less is always possible. */
  add(count: number): boolean;
}

/** What sessions share: each user has a part, in all sessions together, so that one leaves room for others. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #byTenant = new Map<string, number>();
  #all = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** A share without anything in it. */
  open(tenant: string): Share {
    let own = 0;
    let isOpen = true;
    return {
      add: (count) => {
        if (!isOpen || !this.#change(tenant, count)) return false;
        own += count;
        return true;
      },
      [Symbol.dispose]: () => {
        if (isOpen) this.#change(tenant, -own);
        isOpen = false;
      },
    };
  }

  #change(tenant: string, count: number): boolean {
    const { ofUser, ofAll } = this.#limits;
    const next = (this.#byTenant.get(tenant) ?? 0) + count;
    if (count > 0 && (next > ofUser || this.#all + count > ofAll)) return false;
    this.#all += count;
    if (next <= 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, next);
    return true;
  }
}
