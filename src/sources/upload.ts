import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { WaitingError } from '../base/index.ts';
import { extractArchive, type Staging } from '../content/index.ts';
import type { ContentSource, FetchOptions } from './source.ts';

const lookAgainMs = 60_000;

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/** Unpacks what was uploaded for a Bundle into the staging area. The answer is the source as it is.
 *  @throws WaitingError UnpackPending while nothing was uploaded · TerminalError of `extractArchive` */
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
  if (!(await isThere(path))) {
    throw new WaitingError('UnpackPending', 'waiting for bundle to be uploaded', { afterMs: lookAgainMs });
  }
  const archive = createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
  await extractArchive(archive, staging, { what: 'the upload', hasWhiteouts: false, signal: options.signal });
  staging.assertLinksInside('the upload');
  return source;
}
