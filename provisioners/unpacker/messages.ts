import type { PlainError } from '../../src/base/index.ts';
import type { BundleIdentity } from './bundle-identity.ts';
import type { LoadedContent, LoadRequest, UnpackedContent, UnpackRequest } from './unpacker.ts';

/** To render what is stored for a Bundle. */
export interface LoadJob extends LoadRequest {
  readonly kind: 'load';
}

/** To bring back what is kept in the shared store. */
export interface RestoreJob {
  readonly kind: 'restore';
  readonly bundle: BundleIdentity;
  readonly storedAt: string;
  readonly expectedDigest: string | undefined;
}

/** What a worker thread is asked to do. */
export type Job =
  | { readonly kind: 'unpack'; readonly request: UnpackRequest }
  | LoadJob
  | { readonly kind: 'check'; readonly path: string; readonly provisionerClassName: string }
  | { readonly kind: 'discard'; readonly bundleName: string }
  | RestoreJob
  | { readonly kind: 'share'; readonly bundle: BundleIdentity; readonly replaced: string | undefined }
  | { readonly kind: 'share upload'; readonly bundle: BundleIdentity; readonly path: string }
  | { readonly kind: 'unshare'; readonly uid: string }
  | { readonly kind: 'list shared' };

/** What a job gives, as its kind says. */
export type JobResult = UnpackedContent | LoadedContent | string | readonly string[] | undefined;

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
