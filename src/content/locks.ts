/** How a caller waits. */
export interface LockWait {
  readonly signal?: AbortSignal | undefined;
  /** What the caller works on: smaller work goes first. Default 0. */
  readonly sizeBytes?: number;
}

/** Makes one caller at a time do something by a key, in whatever thread it runs. */
export interface KeyedLocks {
  /** Waits until the key is free and takes it; dispose the result to free it.
   *  @throws the signal's reason when aborted while waiting */
  acquire(key: string, wait: LockWait): Promise<AsyncDisposable>;
}

/** What is smaller by a mebibyte goes before what has waited ten seconds longer; nothing is overtaken by what comes after the longest. */
const msPerByte = 10_000 / 1024 ** 2;
const longestMs = 5 * 60_000;

interface Waiter {
  /** When its turn is due. */
  readonly dueMs: number;
  readonly grant: () => void;
}

function enqueue(queue: Waiter[], waiter: Waiter): void {
  const index = queue.findIndex(({ dueMs }) => dueMs > waiter.dueMs);
  queue.splice(index === -1 ? queue.length : index, 0, waiter);
}

async function turnIn(queue: Waiter[], { signal, sizeBytes = 0 }: LockWait): Promise<void> {
  const { promise, resolve: grant, reject } = Promise.withResolvers<void>();
  const waiter: Waiter = { dueMs: performance.now() + Math.min(sizeBytes * msPerByte, longestMs), grant };
  const onAbort = (): void => {
    const index = queue.indexOf(waiter);
    if (index !== -1) queue.splice(index, 1);
    reject(signal?.reason as Error);
  };
  enqueue(queue, waiter);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Locks among the callers of one thread: first come, first served among those of one size. */
export function createLocks(): KeyedLocks {
  /** Who waits for each key that is taken. */
  const taken = new Map<string, Waiter[]>();
  return {
    async acquire(key, wait) {
      wait.signal?.throwIfAborted();
      const queue = taken.get(key);
      if (queue === undefined) taken.set(key, []);
      else await turnIn(queue, wait);
      let isHeld = true;
      const release = (): void => {
        if (!isHeld) return;
        isHeld = false;
        const next = taken.get(key)?.shift();
        if (next === undefined) taken.delete(key);
        else next.grant();
      };
      return { [Symbol.asyncDispose]: () => Promise.resolve(release()) };
    },
  };
}
