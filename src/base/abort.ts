import { longestTimerMs } from './clock.ts';
import { TransientError } from './errors.ts';

/** Runs `work` with a signal that ends after `deadlineMs` or with `signal`, whichever comes first, as long as `work` runs. Nothing of it is
 *  left afterwards, neither a timer nor a listener.
 *  @throws TransientError `DeadlineExceeded` naming `what`, when the deadline was the cause */
export async function withDeadline<T>(
  what: string,
  options: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { deadlineMs, signal: outer } = options;
  const stop = new AbortController();
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      stop.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    },
    Math.min(deadlineMs, longestTimerMs),
  );
  timer.unref();
  const onAbort = (): void => stop.abort(outer?.reason);
  if (outer?.aborted === true) onAbort();
  else outer?.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(stop.signal);
  } catch (thrown) {
    if (isLate && outer?.aborted !== true) {
      throw new TransientError('DeadlineExceeded', `${what}: no answer within ${deadlineMs / 1000} s`, {
        cause: thrown,
      });
    }
    throw thrown;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }
}

/** Like `Promise.all` over `items`, at most `limit` at a time, in order of the results. After a failure nothing more is begun, and the first
 *  failure is thrown once what was under way has ended: a caller that cleans up, or rolls back, meets no work of before. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
