import { type Clock, TransientError } from '../base/index.ts';

const attempts = 4;
const firstDelayMs = 200;
const longestDelayMs = 10_000;

/** Runs `work` up to four times while it fails with a retriable TransientError; waits longer each time, with jitter,
 *  and as long as the server asked for, at most 10 s. Deadlines are not tried again: they were waited for long enough. */
export async function withRetries<T>(
  options: { readonly clock: Clock; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      const isWorthIt = thrown instanceof TransientError && retriedReasons.has(thrown.reason);
      if (!isWorthIt || attempt >= attempts || !isPassing(thrown)) throw thrown;
      const delayMs = thrown.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      await options.clock.sleep(Math.min(delayMs, longestDelayMs), { signal: options.signal });
    }
  }
}

const retriedReasons: ReadonlySet<string> = new Set(['ServerUnavailable', 'TransferBroken']);
const lastingCodes = /^(ENOTFOUND|EPROTO|ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** Wrong names and certificates are not fixed within seconds. */
function isPassing(thrown: TransientError): boolean {
  const code = thrown.cause instanceof Error ? ((thrown.cause as NodeJS.ErrnoException).code ?? '') : '';
  return !lastingCodes.test(code);
}
