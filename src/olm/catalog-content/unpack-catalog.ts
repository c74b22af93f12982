import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cutText,
  errorMessage,
  makeFolder,
  systemClock,
  TerminalError,
  TransientError,
  withDeadline,
} from '../../base/index.ts';
import { configsLabel, readStagedCatalog } from '../../catalog/index.ts';
import { createLocks, Staging } from '../../content/index.ts';
import {
  createHttpClient,
  fetchImage,
  imagePullBackOff,
  LayerCache,
  parsePlatform,
  RateLimits,
} from '../../sources/index.ts';
import { indexMetas } from './index-metas.ts';
import { contentFault, type UnpackedCatalog, type UnpackJob } from './unpack-job.ts';

/** Layers that a try leaves for the next one. */
const layerCacheBytes = 2 * 1024 ** 3;
/** Of all that is wrong with a catalog, in the message of one condition. */
const maxMessageCharacters = 4000;

/** The message for a missing tag lacks the response of the registry. */
function backOffCause(thrown: unknown): string {
  const isBackOff = thrown instanceof TransientError && thrown.reason === imagePullBackOff;
  return isBackOff && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : '';
}

function prefixed(prefix: string, thrown: unknown): unknown {
  const message = `${prefix}${errorMessage(thrown)}${backOffCause(thrown)}`;
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

/** Stages the files of the catalog. */
async function fetchFiles(job: UnpackJob, staging: Staging, signal: AbortSignal): Promise<void> {
  const { settings, workDir } = job;
  const { insecureRegistries, registryCaPem, proxies, answerDeadlineMs } = settings;
  const clock = systemClock;
  const deps = {
    http: createHttpClient({ caPem: registryCaPem, proxies, answerDeadlineMs }),
    clock,
    cache: new LayerCache({ dir: join(workDir, 'layers'), maxBytes: layerCacheBytes, locks: createLocks() }),
    limits: new RateLimits(clock),
    insecureRegistries,
    platform: parsePlatform(settings.platform),
  };
  const { pullSecrets, mirrors, policy, askedRef: firstRef, isKnown } = job;
  const source = { type: 'image', image: { ref: job.ref } };
  const place = job.directory === undefined ? { directoryLabel: configsLabel } : { directory: job.directory };
  const known = { policy, firstRef, isKnown, ...place };
  await fetchImage(deps, { source, pullSecrets, mirrors, ...known, staging }, { signal });
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
      await whileSourcing(() => fetchFiles(job, staging, ending));
      return await indexMetas(readStagedCatalog(staging, { signal: ending }), job.file, ending);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'UnreadableCatalog') throw thrown;
      throw new TerminalError(contentFault, `error storing fbc: ${cutText(thrown.message, maxMessageCharacters)}`, {
        cause: thrown,
      });
    }
  });
}
