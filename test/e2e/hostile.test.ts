import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import {
  allOf,
  type LayerContent,
  neverAnswers,
  type Registry,
  redirectsForever,
  startRegistry,
  tarFile,
} from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, conditionOf, startWorld, statusOf, type World } from './world.ts';

let world: World;
let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry({
    intercept: allOf(neverAnswers('/v2/silent/manifests'), redirectsForever('/v2/loop/manifests')),
  });
  world = await startWorld(['--answer-timeout', '2']);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

async function create(name: string, image = `${name}:v1`): Promise<void> {
  const source = { type: 'image', image: { ref: `${registry.host}/${image}` } };
  await world.kube.create(bundle(name, source), { fieldManager: 'test' });
}

/** What the user reads in the Bundle's status. */
async function messageOf(name: string): Promise<string> {
  const failing = await world.bundleWithPhase(name, 'Failing');
  const condition = conditionOf(failing, 'Unpacked');
  expect(condition).toMatchObject({ status: 'False', reason: 'UnpackFailed' });
  expect(statusOf(failing)['resolvedSource']).toBeUndefined();
  return condition?.message ?? '';
}

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

function aliasBomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 9; i++)
    lines.push(
      `a${i}: &a${i} [${Array<string>(9)
        .fill(`*a${i - 1}`)
        .join(',')}]`,
    );
  return lines.join('\n');
}

const rows: readonly { readonly name: string; readonly layer: LayerContent; readonly text: string }[] = [
  {
    name: 'parent',
    layer: { entries: [{ path: '../evil', content: 'x' }] },
    text: '"../evil": paths with ".." are not accepted',
  },
  {
    name: 'absolute',
    layer: { entries: [{ path: '/etc/passwd', content: 'x' }] },
    text: '"/etc/passwd": absolute paths are not accepted',
  },
  {
    name: 'symlink',
    layer: {
      entries: [{ path: 'manifests/l', typeFlag: '2', linkPath: '../../etc/passwd' }],
      files: { 'manifests/a.yaml': configMap },
    },
    text: '"manifests/l": ',
  },
  {
    name: 'through-symlink',
    layer: {
      entries: [
        { path: 'out', typeFlag: '2', linkPath: '/tmp' },
        { path: 'out/evil', content: 'x' },
      ],
    },
    text: '"out',
  },
  {
    name: 'hardlink',
    layer: { entries: [{ path: 'manifests/h', typeFlag: '1', linkPath: '../../etc/passwd' }] },
    text: '"manifests/h": ',
  },
  { name: 'device', layer: { entries: [{ path: 'dev', typeFlag: '3' }] }, text: '"dev": ' },
  { name: 'fifo', layer: { entries: [{ path: 'pipe', typeFlag: '6' }] }, text: '"pipe": ' },
  {
    name: 'aliases',
    layer: { files: { 'manifests/a.yaml': aliasBomb() } },
    text: 'manifests/a.yaml: aliases expand to more than',
  },
  {
    name: 'nesting',
    layer: { files: { 'manifests/a.yaml': `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}` } },
    text: 'error parsing manifests/a.yaml: ',
  },
  {
    name: 'proto',
    layer: { files: { 'manifests/a.yaml': `${configMap}data: {"__proto__": {"isAdmin": "true"}}\n` } },
    text: 'the key "__proto__" is not accepted',
  },
  {
    name: 'large-file',
    layer: { files: { 'manifests/big.yaml': `#${'x'.repeat(4 * 1024 * 1024)}` } },
    text: 'manifests/big.yaml: 4194305 bytes, more than the limit of 4194304 bytes',
  },
];

test.each(rows)('an image with hostile content is refused and says why: $name', async ({ name, layer, text }) => {
  registry.putImage(`${name}:v1`, [layer]);
  await create(name);
  expect(await messageOf(name)).toContain(text);
});

test('10 GiB in 10 MiB stops at the limit', async () => {
  // One gzip member of zeros, repeated: together they inflate to 10 GiB.
  const member = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  const header = tarFile([{ path: 'zeros', content: '' }]).subarray(0, 512);
  header.write('77777777777\0', 124);
  header.write('        ', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const bytes = Buffer.concat([gzipSync(header), ...Array<Buffer>(160).fill(member)]);
  expect(bytes.length).toBeLessThan(11 * 1024 * 1024);
  const layer = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    digest: registry.putBlob(bytes),
    size: bytes.length,
  };
  registry.putManifest('bomb:v1', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    layers: [layer],
  });
  await create('bomb');
  expect(await messageOf('bomb')).toMatch(/more than (the limit of )?536870912 bytes|limit of 536870912 bytes/);
});

test('a layer whose digest lies', async () => {
  const digest = sha256Digest('what was promised');
  await using lying = await startRegistry({
    intercept: (request, response) => {
      if (request.url?.includes('/blobs/') !== true) return false;
      response.end('what was sent');
      return true;
    },
  });
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size: 'what was sent'.length };
  lying.putManifest('lie:v1', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    layers: [layer],
  });
  const source = { type: 'image', image: { ref: `${lying.host}/lie:v1` } };
  await world.kube.create(bundle('lie', source), { fieldManager: 'test' });
  expect(await messageOf('lie')).toContain(`expected digest ${digest}, got ${sha256Digest('what was sent')}`);
});

test('a manifest over 4 MiB', async () => {
  const annotations = { large: 'x'.repeat(4 * 1024 * 1024) };
  registry.putManifest('large-manifest:v1', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    layers: [],
    annotations,
  });
  await create('large-manifest');
  expect(await messageOf('large-manifest')).toMatch(/limit of 4194304 bytes/);
});

test('a redirect loop', async () => {
  await create('loop');
  expect(await messageOf('loop')).toContain(`GET http://${registry.host}/v2/loop/manifests/v1: more than 10 redirects`);
});

test('a registry that never answers holds up neither other Bundles nor admission, and is told', async () => {
  await create('silent');
  await world.kube.create(bundle('brisk', world.imageSource('brisk:v1', valid)), { fieldManager: 'test' });
  await world.bundleWithPhase('brisk', 'Unpacked');
  expect(statusOf(await world.get('Bundle', 'silent'))['phase']).not.toBe('Failing');
  expect(await messageOf('silent')).toContain(
    `GET http://${registry.host}/v2/silent/manifests/v1: no answer within 2 s`,
  );
});
