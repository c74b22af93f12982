import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Meta, type WriteOptions, writeCatalog } from '../../src/catalog/index.ts';

/** Prints documents in the order of a catalog, changed as `options` specify. */
export async function printCatalog(
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  output: unknown,
  options: Omit<WriteOptions, 'format'> = {},
): Promise<void> {
  const text = writeCatalog(metas, { ...options, format: output === 'yaml' ? 'yaml' : 'json' });
  await pipeline(Readable.from(text), process.stdout, { end: false });
}
