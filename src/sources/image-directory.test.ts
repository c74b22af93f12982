import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, type LayerContent, type Registry, startRegistry } from '../../test/support/index.ts';
import { defaultContentLimits, sha256Digest, systemClock } from '../base/index.ts';
import { createLocks, Staging } from '../content/index.ts';
import { createHttpClient } from './http-client.ts';
import { fetchImage, type ImageSourceDeps, pinImage } from './image.ts';
import { parsePlatform } from './image-manifest.ts';
import { LayerCache } from './layer-cache.ts';
import { RateLimits } from './rate-limits.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const { signal } = new AbortController();
let dir: string;
let registry: Registry;
let deps: ImageSourceDeps;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-directory-'));
  registry = await startRegistry();
  const clock = systemClock;
  deps = {
    http: createHttpClient({ caPem: [], answerDeadlineMs: 10_000 }),
    clock,
    cache: new LayerCache({ dir: join(dir, 'layers'), maxBytes: 10_000_000, locks: createLocks() }),
    limits: new RateLimits(clock),
    insecureRegistries: [],
    platform: parsePlatform('linux/amd64'),
  };
});

afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Files that are taken of an image, or why none are. */
async function taken(layers: readonly LayerContent[], labels?: Readonly<Record<string, string>>): Promise<string[]> {
  registry.putImage('cat:v1', layers, labels);
  await using staging = await Staging.create(join(dir, 'spool'), { ...defaultContentLimits, unpackedBytes: 1000 });
  const source = { type: 'image', image: { ref: `${registry.host}/cat:v1` } };
  await fetchImage(deps, { source, staging, directoryLabel: label }, { signal });
  return [...staging.tree.entries()].filter(({ node }) => node.kind === 'file').map(({ path }) => path);
}

test('only the labelled directory of an image is taken, whatever else the image holds', async () => {
  const layers: LayerContent[] = [
    {
      files: { 'bin/opm': 'x'.repeat(5000), 'configs/old/catalog.yaml': '{}', 'configs/kept/catalog.yaml': '{}' },
      entries: [
        { path: 'dev/null', typeFlag: '3' },
        { path: 'bin/sh', typeFlag: '2', linkPath: '/usr/bin/sh' },
      ],
    },
    { files: { 'configs/.wh.old': '', 'configs/new/catalog.yaml': '{}', 'bin/.wh.opm': '' } },
  ];
  expect(await taken(layers, { [label]: '/configs' })).toEqual(['kept/catalog.yaml', 'new/catalog.yaml']);
});

test('a whiteout above the labelled directory hides it', async () => {
  const layers: LayerContent[] = [
    { files: { 'a/configs/x': '{}' } },
    { files: { '.wh.a': '' } },
    { files: { 'a/configs/y': '{}' } },
  ];
  expect(await taken(layers, { [label]: 'a/configs/' })).toEqual(['y']);
});

test('a path outside the label is reported', async () => {
  const layers: LayerContent[] = [{ files: { 'configs/x': '{}' } }];
  await expect(taken(layers)).rejects.toMatchObject({
    reason: 'LabelMissing',
    message: `catalog image is missing the required label "${label}"`,
  });
  await expect(taken(layers, { [label]: '/other' })).rejects.toMatchObject({ reason: 'DirectoryMissing' });
  await expect(taken(layers, { [label]: '/../etc' })).rejects.toMatchObject({ reason: 'InvalidLabel' });
});

test('files in the labelled directory count, and may not leave it', async () => {
  const big: LayerContent[] = [{ files: { 'configs/x': 'x'.repeat(1001) } }];
  await expect(taken(big, { [label]: '/configs' })).rejects.toMatchObject({ reason: 'UnpackedTooLarge' });
  const leaving: LayerContent[] = [{ files: { 'configs/../../x': '{}' } }];
  await expect(taken(leaving, { [label]: '/configs' })).rejects.toMatchObject({ reason: 'UnsafePath' });
});

test('an image is pinned without fetching a layer', async () => {
  const digest = registry.putImage('cat:v1', [{ files: { x: 'y' } }]);
  const ref = `${registry.host}/cat:v1`;
  expect(await pinImage(deps, { ref }, { signal })).toBe(`${registry.host}/cat@${digest}`);
  expect(registry.requests.filter((line) => line.includes('/blobs/'))).toEqual([]);
});

test('when a layer cannot be unpacked, transfers of other layers end', async () => {
  const [damaged, stalled] = [Buffer.alloc(1024, 'x'), randomBytes(1000)];
  const transfer = Promise.withResolvers<Socket>();
  await using stalling = await startRegistry({
    intercept: ({ url = '', socket }, response) => {
      const end = response.end.bind(response);
      const delayed = (bytes: Uint8Array): void => void transfer.promise.then(() => end(bytes));
      if (url.endsWith(sha256Digest(damaged))) response.end = delayed as unknown as typeof response.end;
      if (url.endsWith(sha256Digest(stalled))) {
        transfer.resolve(socket);
        response.end = ((bytes: Uint8Array) =>
          response.write(bytes.subarray(0, 100))) as unknown as typeof response.end;
      }
      return false;
    },
  });
  const describe = (bytes: Buffer, mediaType: string) => ({
    mediaType,
    digest: stalling.putBlob(bytes),
    size: bytes.length,
  });
  stalling.putManifest('bad:v1', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe(Buffer.from('{}'), 'application/vnd.oci.image.config.v1+json'),
    layers: [damaged, stalled].map((bytes) => describe(bytes, 'application/vnd.oci.image.layer.v1.tar')),
  });
  await using staging = await Staging.create(join(dir, 'spool'), defaultContentLimits);
  const source = { type: 'image', image: { ref: `${stalling.host}/bad:v1` } };
  // A server that sends a byte now and then meets every deadline for answers.
  using http = createHttpClient({ caPem: [], answerDeadlineMs: 3_600_000 });
  const fetched = fetchImage({ ...deps, http }, { source, staging }, { signal });
  await expect(fetched).rejects.toMatchObject({ reason: 'InvalidArchive' });
  const socket = await transfer.promise;
  await eventually(() => expect(socket.destroyed).toBe(true));
});
