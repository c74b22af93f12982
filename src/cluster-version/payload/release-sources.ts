import { stat } from 'node:fs/promises';
import { TransientError } from '../../base/index.ts';
import { type Staging, stageFolder } from '../../content/index.ts';

/** A place that releases come from. */
export interface ReleaseSource {
  /** Stages the directories `manifests` and `release-manifests` of a release.
   *  @returns false when this source does not have the image */
  stage(image: string, staging: Staging, signal: AbortSignal): Promise<boolean>;
}

/** Releases in folders of this machine, by the pull spec of their image. */
export function folderSource(folders: ReadonlyMap<string, string>): ReleaseSource {
  return {
    stage: async (image, staging, signal) => {
      const folder = folders.get(image);
      if (folder === undefined) return false;
      const facts = await stat(folder).catch(() => undefined);
      if (facts?.isDirectory() !== true) {
        throw new TransientError(
          'ReleaseFolderMissing',
          `${folder}: there is no such folder; ${image} is read from it`,
        );
      }
      await stageFolder(folder, staging, { signal });
      return true;
    },
  };
}
