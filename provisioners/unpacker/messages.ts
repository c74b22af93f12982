import { errorMessage, TerminalError, TransientError, WaitingError } from '../../src/base/index.ts';
import type { InstallTerms, Rendered } from '../../src/formats/index.ts';
import type { BundleIdentity, UnpackedContent, UnpackRequest } from './unpacker.ts';

/** To render what is stored for a Bundle. */
export interface LoadJob {
  readonly kind: 'load';
  readonly bundle: BundleIdentity;
  readonly provisionerClassName: string;
  readonly terms: InstallTerms;
}

/** What a worker thread is asked to do. */
export type Job =
  | { readonly kind: 'unpack'; readonly request: UnpackRequest }
  | LoadJob
  | { readonly kind: 'check'; readonly path: string; readonly provisionerClassName: string }
  | { readonly kind: 'discard'; readonly bundleName: string };

/** What a job gives, as its kind says. */
export type JobResult = UnpackedContent | Rendered | undefined;

/** From the main thread to a worker. */
export type ToWorker =
  | { readonly kind: 'run'; readonly id: number; readonly job: Job }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'granted'; readonly lockId: number }
  | { readonly kind: 'close' };

/** What is counted: a content had to give way; a layer of an image was on disk, or was not. */
export type WorkNews =
  | { readonly what: 'evicted'; readonly sizeBytes: number }
  | { readonly what: 'layer hit' | 'layer miss' };

/** From a worker to the main thread. */
export type FromWorker =
  | { readonly kind: 'done'; readonly id: number; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError }
  | { readonly kind: 'progress'; readonly id: number; readonly line: string }
  | { readonly kind: 'news'; readonly news: WorkNews }
  | { readonly kind: 'acquire'; readonly lockId: number; readonly key: string }
  | { readonly kind: 'release'; readonly lockId: number };

/** An error in a form that crosses threads with its class. */
export interface PlainError {
  readonly className: 'TerminalError' | 'TransientError' | 'WaitingError' | 'Error';
  readonly reason: string;
  readonly message: string;
  /** The message of its cause, for who wants to know more than the user is told. */
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
