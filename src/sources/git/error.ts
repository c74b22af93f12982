import { errorMessage, TerminalError, TransientError } from '../../base/index.ts';

function withText(thrown: unknown, text: string): TerminalError | TransientError {
  if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, text, { cause: thrown });
  const { reason, retryAfterMs } = thrown instanceof TransientError ? thrown : { reason: 'CloneFailed' };
  return new TransientError(reason, text, {
    cause: thrown,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The error of a clone, in the reference's words: final where repeating it cannot help. */
export function cloneError(thrown: unknown): TerminalError | TransientError {
  return withText(thrown, `bundle unpack git clone error: ${errorMessage(thrown)}`);
}

/** The error of a commit that the repository does not have. */
export function commitError(commit: string, thrown: unknown): TerminalError | TransientError {
  return withText(thrown, `checkout commit "${commit}": ${errorMessage(thrown)}`);
}
