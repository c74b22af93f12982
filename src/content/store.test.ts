import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { list } from 'tar';
import { beforeEach, expect, test } from 'vitest';
import { defaultContentLimits } from '../base/index.ts';
import { lockFolder } from './folder-lock.ts';
import { createLocks } from './locks.ts';
import { ContentStore } from './store.ts';

const signal = new AbortController().signal;
const identity = { name: 'combo', uid: 'u1' };
let dir: string;
const key = randomBytes(32);
let store: ContentStore;

beforeEach(async () => {
  dir = `${tmpdir()}/store-${randomUUID()}`;
  store = await ContentStore.open({ dir, limits: defaultContentLimits, locks: createLocks(), key });
  return async () => await rm(dir, { recursive: true, force: true });
});

async function commit(
  files: Record<string, string>,
  options: { name?: string; uid?: string; expectedDigest?: string } = {},
) {
  await using staging = await store.stage();
  const layer = staging.beginLayer('test');
  for (const [path, text] of Object.entries(files)) {
    layer.addFile(path, { sizeBytes: Buffer.byteLength(text), isExecutable: false })(Buffer.from(text));
  }
  return await store.commit(staging, { ...identity, facts: { objectCount: 1 }, signal, ...options });
}

async function manifestsOf(bundle: { name: string; uid: string }): Promise<string[]> {
  const found: string[] = [];
  const { present } = await store.readDirectories(
    bundle,
    { names: ['manifests'], maxFileBytes: 100, signal },
    (_, entry) => found.push(entry.kind === 'file' ? `${entry.name}=${entry.content.toString()}` : `${entry.name}/`),
  );
  return present.size > 0 ? found : ['nothing'];
}

test('U1 what was never stored can be stored, under the name of the Bundle', async () => {
  await commit({ 'manifests/a': 'A' });
  await expect(readdir(dir)).resolves.toContain('combo.tgz');
});

test('content that is not the expected one is refused', async () => {
  const { digest } = await commit({ 'manifests/a': 'A' });
  const read = (expectedDigest: string): Promise<unknown> =>
    store.readDirectories(identity, { names: ['manifests'], maxFileBytes: 100, expectedDigest, signal }, () => {});
  await read(digest);
  const other = `sha256:${'0'.repeat(64)}`;
  await expect(read(other)).rejects.toMatchObject({ reason: 'ContentChanged' });
  await expect(read(other)).rejects.toThrow(`expected the installed content ${other}, found ${digest}`);
});

test('U2, U3 what was never stored cannot be read, and can be removed all the same', async () => {
  await expect(manifestsOf(identity)).rejects.toMatchObject({
    reason: 'ContentLost',
    message: 'combo: no content is stored',
  });
  await expect(store.remove('combo')).resolves.toBeUndefined();
});

test('U4 what is stored can be stored again, and the last counts', async () => {
  await commit({ 'manifests/a': 'A' });
  await commit({ 'manifests/a': 'A' });
  await expect(manifestsOf(identity)).resolves.toEqual(['a=A']);
  await commit({ 'manifests/a': 'B' });
  await expect(manifestsOf(identity)).resolves.toEqual(['a=B']);
});

test('U5 what is stored has the paths, the contents and the kinds of entries that were given', async () => {
  await using staging = await store.stage();
  const layer = staging.beginLayer('test');
  const entries = { 'manifests/a': 'A', 'manifests/deep/b': 'B', README: '' };
  for (const [path, text] of Object.entries(entries)) {
    layer.addFile(path, { sizeBytes: text.length, isExecutable: path === 'README' })(Buffer.from(text));
  }
  await store.commit(staging, { ...identity, facts: { objectCount: 1 }, signal });
  const found: string[] = [];
  await list({
    file: `${dir}/combo.tgz`,
    onReadEntry: ({ path, type, mode, size }) => found.push(`${type} ${path} ${mode?.toString(8)} ${size}`),
  });
  expect(found).toEqual([
    'Directory . 755 0',
    'File README 755 0',
    'Directory manifests 755 0',
    'File manifests/a 644 1',
    'Directory manifests/deep 755 0',
    'File manifests/deep/b 644 1',
  ]);
  await expect(manifestsOf(identity)).resolves.toEqual(['a=A', 'deep/']);
});

test('a file whose name would be read as another one is refused, and the rest of it is not stored', async () => {
  const hidden = `docs/${'x'.repeat(250)}\n25 path=manifests/hidden\n`;
  const files = { 'manifests/a': 'A', 'docs/short\nname': 'B', [hidden]: 'H' };
  await expect(commit(files)).rejects.toMatchObject({ reason: 'UnsafePath' });
  await expect(commit(files)).rejects.toThrow('with a line break are not accepted');
  await expect(manifestsOf(identity)).rejects.toMatchObject({ reason: 'ContentLost' });
  await commit({ 'manifests/a': 'A', 'docs/short\nname': 'B' });
  await expect(manifestsOf(identity)).resolves.toEqual(['a=A']);
});

test('U6 what is stored does not exist after it is removed', async () => {
  await commit({ 'manifests/a': 'A' });
  await store.remove('combo');
  await expect(readdir(dir)).resolves.not.toContain('combo.tgz');
  await expect(store.find(identity)).resolves.toBeUndefined();
  await expect(manifestsOf(identity)).rejects.toThrow('combo: no content is stored');
});

test('finds what was stored, with the same uid only', async () => {
  const record = await commit({ 'manifests/b': 'B', 'manifests/a': 'A', 'manifests-2/c': 'C', 'manifests/d/e': 'E' });
  await expect(store.find(identity)).resolves.toEqual(record);
  await expect(store.find({ ...identity, uid: 'u2' })).resolves.toBeUndefined();
  await expect(manifestsOf(identity)).resolves.toEqual(['a=A', 'b=B', 'd/']);
});

test('reports a missing directory', async () => {
  await commit({ 'other/b': 'B' });
  await expect(manifestsOf(identity)).resolves.toEqual(['nothing']);
});

test('keeps <bundle>.tgz, a gzip tar of sorted names', async () => {
  const long = `manifests/${'x'.repeat(300)}`;
  await commit({ [long]: '1', README: '2', 'manifests/ü': '3' });
  const names: string[] = [];
  await list({ file: `${dir}/combo.tgz`, onReadEntry: (entry) => names.push(entry.path) });
  expect(names.map((name) => name.replace(/\/$/, ''))).toEqual(['.', 'README', 'manifests', long, 'manifests/ü']);
});

test('the digest depends on names and contents alone, and equal content is one blob', async () => {
  const first = await commit({ a: '1', b: '2' });
  const second = await commit({ b: '2', a: '1' }, { name: 'other' });
  expect(second.digest).toBe(first.digest);
  await expect(readdir(`${dir}/blobs/sha256`)).resolves.toHaveLength(1);
  await store.remove('combo');
  await expect(readdir(`${dir}/blobs/sha256`)).resolves.toHaveLength(1);
  await expect(access(`${dir}/combo.tgz`)).rejects.toThrow('ENOENT');
  await store.remove('other');
  await expect(readdir(`${dir}/blobs/sha256`)).resolves.toEqual([]);
});

test('refuses content that is not what it was, and keeps what is stored', async () => {
  const first = await commit({ a: '1' });
  await expect(commit({ a: '2' }, { expectedDigest: first.digest })).rejects.toThrow(
    `combo: content has changed: expected ${first.digest}, got sha256:`,
  );
  await expect(store.find(identity)).resolves.toEqual(first);
  await expect(readdir(`${dir}/temporary`)).resolves.toEqual([]);
});

test('reports lost content when its file is missing or damaged', async () => {
  await commit({ 'manifests/a': 'A'.repeat(90) });
  await truncate(`${dir}/combo.tgz`, 60);
  await expect(manifestsOf(identity)).rejects.toThrow('combo: stored content is damaged');
  // What is known of it stays, so that the same is fetched again.
  await expect(store.find(identity)).resolves.toMatchObject({ isEvicted: true });
  await commit({ 'manifests/a': 'A' });
  await rm(`${dir}/combo.tgz`);
  await expect(store.find(identity)).resolves.toBeUndefined();
  await expect(manifestsOf(identity)).rejects.toThrow('combo: no content is stored');
});

test('content is stored again after the folder of the store was removed', async () => {
  const { digest } = await commit({ 'manifests/a': 'A' });
  await rm(dir, { recursive: true });
  await expect(manifestsOf(identity)).rejects.toMatchObject({ reason: 'ContentLost' });
  await commit({ 'manifests/a': 'A' }, { expectedDigest: digest });
  await expect(manifestsOf(identity)).resolves.toEqual(['a=A']);
});

test('a sweep removes what a killed process left and keeps the rest', async () => {
  const record = await commit({ a: '1' });
  await writeFile(`${dir}/temporary/left`, 'x');
  await writeFile(`${dir}/half.tgz`, 'x');
  await writeFile(`${dir}/blobs/sha256/${'0'.repeat(64)}.tgz`, 'x');
  await mkdir(`${dir}/layers`);
  await store.sweep();
  await expect(store.find(identity)).resolves.toEqual(record);
  await expect(readdir(`${dir}/temporary`)).resolves.toEqual([]);
  await expect(readdir(`${dir}/blobs/sha256`)).resolves.toHaveLength(1);
  expect((await readdir(dir)).sort()).toEqual(['blobs', 'combo.tgz', 'layers', 'parsed', 'records', 'temporary']);
});

test('refuses names that are no names of Bundles', async () => {
  await expect(commit({ a: '1' }, { name: '../hostile' })).rejects.toThrow('"../hostile" is not the name of a Bundle');
});

/** Words that no compressor makes smaller. */
const noise = (sizeBytes: number): string => randomBytes(sizeBytes / 2).toString('hex');

interface Stored {
  readonly name: string;
  readonly type?: string;
}

async function bounded(maxBytes: number, restMs = 0): Promise<(stored: Stored) => Promise<void>> {
  store = await ContentStore.open({
    key,
    dir,
    limits: defaultContentLimits,
    locks: createLocks(),
    budget: { maxBytes, restMs },
  });
  return async ({ name, type = 'image' }) => {
    await using staging = await store.stage();
    const text = noise(100_000);
    const layer = staging.beginLayer('test');
    layer.addFile('manifests/a', { sizeBytes: text.length, isExecutable: false })(Buffer.from(text));
    await store.commit(staging, { name, uid: 'u1', facts: { resolvedSource: { type } }, signal });
  };
}

async function evictedNames(): Promise<string[]> {
  return (await store.list()).filter(({ isEvicted }) => isEvicted).map(({ name }) => name);
}

async function age(name: string, ageMs: number): Promise<void> {
  const then = new Date(Date.now() - ageMs);
  await utimes(`${dir}/records/${name}.json`, then, then);
}

test('a store with a budget evicts the least recently used contents, and only as many as necessary', async () => {
  const put = await bounded(180_000);
  for (const name of ['a', 'b', 'c']) await put({ name });
  await age('a', 1_000);
  await age('b', 3_000);
  await age('c', 2_000);
  await put({ name: 'd' });
  expect(await evictedNames()).toEqual(['b']);
  expect(await store.find({ name: 'b', uid: 'u1' })).toMatchObject({ isEvicted: true });
  expect(await readdir(dir)).not.toContain('b.tgz');
  expect((await store.usage()).contentBytes).toBeLessThanOrEqual(180_000);
  await expect(
    store.readDirectories({ name: 'b', uid: 'u1' }, { names: ['manifests'], maxFileBytes: 1e6, signal }, () => {}),
  ).rejects.toMatchObject({ reason: 'ContentLost' });
});

test('to read a content keeps it longer', async () => {
  const put = await bounded(120_000);
  for (const name of ['a', 'b']) await put({ name });
  await age('a', 3_000);
  await age('b', 2_000);
  await store.readDirectories({ name: 'a', uid: 'u1' }, { names: ['manifests'], maxFileBytes: 1e6, signal }, () => {});
  await put({ name: 'c' });
  expect(await evictedNames()).toEqual(['b']);
});

test.each(['upload', 'configMaps'])('content from %s is never evicted: then the store is full', async (type) => {
  const put = await bounded(120_000);
  for (const name of ['a', 'b']) await put({ name, type });
  await expect(put({ name: 'c' })).rejects.toMatchObject({ name: 'TransientError', reason: 'StoreFull' });
  expect(await evictedNames()).toEqual([]);
  expect((await store.list()).map(({ name }) => name).sort()).toEqual(['a', 'b']);
});

test('recently used contents are not evicted: then the store is full', async () => {
  const put = await bounded(120_000, 60_000);
  for (const name of ['a', 'b']) await put({ name });
  await expect(put({ name: 'c' })).rejects.toThrow(/^the content store is full: \d+ of its 120000 bytes are in use/);
  expect(await evictedNames()).toEqual([]);
});

test('contents used before the clock was set back by days are evicted as well', async () => {
  const put = await bounded(120_000, 60_000);
  for (const name of ['a', 'b']) {
    await put({ name });
    await age(name, -2 * 24 * 3_600_000);
  }
  await put({ name: 'c' });
  expect(await evictedNames()).toHaveLength(1);
});

test('a content of two Bundles counts once, and is evicted for both', async () => {
  const put = await bounded(120_000);
  await put({ name: 'a' });
  for (const name of ['twin-1', 'twin-2']) {
    await using staging = await store.stage();
    const text = 'x'.repeat(10);
    staging.beginLayer('test').addFile('manifests/a', { sizeBytes: 10, isExecutable: false })(Buffer.from(text));
    await store.commit(staging, { name, uid: 'u1', facts: { resolvedSource: { type: 'git' } }, signal });
    await age(name, 5_000);
  }
  expect((await store.usage()).contentCount).toBe(2);
  await put({ name: 'b' });
  await put({ name: 'c' });
  expect((await evictedNames()).sort()).toEqual(expect.arrayContaining(['twin-1', 'twin-2']));
});

test('uploads count as well', async () => {
  const put = await bounded(120_000, 60_000);
  await mkdir(`${dir}/uploads`, { recursive: true });
  await writeFile(`${dir}/uploads/sent.tgz`, randomBytes(100_000));
  await expect(put({ name: 'a' })).rejects.toMatchObject({ reason: 'StoreFull' });
  await expect(store.makeRoom(30_000, { signal })).rejects.toMatchObject({ reason: 'StoreFull' });
});

test('a sweep retains the contents of Bundles and the records of evicted ones', async () => {
  const put = await bounded(60_000);
  await put({ name: 'a' });
  await put({ name: 'b' });
  await store.sweep();
  expect(await evictedNames()).toEqual(['a']);
  expect(await store.find({ name: 'b', uid: 'u1' })).toMatchObject({ name: 'b' });
});

test('a folder is for one process at a time, which is named, and free again when that has ended', async () => {
  const first = lockFolder(dir);
  expect(() => lockFolder(dir)).toThrow(
    new RegExp(`^data folder ${dir}: another process has it open: process ${process.pid} on .+ since 2.+Z; stop it`),
  );
  first[Symbol.dispose]();
  lockFolder(dir)[Symbol.dispose]();
});

test('all Bundles of one content share its disk space until the last one is removed', async () => {
  await bounded(1_000_000);
  for (const name of ['a', 'b', 'c']) {
    await using staging = await store.stage();
    staging.beginLayer('test').addFile('manifests/a', { sizeBytes: 4, isExecutable: false })(Buffer.from('same'));
    await store.commit(staging, { name, uid: 'u1', facts: { resolvedSource: { type: 'git' } }, signal });
  }
  const inodes = await Promise.all(['a', 'b', 'c'].map(async (name) => (await stat(`${dir}/${name}.tgz`)).ino));
  expect(new Set(inodes).size).toBe(1);
  await store.remove('c');
  await store.remove('a');
  expect((await store.usage()).contentCount).toBe(1);
  await store.readDirectories({ name: 'b', uid: 'u1' }, { names: ['manifests'], maxFileBytes: 1e6, signal }, () => {});
  await store.remove('b');
  expect((await store.usage()).contentCount).toBe(0);
});
