import { errorMessage, isMachineShortage, TerminalError } from '../../base/index.ts';
import type { Staging } from '../../content/index.ts';
import type { Meta } from '../meta.ts';
import { readDocuments } from './documents.ts';
import { FaultList, UnreadableCatalog } from './faults.ts';
import { readMeta } from './read-meta.ts';
import { stagedTree } from './staged-tree.ts';
import { type CatalogTree, openFolderTree } from './tree.ts';
import { walkCatalog } from './walk.ts';

/** The largest catalogs known have some ten thousand. */
const defaultMaxDocuments = 5_000_000;

/** How a catalog is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with the number of bytes read. */
  readonly onBytes?: (bytes: number) => void;
  /** In the catalog, empty ones included. Default 5,000,000. */
  readonly maxDocuments?: number;
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

/** What one catalog has shown so far. */
interface Progress {
  readonly faults: FaultList;
  /** How many more there may be. */
  documentsLeft: number;
}

function begin({ maxDocuments = defaultMaxDocuments }: ReadOptions): Progress {
  return { faults: new FaultList(), documentsLeft: maxDocuments };
}

async function* metasOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  progress: Progress,
): AsyncGenerator<Meta> {
  const { faults } = progress;
  for await (const document of readDocuments(chunks)) {
    const { line } = document;
    progress.documentsLeft -= 1;
    if (progress.documentsLeft < 0) {
      const message = 'the catalog has more documents than a catalog may have: the rest was not read';
      throw new UnreadableCatalog([{ file, line, message }], 0);
    }
    if ('message' in document) {
      faults.add({ file, line, message: document.message });
      continue;
    }
    // An empty document has no content.
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
  const progress = begin(options);
  const { faults } = progress;
  const files = walkCatalog({ tree, signal: options.signal, onFault: (fault) => faults.add(fault) });
  for await (const segments of files) {
    const name = segments.join('/');
    try {
      yield* metasOf(watched(tree.read(segments), options), name, progress);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      if (thrown instanceof UnreadableCatalog || isMachineShortage(thrown)) throw thrown;
      faults.add({ file: name, message: errorMessage(thrown) });
    }
  }
  faults.throwIfAny();
}

/** The documents of a catalog's folder, file by file in lexical order, as a stream: memory follows the largest document. What can be read
 *  comes first; all that cannot is reported at the end. Symbolic links to files within the folder are followed; those that leave it are faults.
 *  @throws UnreadableCatalog after the last document · TerminalError NoCatalog · Error where the machine lacks something
 *  @see docs/spec/catalogs.md#walking-a-catalog-root, docs/spec/catalogs.md#indexignore, docs/spec/catalogs.md#the-meta-blob */
export async function* readCatalogFolder(root: string, options: ReadOptions = {}): AsyncGenerator<Meta> {
  yield* readTree(await openFolderTree(root), options);
}

/** As `readCatalogFolder`, of files that are staged, such as those of an image; keep the staging area until the end.
 *  @throws UnreadableCatalog after the last document · Error where the machine lacks something, such as room on its disk */
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
  const progress = begin(options);
  yield* metasOf(watched(chunks, options), file, progress);
  progress.faults.throwIfAny();
}
