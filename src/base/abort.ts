import { TransientError } from './errors.ts';

/** Runs `work` with a signal that ends after `deadlineMs` or with `signal`, whichever comes first.
 *  @throws TransientError `DeadlineExceeded` naming `what`, when the deadline was the cause */
export async function withDeadline<T>(
  what: string,
  options: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(options.deadlineMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  try {
    return await work(signal);
  } catch (thrown) {
    if (timeout.aborted && options.signal?.aborted !== true) {
      throw new TransientError('DeadlineExceeded', `${what}: no answer within ${options.deadlineMs / 1000} s`, {
        cause: thrown,
      });
    }
    throw thrown;
  }
}

/** Like `Promise.all` over `items`, at most `limit` at a time, in order of the results; stops at the first failure. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (thrown) {
        failed = true;
        throw thrown;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
