import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Meta, readCatalogFolder } from '../../src/catalog/index.ts';
import { pathKind } from '../input/index.ts';
import { countBytes, type OpenOptions } from './reading.ts';

/** The size of a folder's files, for a progress bar: 0 without a terminal. */
async function sizeOf(folder: string): Promise<number> {
  if (!process.stderr.isTTY) return 0;
  let total = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return total;
}

/** The catalog at a path: a folder, a file of documents, a tar, or an OCI image layout. For a folder neither archives nor image sources are loaded.
 *  @throws UnreadableCatalog · TerminalError NotFound, InvalidLayout, LabelMissing and those of `extractArchive` */
export async function* readCatalogPath(path: string, options: OpenOptions): AsyncGenerator<Meta> {
  const kind = await pathKind(path);
  if (kind === 'folder') {
    const onBytes = countBytes(path, { ...options, total: await sizeOf(path).catch(() => 0) });
    yield* readCatalogFolder(path, { signal: options.signal, onBytes });
    return;
  }
  const { readCatalogFile, readCatalogLayout } = await import('./staged-catalog.ts');
  yield* kind === 'layout folder' ? readCatalogLayout(path, options) : readCatalogFile(path, options);
}
