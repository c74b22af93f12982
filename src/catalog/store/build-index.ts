import { createHash, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { syncFile } from '../../base/index.ts';
import { FieldSurvey } from '../graphql/field-survey.ts';
import type { Meta } from '../meta.ts';
import { canonicalMeta } from '../write/canonical.ts';
import { compressSegment } from './gzip-segments.ts';
import { createIndexFile, finishIndexFile } from './index-file.ts';
import type { OversizedPackage } from './package-writer.ts';
import { slimText } from './slim-meta.ts';

/** What an index holds. */
export interface IndexedCatalog {
  /** `sha256:` of all documents in their order, each as one line in canonical form. */
  readonly digest: string;
  readonly metaCount: number;
  /** Of these lines. */
  readonly lengthBytes: number;
  /** Packages that are left out, though their documents are there. */
  readonly oversized: readonly OversizedPackage[];
}

export interface IndexBuildOptions {
  readonly signal?: AbortSignal;
  /** Called for every document that was added. */
  readonly onMeta?: (count: number) => void;
  /** Packages are left out whose documents have more, without what does not matter for a choice. Default: none are. */
  readonly maxPackageCharacters?: number;
  /** Of bundles, each counted for every channel that has it, with its manifests where it has no image. Default: no limit. */
  readonly maxMemberBytes?: number;
}

interface FilledIndex extends Omit<IndexedCatalog, 'oversized'> {
  readonly checksum: number;
}

async function fill(
  database: DatabaseSync,
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  { signal, onMeta, survey }: IndexBuildOptions & { readonly survey: FieldSurvey },
): Promise<FilledIndex> {
  const putMeta = database.prepare(
    'INSERT INTO metas (id, schema, package, name, start, length, checksum, file, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const putText = database.prepare('INSERT INTO texts (id, bytes) VALUES (?, ?)');
  const putSlim = database.prepare('INSERT INTO slim (package, id, text) VALUES (?, ?, ?)');
  const hash = createHash('sha256');
  let [count, start, whole] = [0, 0, 0];
  for await (const meta of metas) {
    const { schema, package: packageName, name, place } = meta;
    signal?.throwIfAborted();
    count += 1;
    const line = Buffer.from(`${canonicalMeta(meta)}\n`);
    hash.update(line);
    whole = crc32(line, whole);
    const { bytes, lengthBytes, checksum } = compressSegment(line);
    putMeta.run(count, schema, packageName, name, start, lengthBytes, checksum, place.file, place.line);
    putText.run(count, bytes);
    const slim = slimText(meta);
    if (slim !== undefined) putSlim.run(schema === 'olm.package' ? name : packageName, count, slim);
    start += lengthBytes;
    survey.add(schema, meta.value);
    onMeta?.(count);
  }
  return { digest: `sha256:${hash.digest('hex')}`, metaCount: count, lengthBytes: start, checksum: whole };
}

/** Writes the index of a catalog to `file`, from its documents in their order. Memory follows the largest package, not the catalog. The file is
 *  replaced as a whole, by a rename: readers of an older one go on reading that.
 *  @throws what `metas` throws · TerminalError UnreadableCatalog over `maxMemberBytes` · Error when the file cannot be written; the file is then as it was */
export async function buildCatalogIndex(
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  file: string,
  options: IndexBuildOptions = {},
): Promise<IndexedCatalog> {
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    const database = createIndexFile(unfinished);
    let indexed: FilledIndex;
    let oversized: readonly OversizedPackage[];
    const survey = new FieldSurvey();
    try {
      indexed = await fill(database, metas, { ...options, survey });
      // What encodes messages of the registry is not loaded by commands that index nothing.
      const { PackageWriter } = await import('./package-writer.ts');
      oversized = await new PackageWriter(database).writeAll(options);
      const { checksum, digest, metaCount, lengthBytes } = indexed;
      finishIndexFile(database, {
        digest,
        checksum: String(checksum),
        metaCount: String(metaCount),
        lengthBytes: String(lengthBytes),
        storedAtMs: String(Date.now()),
        schemas: JSON.stringify(survey.finish()),
      });
    } finally {
      database.close();
    }
    await syncFile(unfinished);
    await rename(unfinished, file);
    const { digest, metaCount, lengthBytes } = indexed;
    return { digest, metaCount, lengthBytes, oversized };
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
}
