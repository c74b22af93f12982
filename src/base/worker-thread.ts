import { Worker } from 'node:worker_threads';
import { errorMessage } from './errors.ts';
import { unpackError } from './plain-error.ts';
import { type MeasuredThread, threadMemory } from './thread-memory.ts';
import type { FromWorker, JobTypes, ToWorker } from './worker-messages.ts';

/** After an abort, a thread that is not busy with a job takes notice within this time; one that does not is terminated. */
const noticeMs = 5_000;
/** Then it has this long to end the job: other work of a busy machine, which the job may wait for, is no reason to end all jobs of the thread. */
const obeyMs = 60_000;
/** How long a closed thread has to end by itself. */
const closeMs = 2_000;
const mebibyte = 1024 * 1024;

export interface WorkerThreadOptions {
  /** The module that calls `serveJobs`. */
  readonly url: URL;
  readonly name: string;
  readonly workerData?: unknown;
  /** JavaScript heap: a job that needs more ends the thread, and nothing else. */
  readonly heapMebibytes: number;
  /** Of it for young objects: where content is streamed, more would only be filled. */
  readonly youngHeapMebibytes: number;
  /** Outside of the heap, such as buffers of what arrives: a job that has more ends the thread as well. Default: no limit. */
  readonly outsideMebibytes?: number;
  /** Whether it does more than its jobs, so that it is never ended because all threads together have too much memory. */
  readonly isPermanent?: boolean;
  /** The error of jobs whose thread ended. */
  readonly endedError: (why: string) => Error;
  /** What the jobs send by `sendEvent`. */
  readonly onEvent?: (event: unknown) => void;
  readonly onExit?: () => void;
}

export interface JobOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((line: string) => void) | undefined;
  /** The thread is terminated when the job takes longer. */
  readonly deadlineMs?: number;
  /** Whether an aborted job fails at once, though the thread is busy with it; the thread ends then. Default: it fails when the thread has ended the job. */
  readonly isLeftOnAbort?: boolean;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
  readonly onProgress: ((line: string) => void) | undefined;
}

/** The URL of a worker module next to `importer`: source files run unchanged, built files as JavaScript. */
export function workerUrl(importer: string, name: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}

/** A worker thread and the jobs that it does at the same time. It keeps the process alive while it has jobs. */
export class WorkerThread<Jobs extends JobTypes<Jobs>> implements MeasuredThread {
  readonly #worker: Worker;
  readonly #options: WorkerThreadOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #exited = Promise.withResolvers<void>();
  /** Terminate the thread unless aborted jobs end before. */
  readonly #ending = new Map<number, NodeJS.Timeout>();
  readonly #counted: Disposable | undefined;
  /** Of threads that this one has started. */
  #innerBytes = 0;
  #ownBytes = 0;
  #lastId = 0;
  #why = '';
  #isAlive = true;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.url, {
      workerData: options.workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: options.heapMebibytes,
        maxYoungGenerationSizeMb: options.youngHeapMebibytes,
      },
      name: options.name,
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (thrown: unknown) => {
      this.#why = errorMessage(thrown);
    });
    this.#worker.on('exit', () => this.#end());
    this.#worker.unref();
    if (options.isPermanent !== true) this.#counted = threadMemory.add(this);
  }

  get jobCount(): number {
    return this.#pending.size;
  }

  /** False once it takes no more jobs. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Does a job.
   *  @throws what the job throws, with its class · `endedError` · the signal's reason */
  async run<Kind extends keyof Jobs & string>(
    kind: Kind,
    input: Jobs[Kind]['input'],
    options: JobOptions,
  ): Promise<Jobs[Kind]['result']> {
    options.signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject, onProgress: options.onProgress });
    this.#worker.ref();
    using _ = this.#watch(id, options, reject);
    this.#send({ type: 'run', id, kind, input });
    try {
      return await promise;
    } catch (thrown) {
      options.signal.throwIfAborted();
      throw thrown;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#worker.unref();
    }
  }

  /** Sends a notice to the thread, independent of its jobs. */
  notify(notice: unknown): void {
    this.#send({ type: 'notice', notice });
  }

  /** Lets the thread end by itself: one that is terminated during a system call may crash the process. */
  async close(): Promise<void> {
    this.leave();
    const timer = setTimeout(() => void this.#worker.terminate(), closeMs);
    await this.#exited.promise;
    clearTimeout(timer);
  }

  /** The same, without waiting and without limit of time. */
  leave(): void {
    this.#isAlive = false;
    this.#send({ type: 'close' });
  }

  /** Aborts the job with its signal, and terminates the thread when it does not obey or the job exceeds its deadline. */
  #watch(id: number, { signal, deadlineMs, isLeftOnAbort = false }: JobOptions, reject: Pending['reject']): Disposable {
    const onAbort = (): void => {
      this.#send({ type: 'abort', id });
      if (isLeftOnAbort) {
        this.leave();
        reject(signal.reason);
      } else this.#limitEnd(id, noticeMs);
    };
    const late =
      deadlineMs === undefined
        ? undefined
        : setTimeout(() => this.#terminate(`it took more than ${deadlineMs} ms`), deadlineMs);
    signal.addEventListener('abort', onAbort, { once: true });
    return {
      [Symbol.dispose]: () => {
        clearTimeout(this.#ending.get(id));
        this.#ending.delete(id);
        clearTimeout(late);
        signal.removeEventListener('abort', onAbort);
      },
    };
  }

  /** Ends it as well when it has too much outside of its heap. */
  async measure(): Promise<number | undefined> {
    // One that has ended has no statistics.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (statistics === undefined) return undefined;
    const { total_heap_size: heapBytes, external_memory: outsideBytes } = statistics;
    const { outsideMebibytes: limit = Number.POSITIVE_INFINITY } = this.#options;
    const isBeyond = this.jobCount > 0 && outsideBytes > limit * mebibyte;
    if (isBeyond) this.#terminate(`it reached its memory limit of ${limit} MiB outside of the heap`);
    this.#ownBytes = heapBytes + outsideBytes;
    return this.#ownBytes + this.#innerBytes;
  }

  makeRoom(why: string): void {
    if (this.#innerBytes <= this.#ownBytes) this.#terminate(why);
    else {
      this.#innerBytes = 0;
      this.#send({ type: 'make room' });
    }
  }

  #limitEnd(id: number, ms: number): void {
    clearTimeout(this.#ending.get(id));
    this.#ending.set(
      id,
      setTimeout(() => this.#terminate(`it did not stop within ${ms} ms`), ms),
    );
  }

  #terminate(why: string): void {
    this.#isAlive = false;
    this.#why = why;
    void this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    if (message.type === 'event') this.#options.onEvent?.(message.event);
    else if (message.type === 'memory') this.#innerBytes = message.sizeBytes;
    else if (message.type === 'aborting') this.#notice(message.id);
    else this.#answer(message);
  }

  #answer(message: Extract<FromWorker, { type: 'progress' | 'done' | 'failed' }>): void {
    const pending = this.#pending.get(message.id);
    if (message.type === 'progress') pending?.onProgress?.(message.line);
    else if (message.type === 'done') pending?.resolve(message.result);
    else pending?.reject(unpackError(message.error));
  }

  #notice(id: number): void {
    if (this.#ending.has(id)) this.#limitEnd(id, obeyMs);
  }

  #end(): void {
    this.#isAlive = false;
    this.#counted?.[Symbol.dispose]();
    const error = this.#options.endedError(this.#why === '' ? 'it ended by itself' : this.#why);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#exited.resolve();
    this.#options.onExit?.();
  }
}
