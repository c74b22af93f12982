import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageManifest, ImageRepository } from '../../../src/sources/index.ts';
import type { ManifestNames, MirroredBlob, MirrorSource, MirrorTarget } from './places.ts';

/** A repository that images are copied from. */
export function repositorySource(repository: ImageRepository): MirrorSource {
  return {
    manifest: (digest) => repository.manifest(digest),
    signatures: (digest) => repository.signatures(digest),
    blobFile: async (blob, scratchPath) => {
      await repository.fetchBlob(blob, scratchPath);
      return scratchPath;
    },
  };
}

/** A repository that images are copied to; blobs lie in `folder` on the way. */
export function repositoryTarget(repository: ImageRepository, folder: string): MirrorTarget {
  return {
    hasManifest: (digest) => repository.hasManifest(digest),
    hasBlob: ({ digest }) => repository.hasBlob(digest),
    putBlob: async (blob: MirroredBlob, source: MirrorSource) => {
      const scratch = join(folder, blob.digest.replace(':', '-'));
      const path = await source.blobFile(blob, scratch);
      await repository.pushBlob({ ...blob, open: () => createReadStream(path) });
      await rm(scratch, { force: true });
    },
    putManifest: (manifest: ImageManifest, { tag }: ManifestNames) => repository.pushManifest(manifest, tag),
  };
}
