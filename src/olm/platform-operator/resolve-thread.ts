import { Worker } from 'node:worker_threads';
import { errorMessage, TransientError, unpackError } from '../../base/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import type { PlacedChoice } from './choice.ts';
import type { Asked, FromResolver, ToResolver } from './resolve-job.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from './study.ts';

/** What is asked, and when nobody waits for the answer any more. */
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

/** Source files run as they stand, built files as JavaScript. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './resolve-worker.ts' : './resolve-worker.js', import.meta.url);
}

/** Resolves in a thread of its own, one question after the other: whatever catalogs hold, this thread goes on with its work, and neither time nor
 *  memory is without bound. The thread is started with the first question, and ends when there are none. */
export class ResolverThread implements Resolver, Disposable {
  readonly #limits: ThreadLimits;
  #worker: Worker | undefined;
  #last: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  async next(question: NextQuestion, options: AskOptions): Promise<NextAnswer> {
    return (await this.#ask({ kind: 'next', question }, options)) as NextAnswer;
  }

  async needs(question: NeedsQuestion, options: AskOptions): Promise<readonly PlacedChoice[]> {
    return (await this.#ask({ kind: 'needs', question }, options)) as readonly PlacedChoice[];
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    this.#worker?.postMessage('end' satisfies ToResolver);
    this.#worker = undefined;
  }

  async #ask(asked: Asked, { held, signal }: AskOptions): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    try {
      signal.throwIfAborted();
      return await this.#run({ ...asked, places: held.places }, signal);
    } finally {
      resolve();
    }
  }

  #start(): Worker {
    const worker = new Worker(workerUrl(), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.heapMebibytes,
        maxYoungGenerationSizeMb: youngHeapMebibytes,
      },
      name: 'resolver',
    });
    // Whoever waits for an answer hears of it, too.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  async #run(job: ToResolver, signal: AbortSignal): Promise<unknown> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const end = (why: string): void => {
      reject(new TransientError('ResolutionCancelled', `cancelled before a solution could be found: ${why}`));
    };
    let isAnswered = false;
    const onMessage = (message: FromResolver): void => {
      isAnswered = true;
      if (message.kind === 'done') resolve(message.answer);
      else reject(unpackError(message.error));
    };
    const onError = (thrown: unknown): void => end(errorMessage(thrown));
    const onExit = (): void => end('the thread that looked for it ended');
    const onAbort = (): void => reject(signal.reason as Error);
    const late = setTimeout(() => {
      end(`it took more than ${this.#limits.deadlineMs} ms`);
      void worker.terminate();
    }, this.#limits.deadlineMs);
    worker.once('message', onMessage).once('error', onError).once('exit', onExit).ref();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      worker.postMessage(job);
      return await promise;
    } finally {
      clearTimeout(late);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
      signal.removeEventListener('abort', onAbort);
      // An answer that nobody waits for any more must not be taken for the next one.
      if (isAnswered) this.#idle = setTimeout(() => this[Symbol.dispose](), this.#limits.idleMs).unref();
      else this[Symbol.dispose]();
    }
  }
}
