import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatYamlPieces, goQuote, type JsonObject, makeFolder, TerminalError } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { MetaSpool, type OrderedMeta } from './meta-spool.ts';

/** How documents are written. */
export interface WriteOptions {
  readonly format: 'json' | 'yaml';
  /** What becomes of each document; undefined: it is left out. Asked when all of the catalog was read. */
  readonly change?: (document: OrderedMeta) => JsonObject | undefined;
}

type Metas = AsyncIterable<Meta> | Iterable<Meta>;

async function spool(metas: Metas): Promise<MetaSpool> {
  await using stack = new AsyncDisposableStack();
  const made = stack.use(await MetaSpool.create());
  for await (const meta of metas) await made.add(meta);
  stack.move();
  return made;
}

/** The documents in their order, as they are to be written. */
async function* changed(documents: MetaSpool, { change }: WriteOptions): AsyncGenerator<OrderedMeta> {
  for await (const document of documents.inOrder()) {
    const value = change === undefined ? document.value : change(document);
    if (value !== undefined) yield { ...document, value };
  }
}

function* piecesOf({ value }: OrderedMeta, { format }: WriteOptions): Generator<string> {
  if (format === 'json') {
    yield `${JSON.stringify(value, null, 4)}\n`;
    return;
  }
  yield '---\n';
  yield* formatYamlPieces(value);
}

/** The text of a catalog, in pieces: package by package, in each the package, its channels and bundles by name, what has other schemas, its
 *  deprecations; then what has no package. Nothing is dropped, keys are sorted. Memory follows the largest document.
 *  @see docs/spec/catalogs.md#writing */
export async function* writeCatalog(metas: Metas, options: WriteOptions): AsyncGenerator<string> {
  await using documents = await spool(metas);
  for await (const document of changed(documents, options)) yield* piecesOf(document, options);
}

/** Documents up to the first one of another package. */
class Group {
  readonly #documents: AsyncIterator<OrderedMeta>;
  next: OrderedMeta | undefined;

  constructor(documents: AsyncIterator<OrderedMeta>) {
    this.#documents = documents;
  }

  async advance(): Promise<void> {
    const result = await this.#documents.next();
    this.next = result.done === true ? undefined : result.value;
  }

  async *pieces(options: WriteOptions): AsyncGenerator<string> {
    const name = this.next?.package;
    for (; this.next !== undefined && this.next.package === name; await this.advance()) {
      yield* piecesOf(this.next, options);
    }
  }
}

/** @throws TerminalError InvalidName */
function folderOf(root: string, name: string): string {
  if (name === '') return root;
  if (name === '.' || name === '..' || /[/\\\0]/.test(name) || Buffer.byteLength(name) > 255) {
    const text = `invalid package name ${goQuote(name)}: must be a single local path element`;
    throw new TerminalError('InvalidName', text);
  }
  return path.join(root, name);
}

/** Writes a catalog as a folder: `<root>/<package>/catalog.<format>`, and `<root>/catalog.<format>` for what has no package. Files that are there
 *  are replaced.
 *  @throws TerminalError InvalidName, and Node.js' own errors for what cannot be written */
export async function writeCatalogFolder(
  metas: Metas,
  root: string,
  options: WriteOptions & { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  await using documents = await spool(metas);
  makeFolder(root);
  const group = new Group(changed(documents, options));
  for (await group.advance(); group.next !== undefined; ) {
    const folder = folderOf(root, group.next.package);
    makeFolder(folder);
    const file = createWriteStream(path.join(folder, `catalog.${options.format}`));
    await pipeline(Readable.from(group.pieces(options)), file, { signal: options.signal });
  }
}
