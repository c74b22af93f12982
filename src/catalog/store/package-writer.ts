import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { cutText, isJsonObject, type JsonObject, parseJson, TerminalError, textAt } from '../../base/index.ts';
import { formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';
import { bundleCodec, edgeFields, packageCodec } from '../grpc/api-messages.ts';
import { bundleManifests, bundleMessage, packageMessage } from '../grpc/bundle-message.ts';
import { type ChannelOrder, orderChannel } from './channel-heads.ts';
import { expandSegment } from './gzip-segments.ts';
import { readSlimPackage } from './slim-meta.ts';

const maxNameCharacters = 253;

type MetaRow = Record<string, unknown> | undefined;

interface Membership {
  readonly bundle: CatalogBundle;
  readonly channelName: string;
  readonly entry: ChannelEntry;
  readonly distance: number;
}

interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly maxPackageCharacters?: number;
  readonly maxMemberBytes?: number;
}

/** A package that is too large to be read. */
export interface OversizedPackage {
  readonly name: string;
  readonly message: string;
}

/** Writes the part of an index that leads from packages, channels and APIs to bundles, once all documents are in it. */
export class PackageWriter {
  readonly #database: DatabaseSync;
  readonly #putPackage: StatementSync;
  readonly #putChannel: StatementSync;
  readonly #putMember: StatementSync;
  readonly #putEdge: StatementSync;
  readonly #putCsv: StatementSync;
  readonly #putProvider: StatementSync;
  readonly #findMeta: StatementSync;
  readonly #findText: StatementSync;
  /** Documents whose ClusterServiceVersion was stored, or is not to be. */
  readonly #describedMetas = new Set<number>();
  #memberBytesLeft = Infinity;

  constructor(database: DatabaseSync) {
    database.exec('CREATE INDEX metas_by_package ON metas (package, schema, name)');
    this.#database = database;
    this.#putPackage = database.prepare('INSERT INTO packages (name, record, message) VALUES (?, ?, ?)');
    this.#putChannel = database.prepare('INSERT INTO channels (package, name, heads) VALUES (?, ?, ?)');
    this.#putMember = database.prepare(
      'INSERT INTO members (package, channel, bundle, meta, distance, replaces, skips, message, edgeless) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#putEdge = database.prepare('INSERT OR IGNORE INTO edges (target, member) VALUES (?, ?)');
    this.#putCsv = database.prepare('INSERT OR IGNORE INTO csvs (meta, json) VALUES (?, ?)');
    this.#putProvider = database.prepare(
      'INSERT OR IGNORE INTO providers (api_group, version, kind, package, bundle) VALUES (?, ?, ?, ?, ?)',
    );
    this.#findMeta = database.prepare(
      'SELECT id, length, checksum FROM metas WHERE package = ? AND schema = ? AND name = ? ORDER BY id LIMIT 1',
    );
    this.#findText = database.prepare('SELECT bytes FROM texts WHERE id = ?');
  }

  /** Returns the packages that are too large, and left out.
   *  @throws TerminalError UnreadableCatalog when memberships take more than `maxMemberBytes` */
  async writeAll(options: WriteOptions): Promise<readonly OversizedPackage[]> {
    const { signal, maxPackageCharacters: max = Infinity, maxMemberBytes = Infinity } = options;
    this.#memberBytesLeft = maxMemberBytes;
    const oversized: OversizedPackage[] = [];
    const lengths = this.#database.prepare('SELECT sum(length(text)) AS characters FROM slim WHERE package = ?');
    const names = this.#database.prepare('SELECT DISTINCT package FROM slim ORDER BY package').all();
    const texts = this.#database.prepare('SELECT text FROM slim WHERE package = ? ORDER BY id');
    for (const { package: name } of names) {
      signal?.throwIfAborted();
      const characters = Number(lengths.get(String(name))?.['characters']);
      if (characters > max) {
        const message = `its documents have ${characters} characters that matter for a choice, more than the limit of ${max}: it is left out`;
        oversized.push({ name: String(name), message });
        continue;
      }
      const documents = texts.all(String(name)).map(({ text }) => String(text));
      this.#write(`[${documents.join(',')}]`);
      await breathe();
    }
    return oversized;
  }

  #write(record: string): void {
    const found = readSlimPackage(record);
    if (found === undefined) return;
    const orders = new Map(found.channels.map((channel) => [channel.name, orderChannel(channel)]));
    const headOf = (name: string): string => {
      const heads = orders.get(name)?.heads ?? [];
      return heads.length === 1 ? (heads[0] ?? '') : '';
    };
    this.#putPackage.run(found.name, record, packageCodec.encode(packageMessage(found, headOf)));
    for (const channel of found.channels) this.#writeChannel(found, channel, orders.get(channel.name));
    for (const bundle of found.bundles.values()) this.#writeProvided(bundle);
  }

  #writeChannel(found: CatalogPackage, channel: Channel, order: ChannelOrder | undefined): void {
    this.#putChannel.run(found.name, channel.name, JSON.stringify(order?.heads ?? []));
    const taken = new Set<string>();
    for (const entry of channel.entries) {
      const bundle = found.bundles.get(entry.name);
      if (bundle === undefined || taken.has(entry.name)) continue;
      taken.add(entry.name);
      const distance = order?.distances.get(entry.name) ?? channel.entries.length;
      this.#writeMember({ bundle, channelName: channel.name, entry, distance });
    }
  }

  #writeMember({ bundle, channelName, entry, distance }: Membership): void {
    const { name, packageName } = bundle;
    const { replaces = '', skips } = entry;
    const row = this.#findMeta.get(packageName, 'olm.bundle', name);
    const edgeless = this.#edgelessMessage({ bundle, channelName, entry, distance }, row);
    const message = Buffer.concat([edgeless, edgeFields.encode({ replaces, skips })]);
    const edges = [distance, replaces, JSON.stringify(skips)] as const;
    const place = [packageName, channelName, name, Number(row?.['id'])] as const;
    this.#takeBytes(packageName, message.length);
    const { lastInsertRowid } = this.#putMember.run(...place, ...edges, message, edgeless.length);
    for (const target of [replaces, ...skips]) if (target !== '') this.#putEdge.run(target, lastInsertRowid);
  }

  /** A bundle is written again for each channel that has it: a small catalog may have large bundles in very many channels. */
  #takeBytes(packageName: string, bytes: number): void {
    this.#memberBytesLeft -= bytes;
    if (this.#memberBytesLeft >= 0) return;
    const shown = JSON.stringify(cutText(packageName, maxNameCharacters));
    const text = `package ${shown}: the bundles of the catalog are too large for all channels that have them: expected smaller bundles, bundles with an image, or fewer channels`;
    throw new TerminalError('UnreadableCatalog', text);
  }

  /** With manifests where the bundle has no image. Of a head the ClusterServiceVersion is stored beside it: heads are what clients request. */
  #edgelessMessage({ bundle, channelName, entry, distance }: Membership, row: MetaRow): Buffer {
    const message = bundleMessage(bundle, channelName, { ...entry, replaces: '', skips: [] });
    if (bundle.image === undefined) return bundleCodec.encode({ ...message, ...this.#manifests(bundle, row) });
    if (distance === 0 && row !== undefined) this.#writeCsv(bundle, row);
    return bundleCodec.encode(message);
  }

  #writeCsv(bundle: CatalogBundle, row: NonNullable<MetaRow>): void {
    const id = Number(row['id']);
    if (this.#describedMetas.has(id)) return;
    this.#describedMetas.add(id);
    const { csvJson, object } = this.#manifests(bundle, row);
    if (object.length === 1 && object[0] === csvJson) this.#putCsv.run(id, Buffer.from(csvJson));
  }

  #manifests(bundle: CatalogBundle, row: MetaRow): ReturnType<typeof bundleManifests> {
    this.#takeBytes(bundle.packageName, Number(row?.['length'] ?? 0));
    const value = this.#document(row) ?? {};
    const stated = this.#document(this.#findMeta.get('', 'olm.package', bundle.packageName));
    return bundleManifests(value, { version: formatVersion(bundle.version), stated });
  }

  #document(row: MetaRow): JsonObject | undefined {
    if (row === undefined) return undefined;
    const bytes = this.#findText.get(Number(row['id']))?.['bytes'];
    if (!(bytes instanceof Uint8Array)) return undefined;
    const segment = { bytes, lengthBytes: Number(row['length']), checksum: Number(row['checksum']) };
    const value = parseJson('document', expandSegment(segment)?.toString() ?? 'null');
    return isJsonObject(value) ? value : undefined;
  }

  #writeProvided({ name, packageName, properties }: CatalogBundle): void {
    for (const { type, value } of properties) {
      if (type !== 'olm.gvk' || !isJsonObject(value)) continue;
      const api = [textAt(value, 'group'), textAt(value, 'version'), textAt(value, 'kind')] as const;
      this.#putProvider.run(...api, packageName, name);
    }
  }
}
