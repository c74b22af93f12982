import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Digest } from '../base/index.ts';
import { createLocks } from '../content/index.ts';
import { type LayerAccess, LayerCache } from './layer-cache.ts';

const { signal } = new AbortController();
/** Smaller ones count as much. */
const layerBytes = 64 * 1024;
/** What each file counts at least. */
const tinyRoomBytes = 16 * 1024;

let dir: string;
beforeEach(() => {
  dir = `${tmpdir()}/layer-cache-${randomUUID()}`;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Whether it was taken from the cache. */
async function put(cache: LayerCache, name: string, asker: Partial<LayerAccess> = {}): Promise<boolean> {
  const content = Buffer.alloc(layerBytes, name);
  const layer = { digest: sha256Digest(content), sizeBytes: layerBytes };
  const access = { origin: 'registry.example.com', mayRead: () => Promise.resolve(true), signal, ...asker };
  let isCached = true;
  await cache.obtain(layer, access, async (part) => {
    isCached = false;
    await part.discard();
    await part.append(name, [content] as unknown as AsyncIterable<Uint8Array>);
  });
  return isCached;
}

test('a layer is given to those only whom its registry lets read it now', async () => {
  const cache = new LayerCache({ dir, maxBytes: 1e9, locks: createLocks() });
  expect(await put(cache, 'private')).toBe(false);
  expect(await put(cache, 'private')).toBe(true);
  expect(await put(cache, 'private', { mayRead: () => Promise.resolve(false) })).toBe(false);
  expect(await put(cache, 'private', { origin: 'hostile.example.net' })).toBe(false);
});

/** Those of one image, of which there may be very many. */
async function putTinyLayers(cache: LayerCache, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const content = Buffer.from(`layer ${index}`);
    const layer = { digest: sha256Digest(content), sizeBytes: content.length };
    const access = { origin: 'registry.example.com', mayRead: () => Promise.resolve(true), signal };
    await cache.obtain(layer, access, (part) =>
      part.append('layer', [content] as unknown as AsyncIterable<Uint8Array>),
    );
  }
}

test('very many tiny layers are evicted as well, though they have few bytes', async () => {
  await putTinyLayers(new LayerCache({ dir, maxBytes: 50 * tinyRoomBytes, locks: createLocks() }), 500);
  expect((await readdir(dir)).length).toBeLessThanOrEqual(60);
});

async function bytesOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(`${folder}/${name}`)).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('several caches of one folder stay near its limit together', async () => {
  const maxBytes = 50 * layerBytes;
  const caches = [1, 2].map(() => new LayerCache({ dir, maxBytes, locks: createLocks() }));
  for (let round = 0; round < 200; round += 1) {
    for (const [index, cache] of caches.entries()) await put(cache, `layer ${round} of ${index}; `);
    expect(await bytesOf(dir)).toBeLessThanOrEqual(maxBytes * 1.1);
  }
  expect(await bytesOf(dir)).toBeGreaterThan(maxBytes / 2);
});

test('a part that was not requested for a day is evicted with the first layer', async () => {
  await mkdir(dir);
  const part = `${'2'.repeat(64)}.partial`;
  await writeFile(`${dir}/${part}`, 'x');
  const then = new Date(Date.now() - 25 * 60 * 60_000);
  await utimes(`${dir}/${part}`, then, then);
  await put(new LayerCache({ dir, maxBytes: 1e9, locks: createLocks() }), 'layer');
  expect(await readdir(dir)).not.toContain(part);
});

/** A transfer that breaks off when its last byte is missing. */
async function breakOff(cache: LayerCache, name: string): Promise<void> {
  const content = Buffer.alloc(layerBytes, name);
  const layer = { digest: sha256Digest(content), sizeBytes: layerBytes };
  const access = { origin: 'registry.example.com', mayRead: () => Promise.resolve(true), signal };
  const pieces = [content.subarray(1)] as unknown as AsyncIterable<Uint8Array>;
  await cache.obtain(layer, access, (part) => part.append(name, pieces)).catch(() => undefined);
}

test('parts of transfers that broke off lately take no more than twice the limit, the newest ones stay', async () => {
  const maxBytes = 10 * layerBytes;
  const cache = new LayerCache({ dir, maxBytes, locks: createLocks() });
  for (let round = 0; round < 50; round += 1) await breakOff(cache, `layer ${round}`);
  expect(await bytesOf(dir)).toBeLessThanOrEqual(2 * maxBytes);
  expect(await bytesOf(dir)).toBeGreaterThan(maxBytes / 2);
});

test('a part that made room while its layer was fetched is fetched again', async () => {
  const cache = new LayerCache({ dir, maxBytes: 1e9, locks: createLocks() });
  const content = Buffer.alloc(layerBytes, 'layer');
  const layer = { digest: sha256Digest(content), sizeBytes: layerBytes };
  const access = { origin: 'registry.example.com', mayRead: () => Promise.resolve(true), signal };
  await expect(cache.obtain(layer, access, (part) => part.discard())).rejects.toMatchObject({
    reason: 'TransferBroken',
  });
});
