import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TransientError, WaitingError } from '../base/index.ts';
import { extractArchive, type Staging } from '../content/index.ts';
import type { ContentSource, FetchOptions } from './source.ts';

const requeueAfterMs = 60_000;

/** Distinguishes an upload from the next, which replaces the file; undefined when there is none. */
async function identityOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (facts) => (facts.isFile() ? facts.ino : undefined),
    () => undefined,
  );
}

/** Unpacks what was uploaded for a Bundle into the staging area. The answer is the source as it is.
 *  @throws WaitingError UnpackPending while nothing was uploaded · TransientError UploadReplaced · TerminalError of `extractArchive` */
export async function fetchUpload(
  request: {
    readonly source: ContentSource;
    /** Of the uploaded file. */
    readonly path: string;
    readonly staging: Staging;
  },
  options: FetchOptions,
): Promise<ContentSource> {
  const { path, staging, source } = request;
  const identity = await identityOf(path);
  if (identity === undefined) {
    throw new WaitingError('UnpackPending', 'waiting for bundle to be uploaded', { afterMs: requeueAfterMs });
  }
  const archive = createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
  try {
    await extractArchive(archive, staging, { what: 'the upload', hasWhiteouts: false, signal: options.signal });
    staging.assertLinksInside('the upload');
    return source;
  } catch (thrown) {
    if ((await identityOf(path)) === identity) throw thrown;
    throw new TransientError('UploadReplaced', 'replaced by another upload', { cause: thrown });
  }
}
