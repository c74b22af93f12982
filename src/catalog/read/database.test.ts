import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { readCatalogDatabase } from './database.ts';

/** As opm v1.73 makes it. */
const schema = `
  CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT, version TEXT, replaces TEXT,
    skips TEXT, substitutesfor TEXT);
  CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
  CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY(name, package_name));
  CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT, replaces INTEGER,
    depth INTEGER);
  CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT, operatorbundle_path TEXT);
  CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT, operatorbundle_path TEXT);
`;
const csv = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'boat.v1.3.0' },
  spec: {
    icon: [{ base64data: 'aW Nvbg==', mediatype: 'image/png' }],
    relatedImages: [{ name: 'boat', image: 'registry.example/boat' }],
  },
};
const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'boat' } };
const packageProperty = (version: string): string => JSON.stringify({ packageName: 'boat', version });
const bundles = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0']
  .map((version) => {
    const manifests = version === '1.3.0' ? `${JSON.stringify(csv)}\n${JSON.stringify(service)}\n` : '';
    const skipRange = version === '1.4.0' ? '>=1.0.0 <1.4.0' : '';
    return `('boat.v${version}', '${manifests}', 'registry.example/bundle:v${version}', '${version}', '${skipRange}')`;
  })
  .join(', ');
/** What opm recorded for 1.3.0, which replaces 1.1.0 and skips 1.2.0 and 1.1.1, in two channels. */
const entries =
  `(1,'stable','1.3.0',6,0),(2,'stable','1.2.0',NULL,1),(3,'stable','1.3.0',2,1),(4,'stable','1.1.1',NULL,2),(5,'stable','1.3.0',4,2),
  (6,'stable','1.1.0',7,3),(7,'stable','1.0.0',NULL,4),(8,'fast','1.4.0',9,0),(9,'fast','1.3.0',14,1),(10,'fast','1.2.0',NULL,2),(11,'fast','1.3.0',10,2),
  (12,'fast','1.1.1',NULL,3),(13,'fast','1.3.0',12,3),(14,'fast','1.1.0',15,4),(15,'fast','1.0.0',NULL,5)`.replaceAll(
    /\((\d+),'(\w+)','([\d.]+)',/g,
    "($1,'$2','boat','boat.v$3',",
  );
const rows = `
  INSERT INTO package VALUES ('boat', 'stable');
  INSERT INTO channel VALUES ('stable', 'boat', 'boat.v1.3.0'), ('fast', 'boat', 'boat.v1.4.0');
  INSERT INTO operatorbundle (name, bundle, bundlepath, version, skiprange) VALUES ${bundles};
  INSERT INTO channel_entry VALUES ${entries};
  INSERT INTO properties (type, value, operatorbundle_name) VALUES
    ('olm.package', '${packageProperty('1.3.0')}', 'boat.v1.3.0'), ('olm.package', '${packageProperty('1.3.0')}', 'boat.v1.3.0'),
    ('olm.gvk', '{"group":"example.com","kind":"Boat","version":"v1"}', 'boat.v1.3.0');
  INSERT INTO dependencies (type, value, operatorbundle_name) VALUES
    ('olm.package', CAST('{"packageName":"harbour","version":">=1.0.0"}' AS BLOB), 'boat.v1.3.0'),
    ('olm.gvk', '{"group":"example.com","kind":"Oar","version":"v1"}', 'boat.v1.3.0');
`;

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-database-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function databaseWith(...statements: readonly string[]): string {
  count += 1;
  const path = join(folder, `${count}.db`);
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

function documentsOf(path: string): readonly JsonObject[] {
  return Array.from(readCatalogDatabase(path, 'index.db'), ({ value }) => value);
}

const isChannel =
  (name: string) =>
  (document: JsonObject): boolean =>
    document['schema'] === 'olm.channel' && document['name'] === name;

test('a database of opm has the packages, channels and bundles that opm renders', () => {
  const documents = documentsOf(databaseWith(schema, rows));
  expect(documents[0]).toEqual({
    schema: 'olm.package',
    name: 'boat',
    defaultChannel: 'stable',
    icon: { base64data: 'aWNvbg==', mediatype: 'image/png' },
  });
  expect(documents.find(isChannel('stable'))?.['entries']).toEqual([
    { name: 'boat.v1.3.0', replaces: 'boat.v1.1.0', skips: ['boat.v1.2.0', 'boat.v1.1.1'] },
    { name: 'boat.v1.2.0' },
    { name: 'boat.v1.1.0', replaces: 'boat.v1.0.0' },
    { name: 'boat.v1.0.0' },
  ]);
  expect(documents.find(isChannel('fast'))?.['entries']).toContainEqual({
    name: 'boat.v1.4.0',
    replaces: 'boat.v1.3.0',
    skipRange: '>=1.0.0 <1.4.0',
  });
  const bundle = documents.find(({ name }) => name === 'boat.v1.3.0');
  const data = (object: JsonObject): string => Buffer.from(JSON.stringify(object)).toString('base64');
  expect(bundle).toEqual({
    schema: 'olm.bundle',
    name: 'boat.v1.3.0',
    package: 'boat',
    image: 'registry.example/bundle:v1.3.0',
    properties: [
      { type: 'olm.gvk', value: { group: 'example.com', kind: 'Boat', version: 'v1' } },
      { type: 'olm.gvk.required', value: { group: 'example.com', kind: 'Oar', version: 'v1' } },
      { type: 'olm.package', value: { packageName: 'boat', version: '1.3.0' } },
      { type: 'olm.package.required', value: { packageName: 'harbour', versionRange: '>=1.0.0' } },
      { type: 'olm.bundle.object', value: { data: data(csv) } },
      { type: 'olm.bundle.object', value: { data: data(service) } },
    ],
    relatedImages: [
      { name: 'boat', image: 'registry.example/boat' },
      { name: '', image: 'registry.example/bundle:v1.3.0' },
    ],
  });
  expect(documents.filter(({ schema: one }) => one === 'olm.bundle')).toHaveLength(5);
});

test('bundles that are marked as deprecated are left out, as opm does', () => {
  const mark =
    "INSERT INTO properties (type, value, operatorbundle_name) VALUES ('olm.deprecated', '{}', 'boat.v1.0.0')";
  const documents = documentsOf(databaseWith(schema, rows, mark));
  expect(documents.some(({ name }) => name === 'boat.v1.0.0')).toBe(false);
  expect(JSON.stringify(documents.find(isChannel('stable')))).not.toContain('{"name":"boat.v1.0.0"');
});

const withoutProperties = schema.replace('CREATE TABLE properties', 'CREATE TABLE other_properties');
test.each([
  ['an older schema', [withoutProperties], /there is no table properties: .* opm migrates older ones/],
  [
    'a view in place of a table',
    [withoutProperties, "CREATE VIEW properties AS SELECT 'a' AS type, '{}' AS value, 'b' AS operatorbundle_name"],
    /there is no table properties/,
  ],
  [
    'a virtual table',
    [withoutProperties, 'CREATE VIRTUAL TABLE properties USING fts5(type, value, operatorbundle_name)'],
    /there is no table properties/,
  ],
  [
    'computed columns',
    [
      withoutProperties,
      'CREATE TABLE properties (type TEXT, operatorbundle_name TEXT, value TEXT AS (hex(zeroblob(900000))))',
    ],
    /computed columns/,
  ],
  ['a missing column', [schema, 'ALTER TABLE package DROP COLUMN default_channel'], /no column default_channel/],
  [
    'a manifest that is too large',
    [schema, "INSERT INTO operatorbundle (name, bundle) VALUES ('x', zeroblob(20000000))"],
    /row of 20\d+ bytes, the limit is 16777216/,
  ],
  [
    'properties that are no JSON',
    [schema, "INSERT INTO properties (type, value) VALUES ('a', '{')"],
    /database of the catalog: properties of bundle/,
  ],
  [
    'entries that lead to one another',
    [schema, rows, 'UPDATE channel_entry SET replaces = 1 WHERE entry_id = 7'],
    undefined,
  ],
])('%s is refused, or read in the time that it takes', (_what, statements, message) => {
  const path = databaseWith(...statements);
  if (message === undefined) expect(documentsOf(path).length).toBeGreaterThan(0);
  else expect(() => documentsOf(path)).toThrow(message);
});

test('a file that is no database, or a part of one, is refused, and a journal beside it is not replayed', () => {
  const path = join(folder, 'text.db');
  writeFileSync(path, 'SQLite format 3\0 but no more');
  expect(() => documentsOf(path)).toThrow(/^database of the catalog: /);
  const cut = databaseWith(schema, rows);
  writeFileSync(`${cut}-journal`, Buffer.alloc(4096, 1));
  writeFileSync(`${cut}-wal`, Buffer.alloc(4096, 1));
  expect(documentsOf(cut).length).toBeGreaterThan(5);
  truncateSync(cut, 8192);
  expect(() => documentsOf(cut)).toThrow(/^database of the catalog: /);
});
