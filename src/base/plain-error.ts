import { errorMessage, TerminalError, TransientError, WaitingError } from './errors.ts';

/** An error in a form that crosses threads with its class. */
export interface PlainError {
  readonly className: 'TerminalError' | 'TransientError' | 'WaitingError' | 'Error';
  readonly reason: string;
  readonly message: string;
  /** The message of its cause, with more detail than the user sees. */
  readonly cause?: string | undefined;
  readonly afterMs?: number | undefined;
  readonly stack?: string | undefined;
}

/** Keeps class, reason, message and times; a plain error keeps its stack. */
export function packError(thrown: unknown): PlainError {
  const message = errorMessage(thrown);
  if (thrown instanceof TerminalError) return { className: 'TerminalError', reason: thrown.reason, message };
  if (thrown instanceof TransientError) {
    const { reason, retryAfterMs: afterMs } = thrown;
    const cause = thrown.cause === undefined ? undefined : errorMessage(thrown.cause);
    return { className: 'TransientError', reason, message, cause, afterMs };
  }
  if (thrown instanceof WaitingError)
    return { className: 'WaitingError', reason: thrown.reason, message, afterMs: thrown.afterMs };
  return { className: 'Error', reason: 'Bug', message, ...(thrown instanceof Error ? { stack: thrown.stack } : {}) };
}

/** The error that `packError` packed. */
export function unpackError(error: PlainError): Error {
  const { className, reason, message, afterMs, cause } = error;
  switch (className) {
    case 'TerminalError':
      return new TerminalError(reason, message);
    case 'TransientError':
      return new TransientError(reason, message, {
        ...(cause === undefined ? {} : { cause }),
        ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }),
      });
    case 'WaitingError':
      return new WaitingError(reason, message, { afterMs: afterMs ?? 0 });
    case 'Error': {
      const bug = new Error(message);
      if (error.stack !== undefined) bug.stack = error.stack;
      return bug;
    }
    default:
      return className satisfies never;
  }
}
