import type { Staging } from '../../src/content/index.ts';
import { type PayloadFile, payloadDirectories } from '../../src/release/index.ts';
import { openFilledStaging, type WorkFolder } from '../input/index.ts';

/** The files of a release, staged; both directories are there. */
export async function stagePayload(files: readonly PayloadFile[], work: WorkFolder): Promise<Staging> {
  return await openFilledStaging(work, async (staging) => {
    const layer = staging.beginLayer('release');
    for (const directory of payloadDirectories) layer.addDirectory(directory);
    for (const { directory, name, content } of files) {
      const append = layer.addFile(`${directory}/${name}`, { sizeBytes: content.length, isExecutable: false });
      append(content);
      await layer.relieve();
    }
  });
}
