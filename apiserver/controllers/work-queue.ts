import type { Logger } from '../../src/base/index.ts';
import { NamespaceTurns } from './namespace-turns.ts';

const firstDelayMs = 20;
const longestDelayMs = 30_000;

/** What a queue is made of. `work` is never run twice at a time for one key; when it throws, the key is requeued with back-off. */
export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  readonly workers: number;
  readonly log: Logger;
  readonly work: (key: string) => Promise<void>;
  /** Whose keys take turns with those of others. The namespace in front of the name in a key if it is not given. */
  readonly namespaceOf?: (key: string) => string;
  /** Failures that are part of the game (a write conflict) and not worth a line. */
  readonly isExpected?: (thrown: unknown) => boolean;
}

function namespaceIn(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** Keys to be worked on, each at most once at a time and once in the queue. Namespaces take turns, and none of them has all workers: a user with very many
 *  objects in one, or such that take long, does not hold up what is done for others. */
export class WorkQueue implements AsyncDisposable {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new NamespaceTurns();
  /** How many workers each namespace has. */
  readonly #workers = new Map<string, number>();
  readonly #active = new Map<string, Promise<void>>();
  readonly #dirty = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isClosed = false;
  #isScheduled = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isClosed) return;
    if (this.#active.has(key)) this.#dirty.add(key);
    else this.#waiting.add((this.#options.namespaceOf ?? namespaceIn)(key), key);
    this.#schedule();
  }

  /** Adds the key once `ms` have passed; an earlier appointment of the same key is kept. */
  addAfter(key: string, ms: number): void {
    if (this.#isClosed || this.#timers.has(key)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, ms);
    timer.unref();
    this.#timers.set(key, timer);
  }

  /** Work starts in a task of its own, so that adding a key does not block the caller. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    const { workers } = this.#options;
    const most = Math.max(1, workers - 1);
    while (!this.#isClosed && this.#active.size < workers) {
      const next = this.#waiting.take((namespace) => (this.#workers.get(namespace) ?? 0) < most);
      if (next === undefined) return;
      const { key, namespace } = next;
      this.#workers.set(namespace, (this.#workers.get(namespace) ?? 0) + 1);
      // Active before any of the work runs: what the work sets off must find it so.
      const start = Promise.resolve();
      this.#active.set(
        key,
        start.then(() => this.#run(key, namespace)),
      );
    }
  }

  async #run(key: string, namespace: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (thrown) {
      this.#handleFailure(key, thrown);
    }
    this.#active.delete(key);
    this.#release(namespace);
    if (this.#dirty.delete(key)) this.add(key);
    if (!this.#waiting.isEmpty) this.#schedule();
  }

  #release(namespace: string): void {
    const left = (this.#workers.get(namespace) ?? 0) - 1;
    if (left > 0) this.#workers.set(namespace, left);
    else this.#workers.delete(namespace);
  }

  #handleFailure(key: string, thrown: unknown): void {
    if (this.#isClosed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const { log, name, isExpected } = this.#options;
    if (isExpected?.(thrown) !== true) log.warn({ queue: name, key, failures, err: thrown }, 'controller work failed');
    this.addAfter(key, Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs));
  }

  /** Takes nothing new and waits for what is being done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#dirty.clear();
    await Promise.all(this.#active.values());
  }
}
