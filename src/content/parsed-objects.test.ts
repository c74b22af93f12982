import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { beforeEach, expect, test } from 'vitest';
import { defaultContentLimits } from '../base/index.ts';
import { createLocks } from './locks.ts';
import { packObjects } from './parsed-objects.ts';
import { ContentStore, type ContentStoreOptions } from './store.ts';

const signal = new AbortController().signal;
const format = 'plain+v0';
const key = randomBytes(32);
const parsed = { objects: [{ kind: 'A', large: 9_007_199_254_740_993n, negative: -0 }], byName: new Map([['a', 1]]) };
const uid = 'u1';
let dir: string;
let store: ContentStore;

async function open(options: Pick<Partial<ContentStoreOptions>, 'budget' | 'key'> = {}): Promise<void> {
  store = await ContentStore.open({ dir, limits: defaultContentLimits, locks: createLocks(), key, ...options });
}

beforeEach(async () => {
  dir = `${tmpdir()}/store-${randomUUID()}`;
  await open();
  return async () => await rm(dir, { recursive: true, force: true });
});

/** Stores content of a Bundle and what it was parsed into; returns its digest. */
async function put(name: string, objects: unknown = parsed, text = 'A'): Promise<string> {
  await using staging = await store.stage();
  const layer = staging.beginLayer('test');
  layer.addFile('manifests/a', { sizeBytes: text.length, isExecutable: false })(Buffer.from(text));
  const facts = { resolvedSource: { type: 'image' } };
  const options = { name, uid, facts, parsed: await packObjects(format, objects), signal };
  return (await store.commit(staging, options)).digest;
}

const read = (name: string, expectedDigest: string, byFormat = format): Promise<unknown> =>
  store.readParsed({ name, uid }, { format: byFormat, expectedDigest, signal });

/** As the provisioner does when nothing is stored that it could use. */
async function parseAgain(name: string, digest: string): Promise<void> {
  const directories = { names: ['manifests'], maxFileBytes: 100, signal };
  const { archiveDigest } = await store.readDirectories({ name, uid }, directories, () => {});
  const packed = await packObjects(format, parsed);
  if (packed !== undefined) await store.saveParsed({ name, uid }, { digest, archiveDigest, packed }, { signal });
}

test('what content was parsed into is stored with it, digit for digit, and for all Bundles of that content', async () => {
  const digest = await put('a');
  expect(await read('a', digest)).toStrictEqual(parsed);
  await put('b');
  expect(await read('b', digest)).toStrictEqual(parsed);
  expect(await readdir(`${dir}/parsed`)).toEqual([digest.slice('sha256:'.length)]);
});

test('it is for the same format, the same content and the same Bundle alone', async () => {
  const digest = await put('a');
  expect(await read('a', digest, 'registry+v1')).toBeUndefined();
  expect(await read('a', `sha256:${'0'.repeat(64)}`)).toBeUndefined();
  expect(await store.readParsed({ name: 'a', uid: 'u2' }, { format, expectedDigest: digest, signal })).toBeUndefined();
});

test.each<{ name: string; damage: (file: string) => Promise<void> }>([
  { name: 'missing', damage: (file) => rm(file) },
  { name: 'cut off', damage: (file) => truncate(file, 200) },
  { name: 'empty', damage: (file) => truncate(file, 0) },
  { name: 'something else', damage: (file) => writeFile(file, '{}\n') },
  {
    name: 'changed by a bit',
    damage: async (file) => {
      const bytes = await readFile(file);
      bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
      await writeFile(file, bytes);
    },
  },
])('a file that is $name means that the content is parsed again', async ({ damage }) => {
  const digest = await put('a');
  await damage(`${dir}/parsed/${digest.slice('sha256:'.length)}`);
  expect(await read('a', digest)).toBeUndefined();
  await parseAgain('a', digest);
  expect(await read('a', digest)).toStrictEqual(parsed);
});

test('a file that another process has written means that the content is parsed again', async () => {
  await open({ key: randomBytes(32) });
  const digest = await put('a');
  await open();
  expect(await read('a', digest)).toBeUndefined();
});

test('a damaged archive is noticed although its objects are stored', async () => {
  const digest = await put('a', parsed, 'A'.repeat(90));
  await truncate(`${dir}/a.tgz`, 60);
  expect(await read('a', digest)).toBeUndefined();
  await expect(parseAgain('a', digest)).rejects.toMatchObject({ reason: 'ContentLost' });
  expect(await readdir(`${dir}/parsed`)).toEqual([]);
});

test('it is removed with its content, and never without it', async () => {
  const digest = await put('a');
  await put('b');
  await store.remove('a');
  expect(await read('b', digest)).toStrictEqual(parsed);
  await store.remove('b');
  expect(await readdir(`${dir}/parsed`)).toEqual([]);
  const later = await put('c');
  await writeFile(`${dir}/parsed/${'0'.repeat(64)}`, 'left by a killed process');
  await store.sweep();
  expect(await readdir(`${dir}/parsed`)).toEqual([later.slice('sha256:'.length)]);
});

test('it counts for the budget, is evicted with its content, and is left out where there is no room for it', async () => {
  const noise = randomBytes(20_000).toString('hex');
  await open({ budget: { maxBytes: 40_000, restMs: 0 } });
  await put('a', [noise]);
  expect((await store.usage()).contentBytes).toBeGreaterThan(20_000);
  const digest = await put('b', [noise], 'B');
  expect(await read('b', digest)).toBeUndefined();
  const latest = await put('c', [], randomBytes(25_000).toString('hex'));
  expect((await store.list()).filter(({ isEvicted }) => isEvicted).map(({ name }) => name)).toContain('a');
  expect(await readdir(`${dir}/parsed`)).toEqual([latest.slice('sha256:'.length)]);
});

test('what is too large, aliases written out, is not stored', async () => {
  const text = 'x'.repeat(1_000_000);
  expect(
    await packObjects(
      format,
      Array.from({ length: 20 }, () => text),
    ),
  ).toBeDefined();
  expect(
    await packObjects(
      format,
      Array.from({ length: 40 }, () => text),
    ),
  ).toBeUndefined();
});
