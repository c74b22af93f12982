import type { Clock } from '../base/index.ts';
import { parseNamespacedName } from '../kube/index.ts';
import { SpentEffort } from './effort.ts';
import { LongQueue } from './long-queue.ts';

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

/** What decides when a key has its turn. */
interface Standing {
  /** When it was last worked on. */
  readonly hasFailed: boolean;
  /** It takes much effort. */
  readonly isHeavy: boolean;
}

interface Group {
  readonly isHeavy: boolean;
  readonly keys: LongQueue<string>;
}

/** Keys that are ready, in groups that take turns: the namespaces, and of each apart what failed when it was last worked on, and what takes much effort. A user who
 *  has very many objects in a namespace does not hold up those of others; nor do, where there are no namespaces, objects that fail again and again, very large
 *  ones, or very many. */
class ReadyKeys {
  /** The next one first. */
  readonly #groups = new Map<string, Group>();
  /** Since when each key waits. */
  readonly #sinceMs = new Map<string, number>();

  get size(): number {
    return this.#sinceMs.size;
  }

  /** A key that waits keeps its place, whatever its standing has become. */
  add(key: string, sinceMs: number, { hasFailed, isHeavy }: Standing): void {
    if (this.#sinceMs.has(key)) return;
    this.#sinceMs.set(key, sinceMs);
    const name = `${hasFailed} ${isHeavy} ${parseNamespacedName(key).namespace}`;
    const group = this.#groups.get(name) ?? { isHeavy, keys: new LongQueue<string>() };
    group.keys.add(key);
    this.#groups.set(name, group);
  }

  /** The next key of the group whose turn it is. */
  take(mayBeHeavy: boolean): { readonly key: string; readonly isHeavy: boolean } | undefined {
    for (const [name, group] of this.#groups) {
      const { isHeavy, keys } = group;
      if (isHeavy && !mayBeHeavy) continue;
      const key = keys.take();
      this.#groups.delete(name);
      if (keys.size > 0) this.#groups.set(name, group);
      if (key === undefined) continue;
      this.#sinceMs.delete(key);
      return { key, isHeavy };
    }
    return undefined;
  }

  /** Since when the oldest waits. */
  oldestMs(): number | undefined {
    const first = [...this.#groups.values()].flatMap(({ keys }) => this.#sinceMs.get(keys.oldest ?? '') ?? []);
    return first.length === 0 ? undefined : Math.min(...first);
  }
}

/** Of one key within about a minute, as `effortOf` has it. Ten reconciles of an ordinary object take a third. */
const heavyEffort = 5_000;

export interface WorkQueueOptions {
  /** How much effort the work on a key takes; 0 when its object does not exist. Default: none. */
  readonly effortOf?: ((key: string) => number) | undefined;
  /** How many keys that take much effort are worked on at the same time. Default: 1. */
  readonly maxHeavy?: number;
}

/** Names of objects that need work: each at most once, none handed out again while it is being worked on. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #effortOf: (key: string) => number;
  readonly #maxHeavy: number;
  readonly #spent = new SpentEffort();
  readonly #heavy = new Set<string>();
  readonly #ready = new ReadyKeys();
  readonly #active = new Set<string>();
  /** Came again while being worked on. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { shortestMs: number; readonly cancel: AbortController }>();
  readonly #failures = new Map<string, number>();
  /** What failed when it was last worked on. */
  readonly #failed = new Set<string>();
  readonly #takers: (() => void)[] = [];

  constructor(clock: Clock, { effortOf = () => 0, maxHeavy = 1 }: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#effortOf = effortOf;
    this.#maxHeavy = maxHeavy;
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
    const nowMs = this.#clock.now();
    const isHeavy = this.#spent.of(key, nowMs) + this.#effortOf(key) > heavyEffort;
    this.#ready.add(key, nowMs, { hasFailed: this.#failed.has(key), isHeavy });
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

  /** The next key, by turns of namespaces, of what failed and of what takes much effort, and oldest first unless very many wait; undefined once `signal` has fired. Call `done` with it afterwards. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const taken = this.#ready.take(this.#heavy.size < this.#maxHeavy);
      if (taken !== undefined) {
        this.#begin(taken.key, taken.isHeavy);
        return taken.key;
      }
      await this.#somethingReady(signal);
    }
    return undefined;
  }

  #begin(key: string, isHeavy: boolean): void {
    this.#active.add(key);
    if (isHeavy) this.#heavy.add(key);
    const effort = this.#effortOf(key);
    if (effort === 0) this.#spent.forget(key);
    else this.#spent.add(key, effort, this.#clock.now());
  }

  done(key: string): void {
    this.#active.delete(key);
    // Another one may have waited for it.
    if (this.#heavy.delete(key) && this.#ready.size > 0) this.#takers.shift()?.();
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
