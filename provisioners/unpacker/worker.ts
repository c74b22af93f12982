/** The inside of a worker thread of the unpacker. Started by `pool.ts`. */
import { workerData } from 'node:worker_threads';
import { sendEvent, serveJobs } from '../../src/base/index.ts';
import type { KeyedLocks, LockWait } from '../../src/content/index.ts';
import { ContentWork } from './content-work.ts';
import type { LockGranted, UnpackerEvent, UnpackerJobs, WorkEvent } from './messages.ts';
import type { UnpackerSettings } from './settings.ts';

function send(event: UnpackerEvent): void {
  sendEvent(event);
}

/** Locks that the main thread keeps, so that they hold across threads. */
class RemoteLocks implements KeyedLocks {
  readonly #waiting = new Map<number, () => void>();
  #lastId = 0;

  async acquire(key: string, { signal, sizeBytes }: LockWait): Promise<AsyncDisposable> {
    signal?.throwIfAborted();
    this.#lastId += 1;
    const lockId = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(lockId, resolve);
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    send({ kind: 'acquire', lockId, key, sizeBytes });
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
const onWork = (event: WorkEvent): void => send({ kind: 'work', event });
const opening = ContentWork.open(workerData as UnpackerSettings, { locks, onWork });

serveJobs<UnpackerJobs>(
  opening.then((work) => work.handlers()),
  (granted) => locks.grant((granted as LockGranted).lockId),
);
