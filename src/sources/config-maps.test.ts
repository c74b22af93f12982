import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultContentLimits, type TerminalError } from '../base/index.ts';
import { Staging } from '../content/index.ts';
import { fetchConfigMaps } from './config-maps.ts';
import type { SourceConfigMap } from './source.ts';

const signal = new AbortController().signal;
const manifest = 'kind: ConfigMap\n'.repeat(100);
let folder: string;
let spools = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-maps-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** As the Operator Lifecycle Manager packs a file. */
function packed(content: string | Buffer): string {
  return Buffer.from(gzipSync(content).toString('base64')).toString('base64');
}

async function filesOf(configMap: Partial<SourceConfigMap>): Promise<Readonly<Record<string, string>>> {
  spools += 1;
  await using staging = await Staging.create(join(folder, `spool-${spools}`), defaultContentLimits);
  const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'c' }, path: 'manifests' }] };
  await fetchConfigMaps({ source, configMaps: [{ name: 'c', ...configMap }], staging }, { signal });
  const files: Record<string, string> = {};
  for await (const entry of staging.readDirectory('manifests', 1e6) ?? []) {
    if (entry.kind === 'file') files[entry.name] = entry.content.toString('utf8');
  }
  return files;
}

async function refusalOf(configMap: Partial<SourceConfigMap>): Promise<TerminalError> {
  return await filesOf(configMap).then(
    () => expect.fail('it was read'),
    (thrown: unknown) => thrown as TerminalError,
  );
}

test('BF-Z4 binary values with the annotation for gzip in base64 become the packed files; texts stay as they are', async () => {
  const binaryData = { 'csv.yaml': packed(manifest), 'empty.yaml': packed('') };
  const files = await filesOf({ contentEncoding: 'gzip+base64', binaryData, data: { 'plain.yaml': 'kind: Secret\n' } });
  expect(files).toEqual({ 'csv.yaml': manifest, 'empty.yaml': '', 'plain.yaml': 'kind: Secret\n' });
});

test('without that word binary values are taken as they are', async () => {
  const binaryData = { 'csv.yaml': Buffer.from(manifest).toString('base64') };
  expect(await filesOf({ binaryData })).toEqual({ 'csv.yaml': manifest });
});

test.each([
  {
    name: 'is no base64',
    value: Buffer.from('kind: ConfigMap').toString('base64'),
    message: 'configmap "c", key "k": expected gzip+base64, found text that is not base64',
  },
  {
    name: 'is no gzip',
    value: Buffer.from(Buffer.from(manifest).toString('base64')).toString('base64'),
    message: 'configmap "c", key "k": expected gzip+base64, found data that gzip cannot read: incorrect header check',
  },
  {
    name: 'ends too early',
    value: Buffer.from(gzipSync(manifest).subarray(0, 20).toString('base64')).toString('base64'),
    message: 'configmap "c", key "k": expected gzip+base64, found data that gzip cannot read: unexpected end of file',
  },
])('a packed value that $name is refused, and its key is named', async ({ value, message }) => {
  const thrown = await refusalOf({ contentEncoding: 'gzip+base64', binaryData: { k: value } });
  expect(thrown).toMatchObject({ reason: 'InvalidSource', message });
});

test('a packed value that would become huge is refused', async () => {
  const bomb = packed(Buffer.alloc(33 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(64 * 1024);
  expect(await refusalOf({ contentEncoding: 'gzip+base64', binaryData: { k: bomb } })).toMatchObject({
    reason: 'UnpackedTooLarge',
    message: 'configmap "c", key "k": unpacks to more than the limit of 33554432 bytes',
  });
});

test('an unknown encoding is refused', async () => {
  expect(await refusalOf({ contentEncoding: 'zstd', binaryData: { k: '' } })).toMatchObject({
    reason: 'InvalidSource',
    message: 'configmap "c": annotation olm.contentEncoding: expected gzip+base64, found "zstd"',
  });
});

/** The files of a source that names a ConfigMap at very many paths. */
async function countAt(count: number, configMap: Partial<SourceConfigMap>): Promise<number> {
  spools += 1;
  await using staging = await Staging.create(join(folder, `spool-${spools}`), defaultContentLimits);
  const configMaps = Array.from({ length: count }, (_, index) => ({ configMap: { name: 'c' }, path: `p${index}` }));
  const source = { type: 'configMaps', configMaps };
  await fetchConfigMaps({ source, configMaps: [{ name: 'c', ...configMap }], staging }, { signal });
  return [...staging.tree.entries()].filter(({ node }) => node.kind === 'file').length;
}

test('a ConfigMap that is named very many times is refused before there is a file for each of its keys', async () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, '']));
  await expect(countAt(20_000, { data })).rejects.toMatchObject({ reason: 'TooManyEntries' });
});

test('a value that takes long to unpack is unpacked once, however often its ConfigMap is named', {
  tags: 'long',
}, async () => {
  const members = Buffer.concat(Array.from({ length: 30_000 }, () => gzipSync('')));
  const binaryData = { k: Buffer.from(members.toString('base64')).toString('base64') };
  expect(await countAt(50_000, { contentEncoding: 'gzip+base64', binaryData })).toBe(50_000);
});
