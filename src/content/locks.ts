/** Makes one caller at a time do something by a key, in whatever thread it runs. */
export interface KeyedLocks {
  /** Waits until the key is free and takes it; dispose the result to free it.
   *  @throws the signal's reason when aborted while waiting */
  acquire(key: string, options: { readonly signal?: AbortSignal | undefined }): Promise<AsyncDisposable>;
}

/** Locks among the callers of one thread, first come, first served. */
export function createLocks(): KeyedLocks {
  const tails = new Map<string, Promise<void>>();
  return {
    async acquire(key, { signal }) {
      const before = tails.get(key) ?? Promise.resolve();
      const { promise: freed, resolve: free } = Promise.withResolvers<void>();
      const tail = before.then(() => freed);
      tails.set(key, tail);
      const release = (): void => {
        free();
        if (tails.get(key) === tail) tails.delete(key);
      };
      try {
        await abortable(before, signal);
      } catch (thrown) {
        release();
        throw thrown;
      }
      return { [Symbol.asyncDispose]: () => Promise.resolve(release()) };
    },
  };
}

async function abortable(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (signal === undefined) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
