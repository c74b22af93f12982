import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../base/index.ts';

/** Calls may end for 10 s after a stop; a thread that has not ended by then is terminated. */
const stopDeadlineMs = 12_000;

/** Where a thread listens. */
export interface ListenAddress {
  /** All addresses when absent. */
  readonly host?: string;
  readonly port: number;
}

/** What a thread is started with. */
export interface RegistryThreadData {
  /** The index of the catalog. */
  readonly file: string;
}

export type ToRegistryThread = { readonly kind: 'listen'; readonly address: ListenAddress } | { readonly kind: 'stop' };

export type FromRegistryThread =
  | { readonly kind: 'opened' | 'listening' }
  | { readonly kind: 'failed call'; readonly fields: Readonly<Record<string, unknown>> };

/** Source files run as they stand, built files as JavaScript. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './registry-worker.ts' : './registry-worker.js', import.meta.url);
}

/** Threads that serve the same catalog on the same port beside the main thread: the kernel distributes connections among them. An uncaught error in one of
 *  them ends the process, as one in the main thread does. */
export class RegistryThreads implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /** @throws Error when a thread ends before it listens */
  async listen(address: ListenAddress): Promise<void> {
    await Promise.all(this.#workers.map((worker) => ask(worker, { kind: 'listen', address }, 'listening')));
  }

  /** Calls that are being answered may end, for a while. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map(stopThread));
  }
}

async function untilSent(worker: Worker, kind: FromRegistryThread['kind']): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onMessage = (message: FromRegistryThread): void => {
    if (message.kind === kind) resolve();
  };
  const onExit = (): void => reject(new Error('a thread of the registry ended before it was ready'));
  worker.on('message', onMessage).once('exit', onExit).once('error', reject);
  try {
    await promise;
  } finally {
    worker.off('message', onMessage).off('exit', onExit).off('error', reject);
  }
}

async function ask(worker: Worker, message: ToRegistryThread, answer: FromRegistryThread['kind']): Promise<void> {
  const answered = untilSent(worker, answer);
  worker.postMessage(message);
  await answered;
}

async function stopThread(worker: Worker): Promise<void> {
  // Of a thread that has ended, nothing is waited for.
  if (worker.threadId === -1) return;
  const late = setTimeout(() => void worker.terminate(), stopDeadlineMs);
  const ended = once(worker, 'exit');
  worker.postMessage({ kind: 'stop' } satisfies ToRegistryThread);
  await ended;
  clearTimeout(late);
}

/** Starts `count` threads, each of which has opened the index when this returns: the file may be removed then.
 *  @throws Error when one of them cannot open it */
export async function openRegistryThreads(file: string, count: number, log: Logger): Promise<RegistryThreads> {
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(workerUrl(), { workerData: { file } satisfies RegistryThreadData, name: 'registry' });
    worker.on('message', (message: FromRegistryThread) => {
      if (message.kind === 'failed call') log.debug(message.fields, 'gRPC call failed');
    });
    return worker;
  });
  try {
    await Promise.all(workers.map((worker) => untilSent(worker, 'opened')));
  } catch (thrown) {
    await Promise.all(workers.map((worker) => worker.terminate()));
    throw thrown;
  }
  return new RegistryThreads(workers);
}
