import { type Meta, readCatalogFolder } from '../../src/catalog/index.ts';
import { openWorkFolder, type WorkFolder } from '../oci/work-folder.ts';
import type { OptionValues } from '../options.ts';
import { createProgress, formatBytes, type Progress } from '../progress.ts';

const deadlineMs = 60 * 60_000;

/** What opening a catalog needs of a command. */
export interface OpenOptions {
  /** Those of `registryOptions`. */
  readonly values: OptionValues;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** The documents of a catalog that a person names, as a stream: of a folder.
 *  @throws UnreadableCatalog after the last document · TerminalError NoCatalog */
export async function* openCatalog(name: string, { progress, signal }: OpenOptions): AsyncGenerator<Meta> {
  let read = 0;
  const onBytes = (bytes: number): void => {
    read += bytes;
    progress.show(`reading ${name}  ${formatBytes(read)}`);
  };
  yield* readCatalogFolder(name, { signal, onBytes });
}

/** Runs a command that reads catalogs: gives it what opening them takes, and takes that away in the end. */
export async function withCatalogs<T>(values: OptionValues, task: (options: OpenOptions) => Promise<T>): Promise<T> {
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  return await task({ values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
}
