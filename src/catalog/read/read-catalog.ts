import { errorMessage, TerminalError } from '../../base/index.ts';
import type { Staging } from '../../content/index.ts';
import type { Meta } from '../meta.ts';
import { readDocuments } from './documents.ts';
import { FaultList } from './faults.ts';
import { readMeta } from './read-meta.ts';
import { stagedTree } from './staged-tree.ts';
import { type CatalogTree, openFolderTree } from './tree.ts';
import { walkCatalog } from './walk.ts';

/** How a catalog is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told now and then how many bytes were read. */
  readonly onBytes?: (bytes: number) => void;
}

async function* watched(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { signal, onBytes }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    onBytes?.(chunk.length);
    yield chunk;
  }
}

async function* metasOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  faults: FaultList,
): AsyncGenerator<Meta> {
  for await (const document of readDocuments(chunks)) {
    const { line } = document;
    if ('message' in document) {
      faults.add({ file, line, message: document.message });
      continue;
    }
    // An empty document says nothing.
    if (document.value === null) continue;
    let meta: Meta;
    try {
      meta = readMeta(document.value, document.syntax, { file, line });
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      faults.add({ file, line, message: thrown.message });
      continue;
    }
    yield meta;
  }
}

async function* readTree(tree: CatalogTree, options: ReadOptions): AsyncGenerator<Meta> {
  const faults = new FaultList();
  const files = walkCatalog({ tree, signal: options.signal, onFault: (fault) => faults.add(fault) });
  for await (const segments of files) {
    const name = segments.join('/');
    try {
      yield* metasOf(watched(tree.read(segments), options), name, faults);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      faults.add({ file: name, message: errorMessage(thrown) });
    }
  }
  faults.throwIfAny();
}

/** The documents of a catalog's folder, file by file in lexical order, as a stream: memory follows the largest document. What can be read
 *  comes first; all that cannot is reported at the end. Symbolic links to files within the folder are followed; those that leave it are faults.
 *  @throws UnreadableCatalog after the last document · TerminalError NoCatalog
 *  @see docs/spec/catalogs.md#walking-a-catalog-root, docs/spec/catalogs.md#indexignore, docs/spec/catalogs.md#the-meta-blob */
export async function* readCatalogFolder(root: string, options: ReadOptions = {}): AsyncGenerator<Meta> {
  yield* readTree(await openFolderTree(root), options);
}

/** As `readCatalogFolder`, of files that are staged, such as those of an image; keep the staging area until the end.
 *  @throws UnreadableCatalog after the last document */
export function readStagedCatalog(staging: Staging, options: ReadOptions = {}): AsyncGenerator<Meta> {
  return readTree(stagedTree(staging), options);
}

/** The documents of one stream, such as JSON lines; `file` names it in places of findings.
 *  @throws UnreadableCatalog after the last document */
export async function* readCatalogStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  options: ReadOptions = {},
): AsyncGenerator<Meta> {
  const faults = new FaultList();
  yield* metasOf(watched(chunks, options), file, faults);
  faults.throwIfAny();
}
