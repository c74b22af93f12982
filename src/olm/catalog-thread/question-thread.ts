import { type JobOptions, TransientError, WorkerThread } from '../../base/index.ts';

/** How much the thread may take. */
export interface ThreadLimits {
  /** For one answer. */
  readonly deadlineMs: number;
  readonly heapMebibytes: number;
  /** Without a question for so long, it ends. */
  readonly idleMs: number;
}

const defaultLimits: ThreadLimits = Object.freeze({ deadlineMs: 30_000, heapMebibytes: 512, idleMs: 30_000 });
const youngHeapMebibytes = 32;

type Questions<Jobs> = { readonly [Kind in keyof Jobs]: { readonly input: unknown; readonly result: unknown } };

/** Answers questions about catalogs in a separate thread, one after the other: whatever catalogs contain, this thread is not blocked, and neither time
 *  nor memory is without bound. The thread is started with the first question, and ends when there are none. */
export class QuestionThread<Jobs extends Questions<Jobs>> implements Disposable {
  readonly #url: URL;
  readonly #limits: ThreadLimits;
  #thread: WorkerThread<Jobs> | undefined;
  #last: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** `url` is the module that answers. */
  constructor(url: URL, limits: Partial<ThreadLimits> = {}) {
    this.#url = url;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** @throws TransientError ResolutionCancelled when it took too much · the signal's reason · what the answer throws */
  async ask<Kind extends keyof Jobs & string>(
    kind: Kind,
    question: Jobs[Kind]['input'],
    signal: AbortSignal,
  ): Promise<Jobs[Kind]['result']> {
    using turn = await this.#turn();
    const options: JobOptions = { signal, deadlineMs: this.#limits.deadlineMs, isLeftOnAbort: true };
    return await turn.thread().run(kind, question, options);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    if (this.#thread?.isAlive === true) this.#thread.leave();
    this.#thread = undefined;
  }

  /** Waits until no other question is asked. */
  async #turn(): Promise<Disposable & { thread(): WorkerThread<Jobs> }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    clearTimeout(this.#idle);
    return {
      thread: () => this.#open(),
      [Symbol.dispose]: () => {
        this.#idle = setTimeout(() => this[Symbol.dispose](), this.#limits.idleMs).unref();
        resolve();
      },
    };
  }

  #open(): WorkerThread<Jobs> {
    if (this.#thread?.isAlive === true) return this.#thread;
    this.#thread = new WorkerThread({
      url: this.#url,
      name: 'resolver',
      heapMebibytes: this.#limits.heapMebibytes,
      youngHeapMebibytes,
      endedError: (why) =>
        new TransientError('ResolutionCancelled', `cancelled before a solution could be found: ${why}`),
    });
    return this.#thread;
  }
}
