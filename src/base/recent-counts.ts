import type { Clock } from './clock.ts';

const defaultMaxPeers = 4_096;

/** How often something has happened at each peer within a time: failed attempts to prove who one is, for one. */
export class RecentCounts {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #limit: number;
  readonly #maxPeers: number;
  readonly #times = new Map<string, number[]>();

  /** @param options.limit from so many on, `isFull` holds; no more are counted */
  constructor(
    clock: Clock,
    options: { readonly limit: number; readonly windowMs: number; readonly maxPeers?: number },
  ) {
    const { limit, windowMs, maxPeers = defaultMaxPeers } = options;
    this.#clock = clock;
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxPeers = maxPeers;
  }

  #recentOf(peer: string): number[] {
    const nowMs = this.#clock.now();
    // A clock that was set back must not hold anyone up until it gets there again.
    return (this.#times.get(peer) ?? []).filter((timeMs) => Math.abs(nowMs - timeMs) <= this.#windowMs);
  }

  /** Whether it has happened too often. */
  isFull(peer: string): boolean {
    return this.#recentOf(peer).length >= this.#limit;
  }

  /** It has happened once more. Of too many peers the one at which it happened longest ago is forgotten. */
  add(peer: string): void {
    const times = [...this.#recentOf(peer), this.#clock.now()].slice(-this.#limit);
    this.#times.delete(peer);
    this.#times.set(peer, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > this.#maxPeers && oldest !== undefined) this.#times.delete(oldest);
  }
}
