import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, withDeadline } from '../../base/index.ts';
import { Staging } from '../../content/index.ts';
import { readStagedBundle } from '../../formats/index.ts';
import { fetchFiles } from '../images/fetch-files.ts';
import type { BundleJob } from './bundle-job.ts';
import { writeBundle } from './bundle-store.ts';

/** Fetches an image and stores the objects of the bundle in it.
 *  @throws TerminalError InvalidBundle, those of `fetchImage` · TransientError */
export async function unpackBundle(job: BundleJob, signal: AbortSignal): Promise<{ readonly image: string }> {
  const { workDir, settings, name } = job;
  const options = { deadlineMs: settings.deadlineMs, signal };
  return await withDeadline(`unpack bundle ${name}`, options, async (ending) => {
    makeFolder(workDir, 0o700);
    const spool = join(workDir, 'spool');
    await rm(spool, { force: true });
    await using staging = await Staging.create(spool, settings.limits);
    const image = await fetchFiles(job, { staging, isOperator: true }, ending);
    await writeBundle(job.file, await readStagedBundle(name, staging));
    return { image };
  });
}
