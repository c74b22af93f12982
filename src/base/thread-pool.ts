import type { JobTypes } from './worker-messages.ts';
import type { JobOptions, WorkerThread } from './worker-thread.ts';

const defaultIdleMs = 10_000;

/** Threads that do one job at a time each, and are used again: what one job does to its thread affects no other job that runs. A thread without a job for
 *  `idleMs` ends. How many jobs there are at a time is limited by the caller. */
export class ThreadPool<Jobs extends JobTypes<Jobs>> implements Disposable {
  readonly #open: () => WorkerThread<Jobs>;
  readonly #idleMs: number;
  /** Until when they stay. */
  readonly #free = new Map<WorkerThread<Jobs>, NodeJS.Timeout>();
  #isClosed = false;

  constructor(open: () => WorkerThread<Jobs>, { idleMs = defaultIdleMs }: { readonly idleMs?: number } = {}) {
    this.#open = open;
    this.#idleMs = idleMs;
  }

  /** Does a job.
   *  @throws as `WorkerThread.run` */
  async run<Kind extends keyof Jobs & string>(
    kind: Kind,
    input: Jobs[Kind]['input'],
    options: JobOptions,
  ): Promise<Jobs[Kind]['result']> {
    options.signal.throwIfAborted();
    const thread = this.#take() ?? this.#open();
    try {
      return await thread.run(kind, input, options);
    } finally {
      this.#release(thread);
    }
  }

  /** Ends the threads without a job at once, others with their job. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (let thread = this.#take(); thread !== undefined; thread = this.#take()) thread.leave();
  }

  #take(): WorkerThread<Jobs> | undefined {
    for (const [thread, timer] of this.#free) {
      clearTimeout(timer);
      this.#free.delete(thread);
      if (thread.isAlive) return thread;
    }
    return undefined;
  }

  #release(thread: WorkerThread<Jobs>): void {
    if (!thread.isAlive) return;
    if (this.#isClosed) {
      thread.leave();
      return;
    }
    const end = (): void => {
      this.#free.delete(thread);
      if (thread.isAlive) thread.leave();
    };
    this.#free.set(thread, setTimeout(end, this.#idleMs).unref());
  }
}
