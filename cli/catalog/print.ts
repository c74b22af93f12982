import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Meta, writeCatalog } from '../../src/catalog/index.ts';

/** Prints documents in the order of a catalog. */
export async function printCatalog(metas: AsyncIterable<Meta> | Iterable<Meta>, output: unknown): Promise<void> {
  const text = writeCatalog(metas, { format: output === 'yaml' ? 'yaml' : 'json' });
  await pipeline(Readable.from(text), process.stdout, { end: false });
}
