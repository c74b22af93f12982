import type { Clock } from '../base/index.ts';

const maxServers = 1_000;

/** Which registries have asked to be left alone, or answered that they speak no TLS, and until when that is believed. Shared by all fetches, so
 *  that one answer stops all further requests of that sort to that registry and no request to another. Bounded. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, { readonly untilMs: number; readonly waitMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `key` must not be asked for `waitMs` from now. */
  note(key: string, waitMs: number): void {
    this.#untilMs.delete(key);
    if (this.#untilMs.size >= maxServers) this.#dropOldest();
    this.#untilMs.set(key, { untilMs: this.#clock.now() + waitMs, waitMs });
  }

  /** How long `key` must still not be asked; 0 when it may be. */
  remainingMs(key: string): number {
    const { untilMs, waitMs } = this.#untilMs.get(key) ?? { untilMs: 0, waitMs: 0 };
    const leftMs = untilMs - this.#clock.now();
    // More is left than there was where the clock was set back.
    if (leftMs > 0 && leftMs <= waitMs) return leftMs;
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
