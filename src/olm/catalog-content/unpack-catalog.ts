import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cutText, makeFolder, TerminalError, TransientError, withDeadline } from '../../base/index.ts';
import { configsLabel, readStagedCatalog } from '../../catalog/index.ts';
import { Staging } from '../../content/index.ts';
import { fetchFiles } from '../images/fetch-files.ts';
import { indexMetas } from './index-metas.ts';
import { pullFailureText } from './pull-failure.ts';
import { contentFault, type UnpackedCatalog, type UnpackJob } from './unpack-job.ts';

/** Of all that is wrong with a catalog, in the message of one condition. */
const maxMessageCharacters = 4000;

function prefixed(prefix: string, thrown: unknown): unknown {
  const message = `${prefix}${pullFailureText(thrown)}`;
  if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, message, { cause: thrown });
  if (!(thrown instanceof TransientError)) return thrown;
  const { retryAfterMs } = thrown;
  return new TransientError(thrown.reason, message, {
    cause: thrown,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Adds where content comes from to what went wrong there. */
export async function whileSourcing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw prefixed('source catalog content: ', thrown);
  }
}

/** Fetches the image's directory of the catalog and makes the index of it; violations of the rules of catalogs are reported, and indexed all the same.
 *  @throws TerminalError CatalogContentFault when it cannot be read, LabelMissing, and those of `fetchImage` · TransientError */
export async function unpackCatalog(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  const { workDir, settings } = job;
  const options = { deadlineMs: settings.deadlineMs, signal };
  return await withDeadline(`unpack catalog ${job.ref}`, options, async (ending) => {
    makeFolder(workDir, 0o700);
    const spool = join(workDir, 'spool');
    await rm(spool, { force: true });
    await using staging = await Staging.create(spool, settings.limits);
    try {
      const place = job.directory === undefined ? { directoryLabel: configsLabel } : { directory: job.directory };
      await whileSourcing(() => fetchFiles(job, { staging, ...place }, ending));
      return await indexMetas(readStagedCatalog(staging, { signal: ending }), job.file, ending);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'UnreadableCatalog') throw thrown;
      throw new TerminalError(contentFault, `error storing fbc: ${cutText(thrown.message, maxMessageCharacters)}`, {
        cause: thrown,
      });
    }
  });
}
