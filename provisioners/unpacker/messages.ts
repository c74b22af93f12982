import type { BundleIdentity } from './bundle-identity.ts';
import type { ObjectPieces } from './object-pieces.ts';
import type { LoadedContent, LoadRequest, PackedRelease, UnpackedContent, UnpackRequest } from './unpacker.ts';

interface Job<Input, Result> {
  readonly input: Input;
  readonly result: Result;
}

/** To bring back what is kept in the shared store. */
interface RestoreRequest {
  readonly bundle: BundleIdentity;
  readonly storedAt: string;
  readonly expectedDigest: string | undefined;
}

/** Content whose objects are in pieces. */
export type LoadedPieces = Omit<LoadedContent, 'objects'> & { readonly pieces: ObjectPieces };

/** What a worker thread does: each kind of job with its input and its result. */
export interface UnpackerJobs {
  readonly unpack: Job<UnpackRequest, UnpackedContent>;
  readonly load: Job<LoadRequest, LoadedPieces>;
  readonly check: Job<{ readonly path: string; readonly provisionerClassName: string }, undefined>;
  readonly discard: Job<{ readonly bundleName: string }, undefined>;
  readonly restore: Job<RestoreRequest, UnpackedContent | undefined>;
  readonly share: Job<
    { readonly bundle: BundleIdentity; readonly replaced: string | undefined },
    UnpackedContent | undefined
  >;
  readonly shareUpload: Job<{ readonly bundle: BundleIdentity; readonly path: string }, string>;
  readonly unshare: Job<{ readonly uid: string }, string | undefined>;
  readonly listShared: Job<undefined, readonly string[]>;
  readonly releaseObjects: Job<PackedRelease, ObjectPieces>;
  readonly releaseStart: Job<PackedRelease, string>;
  readonly supersedeRelease: Job<PackedRelease, string>;
}

/** What is counted: content that was evicted; a layer of an image that was on disk, or was not; a bundle whose
 *  manifests were parsed; a chart that was rendered. */
export type WorkEvent =
  | { readonly what: 'evicted'; readonly sizeBytes: number }
  | { readonly what: 'layer hit' | 'layer miss' | 'parsed' | 'rendered' };

/** What jobs send to the main thread, which keeps the locks. */
export type UnpackerEvent =
  | { readonly kind: 'work'; readonly event: WorkEvent }
  | { readonly kind: 'acquire'; readonly lockId: number; readonly key: string; readonly sizeBytes: number | undefined }
  | { readonly kind: 'release'; readonly lockId: number };

/** The answer to `acquire`. */
export interface LockGranted {
  readonly lockId: number;
}
