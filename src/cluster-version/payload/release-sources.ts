import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TransientError } from '../../base/index.ts';
import { extractArchive, type Staging, stageFolder } from '../../content/index.ts';

/** A release to retrieve; its version may be unknown, which is an empty text. */
export interface ReleaseName {
  readonly version: string;
  readonly image: string;
}

/** A place that releases come from. */
export interface ReleaseSource {
  /** Stages the directories `manifests` and `release-manifests` of a release.
   *  @returns false when this source does not have the image */
  stage(release: ReleaseName, staging: Staging, signal: AbortSignal): Promise<boolean>;
}

/** Releases on this machine, by the pull spec of their image: folders, or tars of such folders. */
export function localSource(paths: ReadonlyMap<string, string>): ReleaseSource {
  return {
    stage: async ({ image }, staging, signal) => {
      const path = paths.get(image);
      if (path === undefined) return false;
      const facts = await stat(path).catch(() => undefined);
      if (facts === undefined) {
        throw new TransientError(
          'ReleaseMissing',
          `${path}: there is no such file or folder; ${image} is read from it`,
        );
      }
      if (facts.isDirectory()) await stageFolder(path, staging, { signal });
      else await extractArchive(createReadStream(path), staging, { what: path, hasWhiteouts: false, signal });
      return true;
    },
  };
}

/** Stages the files of an image. */
export type FetchImage = (image: string, staging: Staging, signal: AbortSignal) => Promise<void>;

/** Releases in registries. */
export function registrySource(fetch: FetchImage): ReleaseSource {
  return {
    stage: async ({ image }, staging, signal) => {
      await fetch(image, staging, signal);
      return true;
    },
  };
}
