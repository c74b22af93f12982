interface ErrorOptionsWithCause {
  readonly cause?: unknown;
}

abstract class PlatformError extends Error {
  /** CamelCase; becomes the reason of the condition that reports this error. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptionsWithCause) {
    super(message, options);
    this.reason = reason;
    this.name = new.target.name;
  }
}

/** Worth trying again: the caller backs off and retries. */
export class TransientError extends PlatformError {
  /** The server's own wish (for instance `Retry-After`), where it gave one. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options?: ErrorOptionsWithCause & { readonly retryAfterMs?: number }) {
    super(reason, message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** Not a fault: something else has to happen first. Look again after `afterMs`, or when a watch says so. */
export class WaitingError extends PlatformError {
  readonly afterMs: number;

  constructor(reason: string, message: string, options: ErrorOptionsWithCause & { readonly afterMs: number }) {
    super(reason, message, options);
    this.afterMs = options.afterMs;
  }
}

/** Final until the object's spec, or what it refers to, changes. */
export class TerminalError extends PlatformError {}

/** The text of anything that was thrown, for a message to the user; never `{}` or `[object Object]`. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(errorMessage).join('; ');
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
}
