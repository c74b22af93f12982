import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  breaksOff,
  eventually,
  fileEntries,
  type Intercept,
  type LayerContent,
  startRegistry,
  tarFile,
} from '../../test/support/index.ts';
import { defaultContentLimits, systemClock } from '../base/index.ts';
import { createLocks, Staging } from '../content/index.ts';
import { createHttpClient } from './http-client.ts';
import { fetchImage, type ImageRequest, type ImageSourceDeps } from './image.ts';
import { parsePlatform } from './image-manifest.ts';
import { LayerCache } from './layer-cache.ts';
import { RateLimits } from './rate-limits.ts';

const { signal } = new AbortController();
const large = randomBytes(12 * 1024 * 1024);
const files = { 'manifests/good.yaml': 'kind: ConfigMap\n', 'zz.bin': large };
const layer: LayerContent = { files, compression: 'plain' };

let dir: string;
let deps: ImageSourceDeps;
let staging: Staging;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-early-'));
  const clock = { ...systemClock, sleep: async () => undefined };
  deps = {
    http: createHttpClient({ answerDeadlineMs: 30_000 }),
    clock,
    cache: new LayerCache({ dir: join(dir, 'layers'), maxBytes: 100_000_000, locks: createLocks() }),
    limits: new RateLimits(clock),
    insecureRegistries: [],
    platform: parsePlatform('linux/amd64'),
  };
  staging = await Staging.create(join(dir, 'spool'), defaultContentLimits);
});

afterEach(async () => {
  await staging[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Fetches the image, and returns the content of its files by path. */
async function fetched(ref: string, mirrors?: ImageRequest['mirrors']): Promise<Readonly<Record<string, Buffer>>> {
  await fetchImage(deps, { source: { type: 'image', image: { ref } }, mirrors, staging }, { signal });
  const found: Record<string, Buffer> = {};
  for (const { path, node } of staging.tree.entries()) {
    if (node.kind === 'file') found[path] = await staging.readFile(path, node, large.length);
  }
  return found;
}

async function expectContent(content: Promise<Readonly<Record<string, Buffer>>>): Promise<void> {
  const { 'manifests/good.yaml': first, 'zz.bin': second, ...others } = await content;
  expect(first?.toString()).toBe(files['manifests/good.yaml']);
  expect(second?.equals(large)).toBe(true);
  expect(others).toEqual({});
}

/** Holds the end of each blob back until `isReached`. */
function endsWhen(isReached: () => void): Intercept {
  return (request, response) => {
    if (request.url?.includes('/blobs/') !== true) return false;
    const end = response.end.bind(response);
    response.end = ((bytes: Uint8Array) => {
      response.write(bytes.subarray(0, -1));
      void eventually(isReached, { timeoutMs: 20_000 }).then(
        () => end(bytes.subarray(-1)),
        () => response.destroy(),
      );
    }) as unknown as typeof response.end;
    return false;
  };
}

test('a large layer is extracted while it arrives', async () => {
  const isReached = (): void => expect(staging.tree.get(['manifests', 'good.yaml'])).toBeDefined();
  await using registry = await startRegistry({ intercept: endsWhen(isReached) });
  registry.putImage('large:v1', [layer]);
  await expectContent(fetched(`${registry.host}/large:v1`));
});

test('a transfer that breaks off is continued, and so is the extraction', async () => {
  await using registry = await startRegistry({ intercept: breaksOff('/blobs/', { times: 2, sizeBytes: 3_000_000 }) });
  registry.putImage('large:v1', [layer]);
  await expectContent(fetched(`${registry.host}/large:v1`));
});

test('nothing stays of what a mirror has sent in place of the layer', async () => {
  const fake = tarFile(fileEntries({ 'manifests/fake.yaml': 'kind: ConfigMap\n', 'zz.bin': large }));
  await using registry = await startRegistry();
  await using mirror = await startRegistry({
    intercept: (request, response) => {
      if (request.url?.includes('/blobs/') !== true) return false;
      response.writeHead(200, { 'content-length': fake.length }).end(fake);
      return true;
    },
  });
  for (const server of [registry, mirror]) server.putImage('large:v1', [layer]);
  const source = { source: registry.host, mirrors: [mirror.host], mayContactSource: true };
  await expectContent(fetched(`${registry.host}/large:v1`, [{ appliesTo: 'tag', ...source }]));
  expect(mirror.requests.some((request) => request.includes('/blobs/'))).toBe(true);
});
