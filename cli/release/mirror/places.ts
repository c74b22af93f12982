import type { ImageManifest, TaggedManifest } from '../../../src/sources/index.ts';

/** A blob, as manifests refer to it. */
export interface MirroredBlob {
  readonly digest: string;
  readonly sizeBytes: number;
}

/** By what a manifest is found, besides its digest. */
export interface ManifestNames {
  readonly tag?: string;
  /** Version of the release that the image is. */
  readonly version?: string;
}

/** Where images come from. */
export interface MirrorSource {
  readonly manifest: (digest: string) => Promise<ImageManifest>;
  /** What cosign has attached to an image, with the tags by which it is found. */
  readonly signatures: (digest: string) => Promise<readonly TaggedManifest[]>;
  /** A file with the blob, verified: `scratchPath`, where a broken transfer is continued, or a file that must stay as it is. */
  readonly blobFile: (blob: MirroredBlob, scratchPath: string) => Promise<string>;
}

/** Where images go. What is there already is not copied again. */
export interface MirrorTarget {
  readonly hasManifest: (digest: string) => Promise<boolean>;
  readonly hasBlob: (blob: MirroredBlob) => Promise<boolean>;
  readonly putBlob: (blob: MirroredBlob, source: MirrorSource) => Promise<void>;
  /** After all that the manifest refers to. */
  readonly putManifest: (manifest: ImageManifest, names: ManifestNames) => Promise<void>;
}
