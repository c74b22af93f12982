import type { Clock } from '../../src/base/index.ts';

/** Keys that are to be looked at later, by the given clock: at most one appointment a key, the last one made. Disposing drops them all. */
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
    void this.#wait(key, ms, appointment);
  }

  async #wait(key: string, ms: number, appointment: AbortController): Promise<void> {
    try {
      await this.#clock.sleep(ms, { signal: appointment.signal });
    } catch {
      // Dropped: nobody is to be woken.
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
