import { mapLimit, TerminalError } from '../../../src/base/index.ts';
import type { ImageManifest } from '../../../src/sources/index.ts';
import type { ManifestNames, MirroredBlob, MirrorSource, MirrorTarget } from './places.ts';

/** What was copied, or would be. */
export interface CopyCounts {
  copiedBlobs: number;
  copiedBytes: number;
  /** Blobs and whole images that the target had. */
  known: number;
}

interface Copy {
  readonly source: MirrorSource;
  readonly target: MirrorTarget;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  readonly onBlob: (blob: MirroredBlob) => void;
}

/** An image to be copied. */
export interface CopiedImage {
  /** For messages. */
  readonly what: string;
  readonly digest: string;
  readonly names: ManifestNames;
}

const blobsAtATime = 4;
/** Indexes of images, and an index of indexes. */
const maxDepth = 3;

async function copyBlobs({ blobs }: ImageManifest, copy: Copy, counts: CopyCounts): Promise<void> {
  const distinct = [...new Map(blobs.map((blob) => [blob.digest, blob])).values()];
  await mapLimit(distinct, blobsAtATime, async (blob) => {
    if (await copy.target.hasBlob(blob)) {
      counts.known += 1;
      return;
    }
    copy.onBlob(blob);
    if (!copy.isDryRun) await copy.target.putBlob(blob, copy.source);
    counts.copiedBlobs += 1;
    counts.copiedBytes += blob.sizeBytes;
  });
}

async function copyAt(image: CopiedImage, copy: Copy, depth: number): Promise<CopyCounts> {
  const counts: CopyCounts = { copiedBlobs: 0, copiedBytes: 0, known: 0 };
  if (depth > maxDepth) {
    throw new TerminalError('InvalidManifest', `${image.what}: indexes nested deeper than ${maxDepth} levels`);
  }
  if (await copy.target.hasManifest(image.digest)) {
    counts.known += 1;
    if (image.names.tag === undefined || copy.isDryRun) return counts;
    await copy.target.putManifest(await copy.source.manifest(image.digest), image.names);
    return counts;
  }
  await copyManifest({ ...image, manifest: await copy.source.manifest(image.digest) }, { copy, counts, depth });
  return counts;
}

interface Walk {
  readonly copy: Copy;
  readonly counts: CopyCounts;
  readonly depth: number;
}

function add(counts: CopyCounts, more: CopyCounts): void {
  counts.copiedBlobs += more.copiedBlobs;
  counts.copiedBytes += more.copiedBytes;
  counts.known += more.known;
}

/** The manifest comes after all that it refers to. */
async function copyManifest(
  { what, names, manifest }: Omit<CopiedImage, 'digest'> & { readonly manifest: ImageManifest },
  { copy, counts, depth }: Walk,
): Promise<void> {
  for (const { digest } of manifest.manifests) add(counts, await copyAt({ what, digest, names: {} }, copy, depth + 1));
  await copyBlobs(manifest, copy, counts);
  if (!copy.isDryRun) await copy.target.putManifest(manifest, names);
}

/** Copies an image, or an index with all its images, byte for byte: digests stay the same; and what cosign has attached to it. A manifest is written after all that it refers to, so that
 *  what a target has is whole, and an interrupted copy continues with what is missing.
 *  @throws TerminalError InvalidManifest and those of the places */
export async function copyImage(image: CopiedImage, copy: Copy): Promise<CopyCounts> {
  const counts = await copyAt(image, copy, 1);
  for (const { tag, manifest } of await copy.source.signatures(image.digest)) {
    await copyManifest({ what: `${image.what}, signatures`, names: { tag }, manifest }, { copy, counts, depth: 1 });
  }
  return counts;
}
