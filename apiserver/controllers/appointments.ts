import type { Clock } from '../../src/base/index.ts';

/** The longest time that a timer of Node.js can run is 24.8 days: a key that is due later is requeued, and its work decides again. */
const longestWaitMs = 24 * 60 * 60_000;

/** Keys that are requeued later, by the given clock: at most one appointment a key, the last one made. A key that is due in more than a day is
 *  requeued after a day. Disposing drops all appointments. */
export class Appointments implements Disposable {
  readonly #pending = new Map<string, AbortController>();
  readonly #clock: Clock;
  readonly #again: (key: string) => void;

  constructor(clock: Clock, again: (key: string) => void) {
    this.#clock = clock;
    this.#again = again;
  }

  /** Replaces what was appointed for the key; `undefined` just drops it. */
  set(key: string, ms: number | undefined): void {
    this.#pending.get(key)?.abort();
    this.#pending.delete(key);
    if (ms === undefined) return;
    const appointment = new AbortController();
    this.#pending.set(key, appointment);
    void this.#wait(key, Math.min(ms, longestWaitMs), appointment);
  }

  async #wait(key: string, ms: number, appointment: AbortController): Promise<void> {
    try {
      await this.#clock.sleep(ms, { signal: appointment.signal });
    } catch {
      // Dropped: no one waits for it.
      return;
    }
    if (this.#pending.get(key) !== appointment) return;
    this.#pending.delete(key);
    this.#again(key);
  }

  [Symbol.dispose](): void {
    for (const appointment of this.#pending.values()) appointment.abort();
    this.#pending.clear();
  }
}
