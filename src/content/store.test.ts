import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { list } from 'tar';
import { beforeEach, expect, test } from 'vitest';
import { defaultContentLimits } from '../base/index.ts';
import { createLocks } from './locks.ts';
import { ContentStore } from './store.ts';

const signal = new AbortController().signal;
const identity = { name: 'combo', uid: 'u1' };
let dir: string;
let store: ContentStore;

beforeEach(async () => {
  dir = `${tmpdir()}/store-${randomUUID()}`;
  store = await ContentStore.open({ dir, limits: defaultContentLimits, locks: createLocks() });
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
  const hasDirectory = await store.readDirectory(bundle, { name: 'manifests', maxFileBytes: 100, signal }, (entry) =>
    found.push(entry.kind === 'file' ? `${entry.name}=${entry.content.toString()}` : `${entry.name}/`),
  );
  return hasDirectory ? found : ['nothing'];
}

test('U1 what was never stored can be stored, under the name of the Bundle', async () => {
  await commit({ 'manifests/a': 'A' });
  await expect(readdir(dir)).resolves.toContain('combo.tgz');
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

test('U6 what is stored is gone once it is removed', async () => {
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

test('says when there is no such directory', async () => {
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
    `combo: content is no longer what it was: expected ${first.digest}, got sha256:`,
  );
  await expect(store.find(identity)).resolves.toEqual(first);
  await expect(readdir(`${dir}/temporary`)).resolves.toEqual([]);
});

test('says that content is lost when its file is gone or damaged', async () => {
  await commit({ 'manifests/a': 'A'.repeat(90) });
  await truncate(`${dir}/combo.tgz`, 60);
  await expect(manifestsOf(identity)).rejects.toThrow('combo: stored content is damaged');
  await rm(`${dir}/combo.tgz`);
  await expect(store.find(identity)).resolves.toBeUndefined();
  await expect(manifestsOf(identity)).rejects.toThrow('combo: no content is stored');
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
  expect((await readdir(dir)).sort()).toEqual(['blobs', 'combo.tgz', 'layers', 'records', 'temporary']);
});

test('refuses names that are no names of Bundles', async () => {
  await expect(commit({ a: '1' }, { name: '../evil' })).rejects.toThrow('"../evil" is not the name of a Bundle');
});
