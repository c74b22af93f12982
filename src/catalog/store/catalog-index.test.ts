import { copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject, textAt } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { buildCatalogIndex } from './build-index.ts';
import { openCatalogIndex } from './catalog-index.ts';
import { gzipHeader, gzipTrailer } from './gzip-segments.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-index-'));
  folders.push(folder);
  return join(folder, 'catalog.index');
}

function meta(value: JsonObject, line = 1): Meta {
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.yaml', line } };
}

function bundle(name: string, version: string, more: JsonObject[] = []): Meta {
  const properties = [{ type: 'olm.package', value: { packageName: 'p', version } }, ...more];
  return meta({ schema: 'olm.bundle', package: 'p', name, image: `registry.example/${name}`, properties });
}

const api = { group: 'p.example', version: 'v1', kind: 'Thing' };
const metas: readonly Meta[] = [
  meta({ schema: 'olm.package', name: 'p', defaultChannel: 'stable', icon: { base64data: 'AAAA', mediatype: 'x' } }, 7),
  meta({
    schema: 'olm.channel',
    package: 'p',
    name: 'stable',
    entries: [{ name: 'p.v1' }, { name: 'p.v2', replaces: 'p.v1', skips: ['p.v0'], skipRange: '<2.0.0' }],
  }),
  bundle('p.v1', '1.0.0'),
  bundle('p.v2', '2.0.0', [
    { type: 'olm.gvk', value: api },
    { type: 'olm.csv.metadata', value: { description: 'long' } },
  ]),
  bundle('p.v3', 'no version'),
  meta({
    schema: 'olm.deprecations',
    package: 'p',
    entries: [{ reference: { schema: 'olm.bundle', name: 'p.v1' }, message: 'old' }],
  }),
  meta({ schema: 'custom', name: 'global', z: 1, a: [{ y: 1, b: '<é>' }] }),
];

test('an index answers what choosing bundles needs, without what only user interfaces need', async () => {
  const file = await newFile();
  const indexed = await buildCatalogIndex(metas, file);
  using index = openCatalogIndex(file, { name: 'c', priority: 3 });
  expect(index).toMatchObject({ name: 'c', priority: 3, digest: indexed.digest, metaCount: metas.length });
  expect(index.packageNames()).toEqual(['p']);
  expect(index.packagesProviding(api)).toEqual(['p']);
  expect(index.packagesProviding({ ...api, kind: 'Other' })).toEqual([]);
  expect(index.package('q')).toBeUndefined();
  const found = index.package('p');
  expect(found).toBe(index.package('p'));
  expect(found).toMatchObject({ name: 'p', defaultChannel: 'stable' });
  expect(found?.channels).toEqual([
    {
      name: 'stable',
      entries: [
        { name: 'p.v1', skips: [] },
        { name: 'p.v2', replaces: 'p.v1', skips: ['p.v0'], skipRange: '<2.0.0' },
      ],
    },
  ]);
  expect([...(found?.bundles.keys() ?? [])]).toEqual(['p.v1', 'p.v2']);
  expect(found?.bundles.get('p.v1')?.deprecation).toBe('old');
  expect(found?.bundles.get('p.v2')?.properties.map(({ type }) => type)).toEqual(['olm.package', 'olm.gvk']);
});

test('documents come back whole, by filter, with their places', async () => {
  const file = await newFile();
  const { lengthBytes } = await buildCatalogIndex(metas, file);
  using index = openCatalogIndex(file);
  expect([...index.metas()]).toEqual(metas);
  const names = (filter: Parameters<typeof index.metas>[0]): string[] =>
    [...index.metas(filter)].map(({ name }) => name);
  expect(names({ schema: 'olm.bundle', name: 'p.v2' })).toEqual(['p.v2']);
  expect(names({ package: 'p', schema: 'olm.package' })).toEqual([]);
  expect(names({ package: 'p', isPackageIncluded: true, schema: 'olm.package' })).toEqual(['p']);
  expect(names({ schema: 'OLM.bundle' })).toEqual([]);
  const all = Buffer.concat([...index.select().lines()]).toString();
  expect(all).toHaveLength(lengthBytes - 1); // é takes two bytes
  expect(all.split('\n').at(-2)).toBe('{"a":[{"b":"<é>","y":1}],"name":"global","schema":"custom","z":1}');
  const whole = Buffer.from(all);
  expect(Buffer.concat([...index.select().lines(50, 700)])).toEqual(whole.subarray(50, 700));
  for (const chosen of [index.select({ schema: 'olm.bundle' }), index.select(), index.select({ name: 'x' })]) {
    const stream = [gzipHeader(), ...chosen.segments(), gzipTrailer(chosen.checksum(), chosen.lengthBytes)];
    expect(gunzipSync(Buffer.concat(stream))).toEqual(Buffer.concat([...chosen.lines()]));
  }
});

test('packages are found by a bundle of theirs', async () => {
  const file = await newFile();
  await buildCatalogIndex([...metas, { ...bundle('p.v2', '2.0.0'), package: 'another' }], file);
  using index = openCatalogIndex(file);
  expect(index.packagesWith('p.v2')).toEqual(['another', 'p']);
  expect(index.packagesWith('p')).toEqual([]);
});

test('a package that is too large is left out, its documents are not', async () => {
  const file = await newFile();
  const large = [
    meta({ schema: 'olm.package', name: 'q', defaultChannel: 'c' }),
    meta({ schema: 'olm.channel', package: 'q', name: 'c', entries: [{ name: 'x'.repeat(10_000) }] }),
  ];
  const { oversized } = await buildCatalogIndex([...metas, ...large], file, { maxPackageCharacters: 10_000 });
  expect(oversized.map(({ name }) => name)).toEqual(['q']);
  using index = openCatalogIndex(file);
  expect([index.packageNames(), index.package('q'), index.metaCount]).toEqual([['p'], undefined, metas.length + 2]);
});

test.each([
  { name: 'manifests', properties: [{ type: 'olm.bundle.object', value: { data: 'e'.repeat(20_000) } }] },
  { name: 'properties', properties: [{ type: 'custom', value: 'x'.repeat(20_000) }] },
  { name: 'members that no message has', properties: [], more: { ignored: 'x'.repeat(20_000) } },
])('a bundle with large $name in very many channels does not fill the disk', async ({ properties, more = {} }) => {
  const channels = Array.from({ length: 500 }, (_, n) =>
    meta({ schema: 'olm.channel', package: 'q', name: `c${n}`, entries: [{ name: 'q.v1' }] }),
  );
  const identity = { type: 'olm.package', value: { packageName: 'q', version: '1.0.0' } };
  const large = { schema: 'olm.bundle', package: 'q', name: 'q.v1', properties: [identity, ...properties], ...more };
  const file = await newFile();
  const all = [...metas, meta({ schema: 'olm.package', name: 'q', defaultChannel: 'c0' }), ...channels, meta(large)];
  const built = buildCatalogIndex(all, file, { maxMemberBytes: 1_000_000 });
  await expect(built).rejects.toThrow('package "q": the bundles of the catalog are too large for all channels');
  expect(await readdir(dirname(file))).toEqual([]);
});

test('a catalog of nothing has an index, too', async () => {
  const file = await newFile();
  await buildCatalogIndex([], file);
  using index = openCatalogIndex(file);
  expect([index.packageNames(), [...index.select().lines()]]).toEqual([[], []]);
});

test('readers of an index go on when it is closed and its file replaced', async () => {
  const file = await newFile();
  await buildCatalogIndex(metas, file);
  const index = openCatalogIndex(file);
  const lines = index.select().lines()[Symbol.iterator]();
  lines.next();
  index[Symbol.dispose]();
  await buildCatalogIndex(metas.slice(0, 1), file);
  let count = 1;
  while (lines.next().done !== true) count += 1;
  expect(count).toBe(metas.length);
  expect(() => index.packageNames()).toThrow();
  using next = openCatalogIndex(file);
  expect(next.metaCount).toBe(1);
});

test('an index that cannot be finished leaves the one before, and nothing else', async () => {
  const file = await newFile();
  await buildCatalogIndex(metas, file);
  const before = await readFile(file);
  async function* broken(): AsyncGenerator<Meta> {
    yield* metas;
    throw new Error('line 8: bad');
  }
  await expect(buildCatalogIndex(broken(), file)).rejects.toThrow('line 8: bad');
  await expect(buildCatalogIndex(metas, file, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(await readFile(file)).toEqual(before);
  expect(await readdir(join(file, '..'))).toEqual(['catalog.index']);
});

test('the same documents give the same digest, others another', async () => {
  const [a, b] = [await newFile(), await newFile()];
  const { digest } = await buildCatalogIndex(metas, a);
  const shuffled = metas.map((one) => {
    return { ...one, value: Object.fromEntries(Object.entries(one.value).toReversed()), place: { file: 'x', line: 1 } };
  });
  expect((await buildCatalogIndex(shuffled, b)).digest).toBe(digest);
  expect((await buildCatalogIndex(metas.toReversed(), b)).digest).not.toBe(digest);
});

test.each<readonly [string, (file: string) => Promise<void>, RegExp]>([
  ['no database', (file) => writeFile(file, 'a shopping list\n'.repeat(20)), /it is no index of a catalog: remove it/],
  ['nothing', (file) => writeFile(file, ''), /it is no index of a catalog/],
  ['cut in a page', (file) => truncate(file, 5000), /it has 5000 bytes, expected \d+/],
  ['cut between pages', (file) => truncate(file, 8192), /it has 8192 bytes, expected \d+/],
  [
    'of another program',
    async (file) => {
      await rm(file);
      const database = new DatabaseSync(file);
      database.exec('CREATE TABLE songs (name TEXT)');
      database.close();
    },
    /it is a database of another program/,
  ],
  [
    'of an older format',
    async (file) => {
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
    /its format is 99, expected \d+/,
  ],
  [
    'corrupt at its beginning',
    async (file) => {
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0x55, 100, 4096));
    },
    /malformed|damaged/,
  ],
])('a file that is %s is refused, with what to do next', async (_what, corrupt, message) => {
  const file = await newFile();
  await buildCatalogIndex(metas, file);
  await corrupt(file);
  expect(() => openCatalogIndex(file)).toThrow(
    expect.objectContaining({ reason: 'CatalogIndexUnusable', message: expect.stringMatching(message) as string }),
  );
  await copyFile(file, `${file}.kept`);
  await buildCatalogIndex(metas, file);
  using index = openCatalogIndex(file);
  expect(index.metaCount).toBe(metas.length);
});

test('a package that is asked for again is neither compiled nor read again', async () => {
  const file = await newFile();
  await buildCatalogIndex([...metas, meta({ schema: 'olm.package', name: 'q', defaultChannel: 'c' })], file);
  using index = openCatalogIndex(file);
  const first = index.members.packageMessage('p');
  expect(first).toBeInstanceOf(Uint8Array);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  try {
    expect(index.members.packageMessage('p')).toBe(first);
    expect(index.members.packageMessage('q')).toBeInstanceOf(Uint8Array);
    expect(prepare).not.toHaveBeenCalled();
  } finally {
    prepare.mockRestore();
  }
});
