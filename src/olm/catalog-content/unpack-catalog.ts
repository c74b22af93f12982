import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cutText, makeFolder, normalizePath, TerminalError, TransientError, withDeadline } from '../../base/index.ts';
import { configsLabel, databaseLabel, readCatalogDatabase, readStagedCatalog } from '../../catalog/index.ts';
import { Staging } from '../../content/index.ts';
import { fetchFiles, fetchLabels } from '../images/fetch-files.ts';
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

function isLabelMissing(thrown: unknown): boolean {
  return thrown instanceof TerminalError && thrown.reason === 'LabelMissing';
}

/** Stages the catalog of the image; the name of the file where it is a database, as images had them before.
 *  @throws as `fetchFiles` */
async function stage(job: UnpackJob, staging: Staging, signal: AbortSignal): Promise<string | undefined> {
  const place = job.directory === undefined ? { directoryLabel: configsLabel } : { directory: job.directory };
  try {
    await fetchFiles(job, { staging, ...place }, signal);
    return undefined;
  } catch (thrown) {
    if (!isLabelMissing(thrown)) throw thrown;
    const label = (await fetchLabels(job, signal))[databaseLabel] ?? '';
    const { dir: directory, base } = posix.parse(normalizePath(`/${label}`));
    if (base === '') throw thrown;
    await fetchFiles(job, { staging, directory }, signal);
    return base;
  }
}

/** Copies a staged file: the archive of what is staged is no database. */
async function copyStaged(
  staging: Staging,
  { job, file, signal }: { readonly job: UnpackJob; readonly file: string; readonly signal: AbortSignal },
): Promise<string> {
  const node = staging.tree.get([file]);
  if (node?.kind !== 'file') {
    throw new TerminalError('UnreadableCatalog', `the image has no file ${file}, which label "${databaseLabel}" names`);
  }
  const path = join(job.workDir, 'database');
  await pipeline(staging.streamFile(node), createWriteStream(path, { mode: 0o600 }), { signal });
  return path;
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
      const database = await whileSourcing(() => stage(job, staging, ending));
      if (database === undefined)
        return await indexMetas(readStagedCatalog(staging, { signal: ending }), job.file, ending);
      const path = await copyStaged(staging, { job, file: database, signal: ending });
      return await indexMetas(readCatalogDatabase(path, database), job.file, ending);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'UnreadableCatalog') throw thrown;
      throw new TerminalError(contentFault, `error storing fbc: ${cutText(thrown.message, maxMessageCharacters)}`, {
        cause: thrown,
      });
    } finally {
      await rm(join(workDir, 'database'), { force: true });
    }
  });
}
