import { setTimeout as wait } from 'node:timers/promises';

/** Time as a dependency, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** Timers of Node.js hold 31 bits, and end at once where a time needs more. */
export const longestTimerMs: number = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, options = {}) => {
    const timer = options.signal === undefined ? {} : { signal: options.signal };
    try {
      let leftMs = ms;
      for (; leftMs > longestTimerMs; leftMs -= longestTimerMs) await wait(longestTimerMs, undefined, timer);
      await wait(leftMs, undefined, timer);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      throw thrown;
    }
  },
};

/** Milliseconds since the process began. It cannot be set, so it measures elapsed time regardless of changes of the date. */
export const steadyClock: Clock = { ...systemClock, now: () => performance.now() };

/** How much is left of a time of `lastsMs` that began at `sinceMs`. One that begins later than it lasts from now was noted while the clock was wrong: nothing
 *  is left of it. */
export function remainingMs(sinceMs: number, lastsMs: number, nowMs: number): number {
  const leftMs = sinceMs + lastsMs - nowMs;
  return leftMs > 2 * lastsMs ? 0 : Math.max(0, leftMs);
}

/** RFC 3339, UTC, whole seconds: the form of every Kubernetes timestamp. */
export function formatTimestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
