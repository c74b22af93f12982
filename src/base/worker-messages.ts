import type { PlainError } from './plain-error.ts';

/** The kinds of jobs that a thread does: what each takes, and what it gives. All of it is plain data. */
export type JobTypes<Jobs> = { readonly [Kind in keyof Jobs]: { readonly input: unknown; readonly result: unknown } };

/** From the main thread to a worker thread. */
export type ToWorker =
  | { readonly type: 'run'; readonly id: number; readonly kind: string; readonly input: unknown }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'notice'; readonly notice: unknown }
  /** The thread that it has started, and which has the most memory, is to end. */
  | { readonly type: 'make room' }
  | { readonly type: 'close' };

/** From a worker thread to the main thread. */
export type FromWorker =
  | { readonly type: 'done'; readonly id: number; readonly result: unknown }
  /** It knows that the job was aborted. */
  | { readonly type: 'aborting'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly error: PlainError }
  /** What the threads have that it has started. */
  | { readonly type: 'memory'; readonly sizeBytes: number }
  | { readonly type: 'progress'; readonly id: number; readonly line: string }
  | { readonly type: 'event'; readonly event: unknown };
