import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { isJsonObject, type JsonObject, textAt } from '../../base/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';
import type { Meta } from '../meta.ts';
import { orderChannel } from './channel-heads.ts';
import { compressSegment } from './gzip-segments.ts';
import { createIndexFile, finishIndexFile } from './index-file.ts';
import { readPackageRecord } from './package-record.ts';
import { slimDocument } from './slim-meta.ts';

/** What an index holds. */
export interface IndexedCatalog {
  /** `sha256:` of all documents in their order, each as one line in canonical form. */
  readonly digest: string;
  readonly metaCount: number;
  /** Of these lines. */
  readonly lengthBytes: number;
}

export interface IndexBuildOptions {
  readonly signal?: AbortSignal;
  /** Told of every document that was taken. */
  readonly onMeta?: (count: number) => void;
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  );
}

/** The members of all channels of a package, and what leads to them. */
class PackageWriter {
  readonly #database: DatabaseSync;
  readonly #putPackage: StatementSync;
  readonly #putChannel: StatementSync;
  readonly #putMember: StatementSync;
  readonly #putEdge: StatementSync;
  readonly #putProvider: StatementSync;
  readonly #findBundle: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#putPackage = database.prepare('INSERT INTO packages (name, record) VALUES (?, ?)');
    this.#putChannel = database.prepare('INSERT INTO channels (package, name, heads, deprecation) VALUES (?, ?, ?, ?)');
    this.#putMember = database.prepare(
      'INSERT INTO members (package, channel, bundle, meta, distance, replaces, skips) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#putEdge = database.prepare('INSERT OR IGNORE INTO edges (target, member) VALUES (?, ?)');
    this.#putProvider = database.prepare(
      'INSERT OR IGNORE INTO providers (api_group, version, kind, package, bundle) VALUES (?, ?, ?, ?, ?)',
    );
    this.#findBundle = database.prepare(
      "SELECT min(id) AS id FROM metas WHERE schema = 'olm.bundle' AND package = ? AND name = ?",
    );
  }

  async writeAll(signal: AbortSignal | undefined): Promise<void> {
    this.#database.exec('CREATE INDEX bundles ON metas (package, name)');
    const names = this.#database.prepare('SELECT DISTINCT package FROM slim ORDER BY package').all();
    const texts = this.#database.prepare('SELECT text FROM slim WHERE package = ? ORDER BY id');
    for (const { package: name } of names) {
      signal?.throwIfAborted();
      const record = `[${texts
        .all(String(name))
        .map(({ text }) => String(text))
        .join(',')}]`;
      const found = readPackageRecord(JSON.parse(record) as JsonObject[]);
      if (found !== undefined) this.#write(found, record);
      await breathe();
    }
    this.#database.exec('DROP INDEX bundles');
  }

  #write(found: CatalogPackage, record: string): void {
    this.#putPackage.run(found.name, record);
    for (const channel of found.channels) this.#writeChannel(found, channel);
    for (const bundle of found.bundles.values()) this.#writeProvided(found.name, bundle);
  }

  #writeChannel(found: CatalogPackage, channel: Channel): void {
    const { heads, distances } = orderChannel(channel);
    this.#putChannel.run(found.name, channel.name, JSON.stringify(heads), channel.deprecation ?? null);
    const taken = new Set<string>();
    for (const entry of channel.entries) {
      if (taken.has(entry.name) || !found.bundles.has(entry.name)) continue;
      taken.add(entry.name);
      const distance = distances.get(entry.name) ?? channel.entries.length;
      this.#writeMember([found.name, channel.name, entry.name], { entry, distance });
    }
  }

  #writeMember(
    place: readonly [string, string, string],
    { entry, distance }: { readonly entry: ChannelEntry; readonly distance: number },
  ): void {
    const { replaces = '', skips } = entry;
    const meta = Number(this.#findBundle.get(place[0], place[2])?.['id']);
    const { lastInsertRowid } = this.#putMember.run(...place, meta, distance, replaces, JSON.stringify(skips));
    for (const target of [replaces, ...skips]) if (target !== '') this.#putEdge.run(target, lastInsertRowid);
  }

  #writeProvided(packageName: string, { name, properties }: CatalogBundle): void {
    for (const { type, value } of properties) {
      if (type !== 'olm.gvk' || !isJsonObject(value)) continue;
      const api = [textAt(value, 'group'), textAt(value, 'version'), textAt(value, 'kind')] as const;
      this.#putProvider.run(...api, packageName, name);
    }
  }
}

async function fill(
  database: DatabaseSync,
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  { signal, onMeta }: IndexBuildOptions,
): Promise<IndexedCatalog> {
  const putMeta = database.prepare(
    'INSERT INTO metas (id, schema, package, name, start, length, checksum, file, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const putText = database.prepare('INSERT INTO texts (id, bytes) VALUES (?, ?)');
  const putSlim = database.prepare('INSERT INTO slim (package, id, text) VALUES (?, ?, ?)');
  const hash = createHash('sha256');
  let [count, start] = [0, 0];
  for await (const { schema, package: packageName, name, value, place } of metas) {
    signal?.throwIfAborted();
    count += 1;
    const line = Buffer.from(`${JSON.stringify(canonical(value))}\n`);
    hash.update(line);
    const { bytes, lengthBytes, checksum } = compressSegment(line);
    putMeta.run(count, schema, packageName, name, start, lengthBytes, checksum, place.file, place.line);
    putText.run(count, bytes);
    const slim = slimDocument(schema, value);
    if (slim !== undefined) putSlim.run(schema === 'olm.package' ? name : packageName, count, JSON.stringify(slim));
    start += lengthBytes;
    onMeta?.(count);
  }
  return { digest: `sha256:${hash.digest('hex')}`, metaCount: count, lengthBytes: start };
}

async function synchronise(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/** Writes the index of a catalog to `file`, from its documents in their order. Memory follows the largest package, not the catalog. The file is
 *  replaced as a whole, by a rename: readers of an older one go on reading that.
 *  @throws what `metas` throws · Error when the file cannot be written; the file is then as it was */
export async function buildCatalogIndex(
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  file: string,
  options: IndexBuildOptions = {},
): Promise<IndexedCatalog> {
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    const database = createIndexFile(unfinished);
    let indexed: IndexedCatalog;
    try {
      indexed = await fill(database, metas, options);
      await new PackageWriter(database).writeAll(options.signal);
      const { digest, metaCount, lengthBytes } = indexed;
      finishIndexFile(database, {
        digest,
        metaCount: String(metaCount),
        lengthBytes: String(lengthBytes),
        storedAtMs: String(Date.now()),
      });
    } finally {
      database.close();
    }
    await synchronise(unfinished);
    await rename(unfinished, file);
    return indexed;
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
}
