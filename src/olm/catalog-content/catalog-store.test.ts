import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileRoom, silentLogger } from '../../base/index.ts';
import { buildCatalogIndex, type Meta } from '../../catalog/index.ts';
import { type CatalogRecord, CatalogStore } from './catalog-store.ts';

let dir: string;
let store: CatalogStore;

async function reopen(): Promise<void> {
  await store[Symbol.asyncDispose]();
  store = await CatalogStore.open(dir, silentLogger());
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-catalogs-'));
  store = await CatalogStore.open(dir, silentLogger());
});

afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function metaOf(name: string): Meta {
  const value = { schema: 'olm.package', name, defaultChannel: 'stable' };
  return { schema: 'olm.package', package: '', name, value, place: { file: 'catalog.yaml', line: 1 } };
}

async function prepare(name: string, packageName: string): Promise<string> {
  const { file, workDir } = await store.prepare(name);
  await mkdir(workDir, { recursive: true });
  await writeFile(join(workDir, 'layer'), 'x');
  await buildCatalogIndex([metaOf(packageName)], file);
  return file;
}

const record = { uid: 'u', ref: 'r', faults: [] as string[] } as unknown as CatalogRecord;
const packages = (name: string): readonly string[] | undefined => store.index(name)?.packageNames();

test('CR-C26 stored content survives a restart, and incomplete content is removed', async () => {
  await store.commit('a', await prepare('a', 'p'), record);
  const file = await prepare('a', 'q');
  await mkdir(join(dir, 'never'));
  await writeFile(join(dir, 'never', '0a-1.index.1.unfinished'), 'half');
  await reopen();
  expect([store.names(), packages('a')]).toEqual([['a'], ['p']]);
  expect(await readdir(join(dir, 'a'))).not.toContain(file.slice(dirname(file).length + 1));
  expect((await readdir(join(dir, 'a'))).length).toBe(2);
  expect((await readdir(dir)).filter((name) => !name.startsWith('lock.'))).toEqual(['a']);
});

test('content is replaced as a whole, and readers of the old content can finish', async () => {
  await store.commit('a', await prepare('a', 'p'), record);
  const old = store.index('a');
  using _use = old?.use();
  await store.commit('a', await prepare('a', 'q'), { ...record, ref: 'r2' });
  expect([packages('a'), old?.packageNames()]).toEqual([['q'], ['p']]);
  expect(store.find('a')?.ref).toBe('r2');
  expect((await readdir(join(dir, 'a'))).length).toBe(2);
});

test('corrupt content on disk counts as missing', async () => {
  await store.commit('a', await prepare('a', 'p'), record);
  const [index = ''] = (await readdir(join(dir, 'a'))).filter((name) => name.endsWith('.index'));
  await writeFile(join(dir, 'a', index), 'damaged');
  await reopen();
  expect(store.names()).toEqual([]);
  await store.commit('b', await prepare('b', 'p'), record);
  await writeFile(join(dir, 'b', 'current.json'), '{"fileName":"../../x.index","record":{}}');
  await reopen();
  expect(store.names()).toEqual([]);
});

test('content whose record cannot be read is not deleted, and the message explains what to do', async () => {
  await store.commit('a', await prepare('a', 'p'), record);
  const path = join(dir, 'a', 'current.json');
  const text = await readFile(path, 'utf8');
  // As root reads every file, a folder is in the way.
  await rm(path);
  await mkdir(path);
  await store[Symbol.asyncDispose]();
  await expect(CatalogStore.open(dir, silentLogger())).rejects.toMatchObject({ reason: 'DataFolderUnusable' });
  await rm(path, { recursive: true });
  await writeFile(path, text);
  store = await CatalogStore.open(dir, silentLogger());
  expect(packages('a')).toEqual(['p']);
});

test('other folders and files are retained', async () => {
  await mkdir(join(dir, 'thesis', 'chapters'), { recursive: true });
  await writeFile(join(dir, 'thesis', 'chapters', 'one'), 'x');
  await mkdir(join(dir, 'mixed'));
  await writeFile(join(dir, 'mixed', 'current.json'), '{}');
  await writeFile(join(dir, 'mixed', 'notes'), 'x');
  await reopen();
  expect(await readdir(join(dir, 'thesis', 'chapters'))).toEqual(['one']);
  expect(await readdir(join(dir, 'mixed'))).toEqual(['notes']);
});

test('the index receives priority and labels, and subscribers are notified of changes', async () => {
  let notified = 0;
  using _ = store.subscribe(() => {
    notified += 1;
  });
  await store.commit('a', await prepare('a', 'p'), record);
  store.describe('a', { priority: 5, labels: { x: 'y' } });
  expect(store.index('a')).toMatchObject({ name: 'a', priority: 5, labels: { x: 'y' } });
  store.describe('a', { priority: 5, labels: { x: 'y' } });
  expect(notified).toBe(2);
  await store.remove('a');
  expect([notified, store.index('a'), (await readdir(dir)).includes('a')]).toEqual([3, undefined, false]);
});

test('priority and labels that were set before the content apply to its index, and to the next one', async () => {
  store.describe('a', { priority: 5, labels: { x: 'y' } });
  for (const packageName of ['p', 'q']) {
    await store.commit('a', await prepare('a', packageName), record);
    expect(store.index('a')).toMatchObject({ priority: 5, labels: { x: 'y' } });
  }
  await store.remove('a');
  await store.commit('a', await prepare('a', 'p'), record);
  expect(store.index('a')?.priority).toBe(0);
});

test('the next attempt removes what failed attempts have left, except for what it can reuse', async () => {
  await store.commit('a', await prepare('a', 'p'), record);
  const failed = await prepare('a', 'q');
  await writeFile(`${failed}.1.unfinished`, 'half');
  await store.prepare('a');
  const left = await readdir(join(dir, 'a'));
  expect(left.filter((name) => !name.endsWith('.index')).toSorted()).toEqual(['current.json', 'work']);
  expect([left.length, packages('a')]).toEqual([3, ['p']]);
});

test('what failed attempts leave is limited for all catalogs together, and the last ones stay', async () => {
  await store[Symbol.asyncDispose]();
  store = await CatalogStore.open(dir, silentLogger(), { maxLeftBytes: 2 * fileRoom(1) });
  for (const name of ['a', 'b', 'c', 'd']) {
    await prepare(name, 'p');
    await store.leave(name);
  }
  const left = await Promise.all(['a', 'b', 'c', 'd'].map((name) => readdir(join(dir, name))));
  expect(left).toEqual([[], [], ['work'], ['work']]);
});

test('an invalid object name never becomes the name of a folder', async () => {
  for (const name of ['..', '../x', 'A', '', '.lock', 'a/b']) {
    await expect(store.prepare(name)).rejects.toThrow('its name can be no folder');
  }
});
