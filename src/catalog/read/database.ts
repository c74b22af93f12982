import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  errorMessage,
  isJsonObject,
  isMachineShortage,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  parseJson,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { relatedImagesOf } from '../author/related-images.ts';
import type { Meta } from '../meta.ts';
import { type DatabaseEntry, databaseEntries, type EntryRow } from './database-graph.ts';

/** The label that names the database of an image. */
export const databaseLabel = 'operators.operatorframework.io.index.database.v1';

const magic = Buffer.from('SQLite format 3\0');
const maxBundleBytes = 16 * 2 ** 20;
const maxTableBytes = 64 * 2 ** 20;
const maxRows = 1_000_000;

/** The columns that are read, by table. `opm` has added to them over the years. */
const columns: Readonly<Record<string, readonly string[]>> = {
  package: ['name', 'default_channel'],
  channel: ['name', 'package_name', 'head_operatorbundle_name'],
  channel_entry: ['entry_id', 'channel_name', 'package_name', 'operatorbundle_name', 'replaces', 'depth'],
  operatorbundle: ['name', 'bundle', 'bundlepath', 'version', 'skiprange'],
  properties: ['type', 'value', 'operatorbundle_name'],
  dependencies: ['type', 'value', 'operatorbundle_name'],
};

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Whether a file begins as databases do. */
export function isDatabaseStart(start: Uint8Array): boolean {
  return magic.equals(start.subarray(0, magic.length));
}

function refuse(why: string): never {
  throw new TerminalError('UnreadableCatalog', `database of the catalog: ${why}`);
}

/** `opm` writes some texts as bytes. */
function text(row: Row, column: string): string {
  const value = row[column];
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'string' ? value : '';
}

/** A file that others made: nothing in it is executed, and nothing beside it is read. */
function open(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = 'mode=ro&immutable=1';
  const database = new DatabaseSync(url, { readOnly: true, allowExtension: false });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0');
  return database;
}

/** Tables only: a view could compute anything, a virtual table reads what it likes. */
function assertTables(database: DatabaseSync): void {
  const known = database.prepare(
    "SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?",
  );
  for (const [table, names] of Object.entries(columns)) {
    if (known.get(table)?.['found'] !== 1) {
      refuse(`there is no table ${table}: expected one that opm 1.15 or later has made; opm migrates older ones`);
    }
    const found = new Set(
      database
        .prepare(`PRAGMA table_xinfo(${table})`)
        .all()
        .map((row) => row['name']),
    );
    const generated = database
      .prepare(`SELECT count(*) AS count FROM pragma_table_xinfo('${table}') WHERE hidden <> 0`)
      .get();
    if (generated?.['count'] !== 0) refuse(`table ${table} has computed columns`);
    const missing = names.find((name) => !found.has(name));
    if (missing !== undefined) refuse(`table ${table} has no column ${missing}`);
    assertSize(database, table, names);
  }
}

function assertSize(database: DatabaseSync, table: string, names: readonly string[]): void {
  const lengths = names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
  const sizes = `count(*) AS rows, max(${lengths}) AS longest, total(${lengths}) AS bytes`;
  const row = database.prepare(`SELECT ${sizes} FROM ${table}`).get();
  const [rows, longest, bytes] = ['rows', 'longest', 'bytes'].map((column) => Number(row?.[column] ?? 0)) as [
    number,
    number,
    number,
  ];
  if (rows > maxRows) refuse(`table ${table} has ${rows} rows, the limit is ${maxRows}`);
  if (longest > maxBundleBytes) refuse(`table ${table} has a row of ${longest} bytes, the limit is ${maxBundleBytes}`);
  if (table !== 'operatorbundle' && bytes > maxTableBytes) {
    refuse(`table ${table} has ${bytes} bytes, the limit is ${maxTableBytes}`);
  }
}

function select(database: DatabaseSync, table: string): IterableIterator<Row> {
  return database.prepare(`SELECT ${(columns[table] ?? []).join(', ')} FROM ${table}`).iterate();
}

interface TypedValue {
  readonly type: string;
  readonly value: JsonValue;
}

/** By bundle, each once. */
function valuesOf(database: DatabaseSync, table: 'properties' | 'dependencies'): ReadonlyMap<string, TypedValue[]> {
  const found = new Map<string, Map<string, TypedValue>>();
  for (const row of select(database, table)) {
    const [type, bundle] = [text(row, 'type'), text(row, 'operatorbundle_name')];
    const value = parseJson(`${table} of bundle ${bundle}`, text(row, 'value'));
    const known = found.get(bundle) ?? new Map<string, TypedValue>();
    found.set(bundle, known.set(`${type} ${JSON.stringify(value)}`, { type, value }));
  }
  return new Map([...found].map(([bundle, values]) => [bundle, [...values.values()]]));
}

/** What a dependency is as a property; others are properties already. */
function requirementOf({ type, value }: TypedValue): TypedValue | undefined {
  if (!isJsonObject(value)) return undefined;
  if (type === 'olm.gvk') {
    const [group, kind, version] = [textAt(value, 'group'), textAt(value, 'kind'), textAt(value, 'version')];
    return { type: 'olm.gvk.required', value: { group, kind, version } };
  }
  if (type !== 'olm.package') return undefined;
  const [packageName, versionRange] = [textAt(value, 'packageName'), textAt(value, 'version')];
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

/** The manifests of a bundle, an object a line. */
function manifestsOf(row: Row): readonly { readonly line: string; readonly object: JsonObject }[] {
  const lines = text(row, 'bundle')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const object = parseJson(`a manifest of bundle ${text(row, 'name')}`, line);
    return isJsonObject(object)
      ? { line, object }
      : refuse(`bundle ${text(row, 'name')} has a manifest that is no object`);
  });
}

function csvOf(manifests: readonly { readonly object: JsonObject }[]): JsonObject | undefined {
  return manifests.find(({ object }) => object['kind'] === 'ClusterServiceVersion')?.object;
}

interface Contents {
  readonly database: DatabaseSync;
  readonly entries: readonly DatabaseEntry[];
  readonly properties: ReadonlyMap<string, TypedValue[]>;
  readonly dependencies: ReadonlyMap<string, TypedValue[]>;
  /** Bundles that were deprecated by an older way: they are not offered. */
  readonly dropped: ReadonlySet<string>;
}

function compareProperties(a: TypedValue, b: TypedValue): number {
  const [first, second] = [a, b].map(({ type, value }) => `${type} ${JSON.stringify(value)}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

function bundleDocument(row: Row, packageName: string, { properties, dependencies }: Contents): JsonObject {
  const name = text(row, 'name');
  const image = text(row, 'bundlepath');
  const manifests = manifestsOf(row);
  const csv = csvOf(manifests);
  const own = properties.get(name) ?? [];
  const required = (dependencies.get(name) ?? []).flatMap((one) => requirementOf(one) ?? []);
  const named = own.some(({ type }) => type === 'olm.package');
  const ofPackage: TypedValue[] = named
    ? []
    : [{ type: 'olm.package', value: { packageName, version: text(row, 'version') } }];
  const objects = manifests.map(({ line }): TypedValue => {
    return { type: 'olm.bundle.object', value: { data: Buffer.from(line.trim()).toString('base64') } };
  });
  const all = [...own, ...required, ...ofPackage].toSorted(compareProperties);
  const relatedImages = csv === undefined ? [] : relatedImagesOf(csv, image === '' ? undefined : image);
  return {
    schema: 'olm.bundle',
    name,
    package: packageName,
    image,
    properties: [...all, ...objects].map(({ type, value }) => ({ type, value })),
    ...(relatedImages.length === 0 ? {} : { relatedImages: [...relatedImages] }),
  };
}

function iconOf({ database }: Contents, head: string): JsonObject | undefined {
  const row = database.prepare('SELECT name, bundle FROM operatorbundle WHERE name = ?').get(head);
  const csv = row === undefined ? undefined : csvOf(manifestsOf(row));
  const [icon] = objectsAt(objectAt(csv, 'spec'), 'icon');
  const base64data = textAt(icon, 'base64data').replaceAll(' ', '');
  return base64data === '' ? undefined : { base64data, mediatype: textAt(icon, 'mediatype') };
}

function* packageDocuments(contents: Contents): Generator<JsonObject> {
  const heads = new Map<string, string>();
  for (const row of select(contents.database, 'channel')) {
    heads.set(JSON.stringify([text(row, 'package_name'), text(row, 'name')]), text(row, 'head_operatorbundle_name'));
  }
  for (const row of select(contents.database, 'package')) {
    const [name, defaultChannel] = [text(row, 'name'), text(row, 'default_channel')];
    const icon = iconOf(contents, heads.get(JSON.stringify([name, defaultChannel])) ?? '');
    yield { schema: 'olm.package', name, defaultChannel, ...(icon === undefined ? {} : { icon }) };
  }
}

function* channelDocuments(
  { entries, dropped }: Contents,
  skipRanges: ReadonlyMap<string, string>,
): Generator<JsonObject> {
  const offered = entries.filter(({ bundle }) => skipRanges.has(bundle) && !dropped.has(bundle));
  const channels = Map.groupBy(offered, ({ packageName, channel }) => JSON.stringify([packageName, channel]));
  for (const list of channels.values()) {
    const [first] = list;
    if (first === undefined) continue;
    const { packageName, channel } = first;
    const members = list.map(({ bundle, replaces, skips }): JsonObject => {
      const skipRange = skipRanges.get(bundle) ?? '';
      return {
        name: bundle,
        ...(replaces === undefined ? {} : { replaces }),
        ...(skips.length === 0 ? {} : { skips: [...skips] }),
        ...(skipRange === '' ? {} : { skipRange }),
      };
    });
    yield { schema: 'olm.channel', name: channel, package: packageName, entries: members };
  }
}

function entryRows(database: DatabaseSync): readonly EntryRow[] {
  return Array.from(select(database, 'channel_entry'), (row) => ({
    id: Number(row['entry_id']),
    packageName: text(row, 'package_name'),
    channel: text(row, 'channel_name'),
    bundle: text(row, 'operatorbundle_name'),
    replaces: row['replaces'] === null ? undefined : Number(row['replaces']),
    depth: Number(row['depth'] ?? 0),
  }));
}

function contentsOf(database: DatabaseSync): Contents {
  assertTables(database);
  const properties = valuesOf(database, 'properties');
  const dropped = [...properties].filter(([, values]) => values.some(({ type }) => type === 'olm.deprecated'));
  return {
    database,
    entries: databaseEntries(entryRows(database)),
    properties,
    dependencies: valuesOf(database, 'dependencies'),
    dropped: new Set(dropped.map(([name]) => name)),
  };
}

function* documentsOf(contents: Contents): Generator<JsonObject> {
  const { database, entries, dropped } = contents;
  yield* packageDocuments(contents);
  const ranges = database.prepare(
    'SELECT name, skiprange FROM operatorbundle WHERE version IS NOT NULL AND bundlepath IS NOT NULL',
  );
  const skipRanges = new Map(ranges.all().map((row) => [text(row, 'name'), text(row, 'skiprange')]));
  yield* channelDocuments(contents, skipRanges);
  const packages = Map.groupBy(entries, ({ bundle }) => bundle);
  for (const row of select(database, 'operatorbundle')) {
    const name = text(row, 'name');
    if (!skipRanges.has(name) || dropped.has(name)) continue;
    const of = new Set((packages.get(name) ?? []).map(({ packageName }) => packageName));
    for (const packageName of of) yield bundleDocument(row, packageName, contents);
  }
}

/** The documents of a catalog in a database, as `opm` made them before there were files: packages, channels, bundles. `file` names it in messages.
 *  Synchronous, and as long as the file is large: for worker threads, and programs of a person.
 *  @throws TerminalError UnreadableCatalog · Error where the machine lacks something */
export function* readCatalogDatabase(path: string, file: string): Generator<Meta> {
  let opened: DatabaseSync | undefined;
  try {
    opened = open(path);
    for (const value of documentsOf(contentsOf(opened))) {
      const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
      yield { schema, package: packageName, name, value, place: { file, line: 1 } };
    }
  } catch (thrown) {
    const isReported = thrown instanceof TerminalError && thrown.reason === 'UnreadableCatalog';
    if (isReported || isMachineShortage(thrown)) throw thrown;
    const message = `database of the catalog: ${errorMessage(thrown)}`;
    throw new TerminalError('UnreadableCatalog', message, { cause: thrown });
  } finally {
    opened?.close();
  }
}
