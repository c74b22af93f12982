/** The inside of a worker thread: jobs come in as messages, several at a time, results go out. Started by `pool.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../src/base/index.ts';
import type { KeyedLocks } from '../../src/content/index.ts';
import { ContentWork } from './content-work.ts';
import { type FromWorker, type ToWorker, type WorkNews } from './messages.ts';
import type { UnpackerSettings } from './settings.ts';

const port = parentPort;

function send(message: FromWorker): void {
  port?.postMessage(message);
}

/** Locks that the main thread keeps, so that they hold across threads. */
class RemoteLocks implements KeyedLocks {
  readonly #waiting = new Map<number, () => void>();
  #lastId = 0;

  async acquire(key: string, { signal }: { readonly signal?: AbortSignal | undefined }): Promise<AsyncDisposable> {
    signal?.throwIfAborted();
    this.#lastId += 1;
    const lockId = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(lockId, resolve);
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    send({ kind: 'acquire', lockId, key });
    try {
      await promise;
    } catch (thrown) {
      send({ kind: 'release', lockId });
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(lockId);
    }
    return { [Symbol.asyncDispose]: () => Promise.resolve(send({ kind: 'release', lockId })) };
  }

  grant(lockId: number): void {
    this.#waiting.get(lockId)?.();
  }
}

const locks = new RemoteLocks();
const running = new Map<number, AbortController>();
const onNews = (news: WorkNews): void => send({ kind: 'news', news });
const opening = ContentWork.open(workerData as UnpackerSettings, { locks, onNews });

async function run({ id, job }: Extract<ToWorker, { kind: 'run' }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const work = await opening;
    const onProgress = (line: string): void => send({ kind: 'progress', id, line });
    send({ kind: 'done', id, result: await work.run(job, { signal: controller.signal, onProgress }) });
  } catch (thrown) {
    send({ kind: 'failed', id, error: packError(thrown) });
  } finally {
    running.delete(id);
  }
}

/** Gives up what is running; without the port, nothing keeps the thread. */
function close(): void {
  for (const controller of running.values()) controller.abort(new Error('aborted'));
  port?.close();
}

opening.catch(() => undefined);
port?.on('message', (message: ToWorker) => {
  if (message.kind === 'granted') locks.grant(message.lockId);
  else if (message.kind === 'abort') running.get(message.id)?.abort(new Error('aborted'));
  else if (message.kind === 'close') close();
  else void run(message);
});
