import type { Clock } from '../base/index.ts';
import { parseNamespacedName } from '../kube/index.ts';

const minBackOffMs = 5;
const maxBackOffMs = 5 * 60_000;
const overtaken = new Error('something else came first');

interface BackOffOptions {
  readonly minMs?: number;
  readonly maxMs?: number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** The wait before another try after `failures` (from 1): doubles from the shortest (default 5 ms) to the longest (default 5 minutes), less
 *  up to a fifth by chance. */
export function backOffMs(
  failures: number,
  { minMs = minBackOffMs, maxMs = maxBackOffMs, random = Math.random }: BackOffOptions = {},
): number {
  const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 30));
  return fullMs * (1 - random() / 5);
}

/** Keys that are ready, in groups that take turns: the namespaces, and of each apart what failed when it was last worked on. A user who has very many objects in a
 *  namespace does not hold up those of others, nor objects that fail again and again, which may be of any user where there are no namespaces, what is new. */
class ReadyKeys {
  /** By group, the next one first, and since when each key waits. */
  readonly #groups = new Map<string, Map<string, number>>();
  size = 0;

  /** `hasFailed` is the same until the key is taken. */
  add(key: string, sinceMs: number, hasFailed: boolean): void {
    const group = `${hasFailed} ${parseNamespacedName(key).namespace}`;
    const keys = this.#groups.get(group) ?? new Map<string, number>();
    if (keys.has(key)) return;
    this.#groups.set(group, keys.set(key, sinceMs));
    this.size += 1;
  }

  /** The oldest of the group whose turn it is. */
  take(): string | undefined {
    for (const [group, keys] of this.#groups) {
      this.#groups.delete(group);
      for (const key of keys.keys()) {
        keys.delete(key);
        this.size -= 1;
        if (keys.size > 0) this.#groups.set(group, keys);
        return key;
      }
    }
    return undefined;
  }

  /** Since when the oldest waits. */
  oldestMs(): number | undefined {
    const first = [...this.#groups.values()].flatMap((keys) => keys.values().next().value ?? []);
    return first.length === 0 ? undefined : Math.min(...first);
  }
}

/** Names of objects that need work: each at most once, none handed out again while it is being worked on. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #ready = new ReadyKeys();
  readonly #active = new Set<string>();
  /** Came again while being worked on. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { shortestMs: number; readonly cancel: AbortController }>();
  readonly #failures = new Map<string, number>();
  /** What failed when it was last worked on. */
  readonly #failed = new Set<string>();
  readonly #takers: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many wait to be worked on now. */
  get size(): number {
    return this.#ready.size;
  }

  /** How many are being worked on. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** How long the first of those that wait has waited; 0 when none does. */
  get oldestMs(): number {
    const sinceMs = this.#ready.oldestMs();
    return sinceMs === undefined ? 0 : Math.max(0, this.#clock.now() - sinceMs);
  }

  /** Now, or right after the work on it that is under way. A pending delay of the same key is void. */
  add(key: string): void {
    this.#cancelDelay(key);
    if (this.#active.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#ready.add(key, this.#clock.now(), this.#failed.has(key));
    this.#takers.shift()?.();
  }

  /** After `delayMs`, unless it is added before. Of several delays the one that ends first counts, whatever the date is set to meanwhile. */
  addAfter(key: string, delayMs: number): void {
    const delayed = this.#delayed.get(key) ?? { shortestMs: Number.POSITIVE_INFINITY, cancel: new AbortController() };
    // One that began before and is not longer ends before.
    if (delayed.shortestMs <= delayMs) return;
    delayed.shortestMs = delayMs;
    this.#delayed.set(key, delayed);
    this.#clock.sleep(delayMs, { signal: delayed.cancel.signal }).then(
      () => {
        this.add(key);
      },
      () => undefined,
    );
  }

  /** After the back-off of a key that failed once more. */
  addFailed(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.markFailed(key);
    this.addAfter(key, backOffMs(failures));
  }

  /** The key, which is being worked on, takes turns with others that failed until it does not fail. */
  markFailed(key: string): void {
    this.#failed.add(key);
  }

  /** The back-off of the key, which is being worked on, starts from the beginning. */
  forgetFailures(key: string): void {
    this.#failures.delete(key);
    this.#failed.delete(key);
  }

  /** The next key, by turns of namespaces and of what failed, and oldest first; undefined once `signal` has fired. Call `done` with it afterwards. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const key = this.#ready.take();
      if (key !== undefined) {
        this.#active.add(key);
        return key;
      }
      await this.#somethingReady(signal);
    }
    return undefined;
  }

  done(key: string): void {
    this.#active.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Cancels all delays. */
  close(): void {
    for (const key of this.#delayed.keys()) this.#cancelDelay(key);
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel.abort(overtaken);
    this.#delayed.delete(key);
  }

  async #somethingReady(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const taker = (): void => {
      resolve();
    };
    this.#takers.push(taker);
    signal.addEventListener('abort', taker, { once: true });
    await promise;
    signal.removeEventListener('abort', taker);
    const index = this.#takers.indexOf(taker);
    if (index >= 0) this.#takers.splice(index, 1);
  }
}
