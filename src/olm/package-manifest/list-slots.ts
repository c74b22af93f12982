/** Lists at a time: each takes a turn of this process for every package. */
export const maxLists = 8;

interface Slot {
  readonly tenant: string;
  readonly stop: AbortController;
}

/** How many lists are written at a time. Where there is no room, the oldest of the user with the most makes some, if this one has fewer: clients that do not
 *  read keep no one else from listing. */
export class ListSlots {
  readonly #open = new Set<Slot>();

  /** Undefined when there is no room; the signal fires when a list has to make some. */
  admit(tenant: string): ({ readonly signal: AbortSignal } & Disposable) | undefined {
    if (this.#open.size >= maxLists) this.#makeRoom(tenant);
    if (this.#open.size >= maxLists) return undefined;
    const slot: Slot = { tenant, stop: new AbortController() };
    this.#open.add(slot);
    return { signal: slot.stop.signal, [Symbol.dispose]: () => void this.#open.delete(slot) };
  }

  #makeRoom(tenant: string): void {
    const byTenant = Map.groupBy(this.#open, (slot) => slot.tenant);
    const [largest = []] = [...byTenant.values()].toSorted((one, other) => other.length - one.length);
    const [oldest] = largest;
    if (oldest === undefined || largest.length <= (byTenant.get(tenant)?.length ?? 0) + 1) return;
    this.#open.delete(oldest);
    oldest.stop.abort();
  }
}
