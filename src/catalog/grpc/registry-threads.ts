import { type Logger, WorkerThread, workerUrl } from '../../base/index.ts';
import type { ListenAddress } from './grpc-server.ts';

/** Calls may end for 10 s after a stop; a thread that has not ended them by then is terminated. */
const stopDeadlineMs = 12_000;
/** Beside the main thread, which has the heap of the process. */
const heapMebibytes = 512;
const youngHeapMebibytes = 16;

/** What a thread is started with. */
export interface RegistryThreadData {
  /** The index of the catalog. */
  readonly file: string;
}

/** What a thread does: `open` ends when it has opened the index. */
export interface RegistryJobs {
  readonly open: { readonly input: undefined; readonly result: undefined };
  readonly listen: { readonly input: ListenAddress; readonly result: undefined };
  readonly stop: { readonly input: undefined; readonly result: undefined };
}

/** The event of a call that failed: the fields of its log entry. */
export type FailedCall = Readonly<Record<string, unknown>>;

/** One thread. When it ends without being asked to, the process ends as with an uncaught error of its own. */
class RegistryThread {
  readonly #thread: WorkerThread<RegistryJobs>;
  #isServing = false;
  #ended: Error | undefined;

  constructor(file: string, log: Logger) {
    this.#thread = new WorkerThread<RegistryJobs>({
      url: workerUrl(import.meta.url, 'registry-worker'),
      name: 'registry',
      workerData: { file } satisfies RegistryThreadData,
      heapMebibytes,
      youngHeapMebibytes,
      isPermanent: true,
      endedError: (why) => {
        this.#ended = new Error(`a thread of the registry ended: ${why}`);
        return this.#ended;
      },
      onEvent: (fields) => log.debug(fields as FailedCall, 'gRPC call failed'),
      onExit: () => {
        if (this.#isServing && this.#ended !== undefined) throw this.#ended;
      },
    });
  }

  async open(): Promise<void> {
    await this.#thread.run('open', undefined, { signal: new AbortController().signal });
  }

  async listen(address: ListenAddress): Promise<void> {
    await this.#thread.run('listen', address, { signal: new AbortController().signal });
    this.#isServing = true;
  }

  async stop(): Promise<void> {
    this.#isServing = false;
    const options = { signal: new AbortController().signal, deadlineMs: stopDeadlineMs };
    // One that ended, or is terminated, has stopped as well.
    if (this.#thread.isAlive) await this.#thread.run('stop', undefined, options).catch(() => undefined);
    await this.#thread.close();
  }
}

/** Threads that serve the same catalog on the same port beside the main thread: the kernel distributes connections among them. */
export class RegistryThreads implements AsyncDisposable {
  readonly #threads: readonly RegistryThread[];

  constructor(file: string, count: number, log: Logger) {
    this.#threads = Array.from({ length: count }, () => new RegistryThread(file, log));
  }

  /** @throws Error when one of them cannot open the index */
  async open(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.open()));
  }

  /** @throws Error when a thread ends before it listens */
  async listen(address: ListenAddress): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.listen(address)));
  }

  /** Calls that are being answered may end, for a while. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}

/** Starts `count` threads, each of which has opened the index when this returns: the file may be removed then.
 *  @throws Error when one of them cannot open it */
export async function openRegistryThreads(file: string, count: number, log: Logger): Promise<RegistryThreads> {
  const threads = new RegistryThreads(file, count, log);
  try {
    await threads.open();
  } catch (thrown) {
    await threads[Symbol.asyncDispose]();
    throw thrown;
  }
  return threads;
}
