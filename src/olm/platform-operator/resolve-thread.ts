import { type JobOptions, TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import type { PlacedChoice } from './choice.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from './resolve-answers.ts';
import type { ResolverJobs } from './resolve-job.ts';

/** The catalogs to ask, and a signal that aborts the question. */
interface AskOptions {
  readonly held: Pick<HeldCatalogs, 'places'>;
  readonly signal: AbortSignal;
}

/** Answers from catalogs, which may hold anything.
 *  @throws TransientError ResolutionCancelled when it took too much, CatalogReplaced · the signal's reason */
export interface Resolver {
  next(question: NextQuestion, options: AskOptions): Promise<NextAnswer>;
  needs(question: NeedsQuestion, options: AskOptions): Promise<readonly PlacedChoice[]>;
}

/** How much the thread may take. */
interface ThreadLimits {
  /** For one answer. */
  readonly deadlineMs: number;
  readonly heapMebibytes: number;
  /** Without a question for so long, it ends. */
  readonly idleMs: number;
}

const defaultLimits: ThreadLimits = Object.freeze({ deadlineMs: 30_000, heapMebibytes: 512, idleMs: 30_000 });
const youngHeapMebibytes = 32;

/** Resolves in a thread of its own, one question after the other: whatever catalogs hold, this thread goes on with its work, and neither time nor
 *  memory is without bound. The thread is started with the first question, and ends when there are none. */
export class ResolverThread implements Resolver, Disposable {
  readonly #limits: ThreadLimits;
  #thread: WorkerThread<ResolverJobs> | undefined;
  #last: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  async next(question: NextQuestion, { held, signal }: AskOptions): Promise<NextAnswer> {
    using turn = await this.#turn();
    return await turn.thread().run('next', { question, places: held.places }, this.#jobOptions(signal));
  }

  async needs(question: NeedsQuestion, { held, signal }: AskOptions): Promise<readonly PlacedChoice[]> {
    using turn = await this.#turn();
    return await turn.thread().run('needs', { question, places: held.places }, this.#jobOptions(signal));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    if (this.#thread?.isAlive === true) this.#thread.leave();
    this.#thread = undefined;
  }

  #jobOptions(signal: AbortSignal): JobOptions {
    return { signal, deadlineMs: this.#limits.deadlineMs, isLeftOnAbort: true };
  }

  /** Waits until no other question is asked. */
  async #turn(): Promise<Disposable & { thread(): WorkerThread<ResolverJobs> }> {
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

  #open(): WorkerThread<ResolverJobs> {
    if (this.#thread?.isAlive === true) return this.#thread;
    this.#thread = new WorkerThread({
      url: workerUrl(import.meta.url, 'resolve-worker'),
      name: 'resolver',
      heapMebibytes: this.#limits.heapMebibytes,
      youngHeapMebibytes,
      endedError: (why) =>
        new TransientError('ResolutionCancelled', `cancelled before a solution could be found: ${why}`),
    });
    return this.#thread;
  }
}
