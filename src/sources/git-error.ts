import { errorMessage, TerminalError, TransientError } from '../base/index.ts';

/** Statuses that say that no repetition helps: the server knows who asks, or wants to. */
const deniedStatuses: ReadonlySet<unknown> = new Set([401, 403]);

function statusOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return undefined;
  const { code, data } = thrown as { code?: unknown; data?: { statusCode?: unknown } };
  return code === 'HttpError' ? data?.statusCode : undefined;
}

/** The error of a clone, in the reference's words: final where the credentials were refused, else worth another try. */
export function cloneError(thrown: unknown): TerminalError | TransientError {
  const text = `bundle unpack git clone error: ${errorMessage(thrown)}`;
  if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, text, { cause: thrown });
  if (deniedStatuses.has(statusOf(thrown))) return new TerminalError('Unauthorized', text, { cause: thrown });
  const reason = thrown instanceof TransientError ? thrown.reason : 'CloneFailed';
  return new TransientError(reason, text, { cause: thrown });
}

/** The error of a commit that could not be had. */
export function commitError(commit: string, thrown: unknown): TerminalError | TransientError {
  const text = `checkout commit "${commit}": ${errorMessage(thrown)}`;
  if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, text, { cause: thrown });
  return new TransientError('CloneFailed', text, { cause: thrown });
}
