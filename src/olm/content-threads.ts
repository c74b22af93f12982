import {
  type JobOptions,
  type JobTypes,
  silentLogger,
  systemClock,
  TerminalError,
  ThreadPool,
  TransientError,
  WorkerThread,
  type WorkerThreadOptions,
} from '../base/index.ts';
import { windowTooLarge } from '../content/index.ts';
import { BackgroundWork } from '../controller/index.ts';

/** What a thread may have in memory. */
export interface ThreadMemory {
  readonly heapMebibytes: number;
  readonly youngHeapMebibytes: number;
  /** Outside of the heap: windows, and buffers of what arrives, of which servers decide how large they are. */
  readonly outsideMebibytes: number;
  /** Of an archive that is decompressed, outside of the heap. */
  readonly windowBytes: number;
}

/** Enough for catalogs of 150 MB, and for those of 100,000 bundles; archives need no larger windows unless they are compressed with `--ultra` or `--long`. */
const ordinary: ThreadMemory = {
  heapMebibytes: 64,
  youngHeapMebibytes: 32,
  outsideMebibytes: 96,
  windowBytes: 8 * 1024 ** 2,
};
/** Outside of the heap as much as the messages of the largest registry, and more. */
const large: ThreadMemory = {
  heapMebibytes: 512,
  youngHeapMebibytes: 32,
  outsideMebibytes: 384,
  windowBytes: 128 * 1024 ** 2,
};
const largestMemory = `${large.heapMebibytes} MiB of heap, or ${large.outsideMebibytes} MiB outside of it`;

/** One thread of the process has a large heap; after two minutes it makes room for the work of another group. */
const limits = { perGroup: 1, prompt: 1, running: 1, promptMs: 120_000 };
/** Failed work is started again by those who wait for it. */
const retry = { firstMs: 0, longestMs: 0 };
const turns = new BackgroundWork({
  clock: systemClock,
  log: silentLogger(),
  signal: new AbortController().signal,
  limits,
  retry,
  onChange: () => undefined,
});
let lastTurn = 0;

/** Does work while no other of the process has a large heap.
 *  @throws what the work throws · TransientError MadeRoom · the signal's reason */
async function inTurn<T>({ group, signal }: ContentJobOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  lastTurn += 1;
  const name = String(lastTurn);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => void turns.cancel(name).then(() => reject(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  turns.start({ name, input: '' }, (stop) => work(stop).then(resolve, reject), { group });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How content is reported that takes too much memory. */
interface ContentFault {
  readonly reason: string;
  readonly expected: string;
}

/** The thread of a job ended. */
export class ThreadEnded extends Error {
  /** It took more memory than it may. */
  get isOutOfMemory(): boolean {
    return this.message.includes('memory limit');
  }

  /** The error of reading `what`: the same content takes as much memory each time. */
  asFaultOf(what: string, { reason, expected }: ContentFault): TerminalError | TransientError {
    if (!this.isOutOfMemory) {
      const text = `${what}: the thread that unpacked it ended: ${this.message}`;
      return new TransientError('UnpackerEnded', text, { cause: this });
    }
    const text = `${what}: it takes more memory than the limit of ${largestMemory}: expected ${expected}`;
    return new TerminalError(reason, text, { cause: this });
  }
}

/** Whether a job failed because the memory of its thread was not enough. */
export function neededMore(thrown: unknown): boolean {
  if (thrown instanceof ThreadEnded) return thrown.isOutOfMemory;
  return thrown instanceof TransientError && thrown.reason === windowTooLarge;
}

/** Whose job it is. */
export interface ContentJobOptions extends JobOptions {
  /** Work of one group waits for its turn together. */
  readonly group: string;
}

/** Threads that read content of others, with bounded memory: a job that needs more ends only its thread. Each job has little memory at first; one to which that is not
 *  enough is done again with much, and of those there is one at a time in the process, whatever it reads. All others never wait for it. */
export class ContentThreads<Jobs extends JobTypes<Jobs>> implements Disposable {
  readonly #open: (memory: ThreadMemory) => WorkerThread<Jobs>;
  readonly #threads: ThreadPool<Jobs>;

  constructor(thread: Pick<WorkerThreadOptions, 'url' | 'name'>, pool: { readonly idleMs?: number } = {}) {
    const endedError = (why: string): Error => new ThreadEnded(why);
    this.#open = ({ heapMebibytes, youngHeapMebibytes, outsideMebibytes }) =>
      new WorkerThread<Jobs>({ ...thread, heapMebibytes, youngHeapMebibytes, outsideMebibytes, endedError });
    this.#threads = new ThreadPool(() => this.#open(ordinary), pool);
  }

  /** Does a job, with much memory if it needs that.
   *  @throws what the job throws · ThreadEnded · TransientError MadeRoom · the signal's reason */
  async run<Kind extends keyof Jobs & string>(
    kind: Kind,
    inputFor: (memory: ThreadMemory) => Jobs[Kind]['input'],
    options: ContentJobOptions,
  ): Promise<Jobs[Kind]['result']> {
    try {
      return await this.runOrdinary(kind, inputFor(ordinary), options);
    } catch (thrown) {
      if (!neededMore(thrown)) throw thrown;
    }
    return await this.runLarge(kind, inputFor(large), options);
  }

  /** Does a job with little memory; `neededMore` knows errors that are due to that.
   *  @throws as `run` */
  async runOrdinary<Kind extends keyof Jobs & string>(
    kind: Kind,
    input: Jobs[Kind]['input'],
    options: JobOptions,
  ): Promise<Jobs[Kind]['result']> {
    return await this.#threads.run(kind, input, options);
  }

  /** Does a job with much memory, in turn. Its thread has ended when the next one's begins.
   *  @throws as `run` */
  async runLarge<Kind extends keyof Jobs & string>(
    kind: Kind,
    input: Jobs[Kind]['input'],
    options: ContentJobOptions,
  ): Promise<Jobs[Kind]['result']> {
    return await inTurn(options, async (signal) => {
      const thread = this.#open(large);
      try {
        return await thread.run(kind, input, { ...options, signal });
      } finally {
        await thread.close();
      }
    });
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
