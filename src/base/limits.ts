const mebibyte = 1024 * 1024;

/** Bounds on what comes from outside. All sizes in bytes. */
export interface ContentLimits {
  readonly manifestBytes: number;
  readonly compressedLayerBytes: number;
  readonly unpackedBytes: number;
  /** Of archives with all that is skipped in them; follows from `unpackedBytes` and `entries` when absent. */
  readonly streamedBytes?: number;
  readonly entries: number;
  readonly pathBytes: number;
  /** Of an archive that is compressed by zstd: what its decoder has in memory. Default: as much as a decoder accepts. */
  readonly windowBytes?: number;
}

export const defaultContentLimits: ContentLimits = Object.freeze({
  manifestBytes: 4 * mebibyte,
  compressedLayerBytes: 512 * mebibyte,
  unpackedBytes: 512 * mebibyte,
  entries: 100_000,
  pathBytes: 4096,
});

/** Of one file in a bundle's `metadata/`: a few lists of short texts, no manifests. */
export const maxMetadataFileBytes: number = mebibyte;
