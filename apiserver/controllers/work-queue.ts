import type { Logger } from '../../src/base/index.ts';

const firstDelayMs = 20;
const longestDelayMs = 30_000;

/** What a queue is made of. `work` is never run twice at a time for one key; when it throws, the key is requeued with back-off. */
export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  readonly workers: number;
  readonly log: Logger;
  readonly work: (key: string) => Promise<void>;
  /** Failures that are part of the game (a write conflict) and not worth a line. */
  readonly isExpected?: (thrown: unknown) => boolean;
}

/** Keys to be worked on, each at most once at a time and once in the queue. */
export class WorkQueue implements AsyncDisposable {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
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
    else this.#waiting.add(key);
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
    for (const key of this.#waiting) {
      if (this.#isClosed || this.#active.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      // Active before any of the work runs: what the work sets off must find it so.
      const start = Promise.resolve();
      this.#active.set(
        key,
        start.then(() => this.#run(key)),
      );
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (thrown) {
      this.#handleFailure(key, thrown);
    }
    this.#active.delete(key);
    if (this.#dirty.delete(key)) this.add(key);
    if (this.#waiting.size > 0) this.#schedule();
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
    this.#waiting.clear();
    this.#dirty.clear();
    await Promise.all(this.#active.values());
  }
}
