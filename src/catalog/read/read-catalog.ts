import { open } from 'node:fs/promises';
import { errorMessage, TerminalError } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { readDocuments } from './documents.ts';
import { FaultList } from './faults.ts';
import { readMeta } from './read-meta.ts';
import { walkCatalog } from './walk.ts';

const chunkBytes = 1024 * 1024;

/** How a catalog is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told now and then how many bytes were read. */
  readonly onBytes?: (bytes: number) => void;
}

async function* chunksOf(path: string, { signal, onBytes }: ReadOptions): AsyncGenerator<Uint8Array> {
  await using file = await open(path, 'r');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes);
    if (bytesRead === 0) return;
    onBytes?.(bytesRead);
    yield buffer.subarray(0, bytesRead);
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

/** The documents of a catalog's folder, file by file in lexical order, as a stream: memory follows the largest document. What can be read
 *  comes first; whatever cannot is told at the end, all of it.
 *  @throws UnreadableCatalog after the last document · TerminalError NoCatalog
 *  @see catalogs-and-resolution.md, sections 1.1 to 1.3 */
export async function* readCatalogFolder(root: string, options: ReadOptions = {}): AsyncGenerator<Meta> {
  const faults = new FaultList();
  const files = walkCatalog(root, { signal: options.signal, onFault: (fault) => faults.add(fault) });
  for await (const { name, path } of files) {
    try {
      yield* metasOf(chunksOf(path, options), name, faults);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      faults.add({ file: name, message: errorMessage(thrown) });
    }
  }
  faults.throwIfAny();
}

/** The documents of one stream, such as JSON lines; `file` names it where places are told.
 *  @throws UnreadableCatalog after the last document */
export async function* readCatalogStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
): AsyncGenerator<Meta> {
  const faults = new FaultList();
  yield* metasOf(chunks, file, faults);
  faults.throwIfAny();
}
