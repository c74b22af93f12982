import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/base/index.ts';

/** A clock that moves on request, in either direction. Sleeps are as long as the time that passes, whatever the clock shows meanwhile. */
export class SteppedClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<{ leftMs: number; readonly wake: () => void }>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  async sleep(ms: number, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { leftMs: ms, wake: resolve };
    this.#sleepers.add(sleeper);
    const abort = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }

  /** Sets the clock: no time passes. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const sleeper of this.#sleepers) {
      sleeper.leftMs -= ms;
      if (sleeper.leftMs <= 0) sleeper.wake();
    }
    await turn();
  }
}
