import { existsSync } from 'node:fs';
import type { Meta } from '../../src/catalog/index.ts';
import { readBundleName } from '../oci/bundle-name.ts';
import { openWorkFolder } from '../oci/work-folder.ts';
import type { OptionValues } from '../options.ts';
import { createProgress } from '../progress.ts';
import type { OpenOptions } from './reading.ts';
import { readCatalogService } from './service.ts';
import { readCatalogImage, readCatalogPath, readStandardInput } from './staged-catalog.ts';

const deadlineMs = 60 * 60_000;

/** The documents of a catalog that a person names, as a stream: a folder, a file or tar, an OCI image layout, `-` for standard input, the address of a
 *  catalog that is served, or the reference of an image.
 *  @throws UnreadableCatalog after the last document · TerminalError and TransientError, naming what could not be had */
export async function* openCatalog(name: string, options: OpenOptions): AsyncGenerator<Meta> {
  if (/^https?:\/\//i.test(name) && !existsSync(name)) {
    yield* readCatalogService(name, options);
    return;
  }
  const place = readBundleName(name);
  if (place.kind === 'standard input') yield* readStandardInput(options);
  else if (place.kind === 'path') yield* readCatalogPath(place.path, options);
  else yield* readCatalogImage(place, options);
}

/** Runs a command that reads catalogs: gives it what opening them takes, and takes that away in the end. */
export async function withCatalogs<T>(values: OptionValues, task: (options: OpenOptions) => Promise<T>): Promise<T> {
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  return await task({ values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
}
