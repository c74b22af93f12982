import { Worker } from 'node:worker_threads';
import { errorMessage, TransientError, unpackError } from '../../src/base/index.ts';
import type { KeyedLocks } from '../../src/content/index.ts';
import type { ProgressListener } from '../../src/sources/index.ts';
import { type FromWorker, type Job, type JobResult, type ToWorker, type WorkNews } from './messages.ts';
import type { UnpackerSettings } from './settings.ts';

/** Contents are streamed: more room for what is young would only be filled, and never be given back. */
const youngHeapMebibytes = 16;
/** After an abort or the deadline, a thread has this long to obey before it is ended. */
const obeyMs = 5_000;
/** As long has one to end, when it is told to. */
const closeMs = 2_000;

interface Pending {
  readonly resolve: (result: JobResult) => void;
  readonly reject: (thrown: unknown) => void;
  readonly onProgress: ProgressListener | undefined;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ProgressListener | undefined;
}

interface PoolOptions {
  /** Shared with whoever else works on the store. */
  readonly locks: KeyedLocks;
  readonly onNews: (news: WorkNews) => void;
}

/** Source files run as they stand, built files as JavaScript. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
}

/** One worker thread and the jobs that it does at the same time. */
class Thread {
  readonly #worker: Worker;
  readonly #locks: KeyedLocks;
  readonly #pending = new Map<number, Pending>();
  readonly #held = new Map<number, { release?: AsyncDisposable; readonly controller: AbortController }>();
  readonly #onExit: () => void;
  readonly #onNews: PoolOptions['onNews'];
  readonly #ended = Promise.withResolvers<undefined>();
  #lastId = 0;
  #failure: unknown;

  constructor(settings: UnpackerSettings, { locks, onNews }: PoolOptions, onExit: () => void) {
    this.#locks = locks;
    this.#onNews = onNews;
    this.#onExit = onExit;
    this.#worker = new Worker(workerUrl(), {
      workerData: settings,
      resourceLimits: {
        maxOldGenerationSizeMb: settings.threadHeapMebibytes,
        maxYoungGenerationSizeMb: youngHeapMebibytes,
      },
      name: 'unpacker',
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (thrown: unknown) => {
      this.#failure = thrown;
    });
    this.#worker.on('exit', () => {
      this.#ended.resolve(undefined);
      this.#end();
    });
    this.#worker.unref();
  }

  get jobCount(): number {
    return this.#pending.size;
  }

  async run(job: Job, options: RunOptions): Promise<JobResult> {
    options.signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    this.#pending.set(id, { resolve, reject, onProgress: options.onProgress });
    this.#worker.ref();
    let obeyTimer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      this.#send({ kind: 'abort', id });
      obeyTimer = setTimeout(() => void this.#worker.terminate(), obeyMs);
    };
    options.signal.addEventListener('abort', onAbort, { once: true });
    this.#send({ kind: 'run', id, job });
    try {
      return await promise;
    } catch (thrown) {
      options.signal.throwIfAborted();
      throw thrown;
    } finally {
      clearTimeout(obeyTimer);
      options.signal.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#worker.unref();
    }
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'acquire') void this.#acquire(message.lockId, message.key);
    else if (message.kind === 'news') this.#onNews(message.news);
    else if (message.kind === 'release') this.#release(message.lockId);
    else if (message.kind === 'progress') this.#pending.get(message.id)?.onProgress?.(message.line);
    else if (message.kind === 'done') this.#pending.get(message.id)?.resolve(message.result);
    else this.#pending.get(message.id)?.reject(unpackError(message.error));
  }

  async #acquire(lockId: number, key: string): Promise<void> {
    const controller = new AbortController();
    const held: { release?: AsyncDisposable; readonly controller: AbortController } = { controller };
    this.#held.set(lockId, held);
    try {
      held.release = await this.#locks.acquire(key, { signal: controller.signal });
      if (this.#held.has(lockId)) this.#send({ kind: 'granted', lockId });
      else void held.release[Symbol.asyncDispose]();
    } catch {
      // Given up while it waited: nothing is held.
    }
  }

  #release(lockId: number): void {
    const held = this.#held.get(lockId);
    this.#held.delete(lockId);
    if (held?.release === undefined) held?.controller.abort();
    else void held.release[Symbol.asyncDispose]();
  }

  #end(): void {
    for (const lockId of this.#held.keys()) this.#release(lockId);
    const why = this.#failure === undefined ? '' : `: ${errorMessage(this.#failure)}`;
    const error = new TransientError('UnpackerRestarted', `the thread that unpacks bundles ended${why}`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#onExit();
  }

  /** Lets the thread end by itself: one that is ended in the midst of a call into the system may take the process with it. */
  async close(): Promise<void> {
    this.#send({ kind: 'close' });
    const timer = setTimeout(() => void this.#worker.terminate(), closeMs);
    await this.#ended.promise;
    clearTimeout(timer);
  }
}

/** Worker threads, started when there is work and replaced when they die; a job goes to the one with the fewest. */
export class ThreadPool implements AsyncDisposable {
  readonly #settings: UnpackerSettings;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  #isClosed = false;

  constructor(settings: UnpackerSettings, options: PoolOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** @throws TransientError UnpackerRestarted when the thread died of it, or of another job */
  async run(job: Job, options: RunOptions): Promise<JobResult> {
    if (this.#isClosed) throw new TransientError('UnpackerClosed', 'the unpacker has been closed');
    return await this.#choose().run(job, options);
  }

  #choose(): Thread {
    const idlest = [...this.#threads].sort((a, b) => a.jobCount - b.jobCount)[0];
    const isEnough = idlest !== undefined && (idlest.jobCount === 0 || this.#threads.size >= this.#settings.threads);
    if (isEnough) return idlest;
    const thread: Thread = new Thread(this.#settings, this.#options, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }
}
