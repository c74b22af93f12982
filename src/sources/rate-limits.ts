import type { Clock } from '../base/index.ts';

const maxServers = 1_000;

/** Which registries have asked to be left alone, or answered that they speak no TLS, and until when that is believed. Shared by all fetches, so
 *  that one answer stops all further requests of that sort to that registry and no request to another. Bounded. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `key` must not be asked for `waitMs` from now. */
  note(key: string, waitMs: number): void {
    this.#untilMs.delete(key);
    if (this.#untilMs.size >= maxServers) this.#dropOldest();
    this.#untilMs.set(key, this.#clock.now() + waitMs);
  }

  /** How long `key` must still not be asked; 0 when it may be. */
  remainingMs(key: string): number {
    const leftMs = (this.#untilMs.get(key) ?? 0) - this.#clock.now();
    if (leftMs > 0) return leftMs;
    this.#untilMs.delete(key);
    return 0;
  }

  #dropOldest(): void {
    for (const key of this.#untilMs.keys()) {
      this.#untilMs.delete(key);
      return;
    }
  }
}
