import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { errorMessage, sha256Digest } from '../../src/base/index.ts';
import {
  eventually,
  fileEntries,
  neverAnswers,
  type Registry,
  startRegistry,
  startWebServer,
  tarFile,
} from '../../test/support/index.ts';
import { createUnpacker, type Unpacker } from './index.ts';

const mebibyte = 1024 * 1024;
/** Twice what fits into the room of a thread, which is six times a bundle. */
const count = 12;
const limits = { unpackedBytes: 2 * mebibyte, compressedLayerBytes: 2 * mebibyte };
const roomBytes = 6 * 2 * mebibyte;
const nearlyAll = Math.floor(1.9 * mebibyte);
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

interface Opened extends AsyncDisposable {
  readonly storeDir: string;
  readonly unpacker: Unpacker;
}

async function open(own: Partial<typeof limits> = {}): Promise<Opened> {
  const storeDir = await mkdtemp(join(tmpdir(), 'temporary-room-'));
  const options = {
    storeDir,
    answerDeadlineMs: 60_000,
    storeBytes: 1024 ** 3,
    threads: 1,
    limits: { ...limits, ...own },
  };
  const unpacker = await createUnpacker(options);
  return {
    storeDir,
    unpacker,
    async [Symbol.asyncDispose]() {
      await unpacker[Symbol.asyncDispose]();
      await rm(storeDir, { recursive: true, force: true });
    },
  };
}

async function sizeBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const facts = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return facts.reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
}

async function unpack(
  { unpacker }: Opened,
  name: string,
  work: { readonly source: { readonly type: string }; readonly signal: AbortSignal },
): Promise<string> {
  const { source, signal } = work;
  const request = { bundle: { name, uid: name }, provisionerClassName: 'core-rukpak-io-plain', source };
  return await unpacker.unpack(request, { signal }).then(() => 'unpacked', errorMessage);
}

/** Unpacks sources that take much and never end, until the ones that cannot stay were ended; then one that takes little. */
async function assertOthersUnpacked(opened: Opened, sources: readonly { readonly type: string }[]): Promise<void> {
  const stop = new AbortController();
  const ended: string[] = [];
  const all = sources.map((source, index) =>
    unpack(opened, `slow-${index}`, { source, signal: stop.signal }).then((outcome) => ended.push(outcome)),
  );
  const fitting = Math.floor(roomBytes / nearlyAll);
  await eventually(() => expect(ended).toHaveLength(count - fitting));
  expect(new Set(ended.map((outcome) => outcome.replace(/\d+/g, 'N')))).toEqual(
    new Set([
      'source bundle content: bundles that are fetched at the same time take more than the limit of N bytes on disk together: this one, which had N bytes for the longest time, makes room for others',
    ]),
  );
  expect(await sizeBytes(join(opened.storeDir, 'temporary'))).toBeLessThanOrEqual(roomBytes);
  await using web = await startWebServer((_, response) =>
    response.end(gzipSync(tarFile(fileEntries({ 'manifests/a.yaml': configMap })))),
  );
  const source = { type: 'http', http: { url: `${web.url}/small.tgz` } };
  expect(await unpack(opened, 'small', { source, signal: new AbortController().signal })).toBe('unpacked');
  stop.abort();
  await Promise.all(all);
}

/** Unpacks to nearly as much as it may. */
const largeLayer = gzipSync(tarFile(fileEntries({ 'manifests/a.yaml': Buffer.alloc(nearlyAll) })));

/** An image of a layer, and one that never comes. */
function putSlowImage(registry: Registry, name: string, large: Buffer = largeLayer): string {
  const mediaType = 'application/vnd.oci.image.layer.v1.tar';
  const layers = [
    { mediaType: `${mediaType}+gzip`, digest: registry.putBlob(large), size: large.length },
    { mediaType, digest: sha256Digest(name), size: 10 },
  ];
  registry.putManifest(`${name}:v1`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    layers,
  });
  return `${registry.host}/${name}:v1`;
}

test('images that unpack to much, and whose last layers never come, make room on the disk for others', async () => {
  const names = Array.from({ length: count }, (_, index) => `slow${index}`);
  const silent = names.map((name) => sha256Digest(name));
  await using registry = await startRegistry({
    intercept: (request, response) => silent.some((digest) => neverAnswers(digest)(request, response)),
  });
  const sources = names.map((name) => ({ type: 'image', image: { ref: putSlowImage(registry, name) } }));
  await using opened = await open();
  await assertOthersUnpacked(opened, sources);
});

test('archives of web servers that are large and never end make room on the disk for others', async () => {
  await using web = await startWebServer((_, response) => {
    response.on('error', () => undefined).write(Buffer.alloc(nearlyAll));
  });
  await using opened = await open();
  const sources = Array.from({ length: count }, (_, index) => ({ type: 'http', http: { url: `${web.url}/${index}` } }));
  await assertOthersUnpacked(opened, sources);
});

/** An archive that gives its entries 60 MB of records, in which their names may be. */
function manyRecords(): Buffer {
  const digits = 7;
  const comment = ' comment=';
  const record = `1000000${comment}${'x'.repeat(1_000_000 - digits - comment.length - 1)}\n`;
  const entries = Array.from({ length: 60 }, (_, index) => [
    { path: `x${index}`, typeFlag: 'x', content: record },
    { path: `file${index}`, content: '' },
  ]);
  return gzipSync(tarFile(entries.flat()));
}

test('images with very many names, whose last layers never come, make room in memory for others', async () => {
  const names = ['first', 'second', 'third'];
  const silent = names.map((name) => sha256Digest(name));
  await using registry = await startRegistry({
    intercept: (request, response) => silent.some((digest) => neverAnswers(digest)(request, response)),
  });
  const records = manyRecords();
  await using opened = await open({ unpackedBytes: 256 * mebibyte });
  const stop = new AbortController();
  const ended: string[] = [];
  const all = names.map(async (name) => {
    const source = { type: 'image', image: { ref: putSlowImage(registry, name, records) } };
    ended.push(await unpack(opened, name, { source, signal: stop.signal }));
  });
  await eventually(() => expect(ended).toHaveLength(2));
  expect(new Set(ended.map((outcome) => outcome.replace(/\d+/g, 'N')))).toEqual(
    new Set([
      'source bundle content: the names of files of bundles that are fetched at the same time take more than the limit of N bytes of memory together: this one, which had N bytes for the longest time, makes room for others',
    ]),
  );
  stop.abort();
  await Promise.all(all);
});
