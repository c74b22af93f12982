import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { arch } from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ImagePolicy } from '../../src/image-policy/index.ts';
import { putSignatures, type Registry, signatureOf, signingKey, startRegistry } from '../../test/support/index.ts';
import { createUnpacker, type Unpacker } from './index.ts';

const { signal } = new AbortController();
const bundle = { name: 'app', uid: 'u1' };
const key = signingKey();
const repository = 'team/app';

let registry: Registry;
let stack: AsyncDisposableStack;
let policy: ImagePolicy;
let unpacker: Unpacker;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  registry = stack.use(await startRegistry());
  const signer = { kind: 'key', key: key.publicPem, rekorKey: undefined } as const;
  const rule = { images: [`${registry.host}/**`], isDenied: false, needsDigest: false, signedBy: [signer] };
  policy = { rules: [rule], addressRules: [], isOpen: false, allowsOtherSources: true };
  const storeDir = `${tmpdir()}/policy-${randomUUID()}`;
  stack.defer(() => rm(storeDir, { recursive: true, force: true }));
  unpacker = stack.use(
    await createUnpacker({
      storeDir,
      answerDeadlineMs: 30_000,
      storeBytes: 1024 ** 3,
      threads: 1,
      readImagePolicy: () => Promise.resolve(policy),
    }),
  );
});
afterEach(() => stack.disposeAsync());

async function unpack(
  ref: string,
  { firstRef, ...more }: { firstRef?: string; expectedDigest?: string } = {},
): Promise<{ ref: string; digest: string }> {
  const source = { type: 'image', image: { ref } };
  const first = firstRef === undefined ? {} : { firstSource: { type: 'image', image: { ref: firstRef } } };
  const request = { bundle, provisionerClassName: 'core-rukpak-io-plain', source, ...first, ...more };
  const { resolvedSource, digest } = await unpacker.unpack(request, { signal });
  return { ref: resolvedSource.image?.ref ?? '', digest };
}

function putManifest(): string {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
  return registry.putImage(`${repository}:one`, [{ files: { 'manifests/a.yaml': text } }]);
}

function putIndex(manifest: string): string {
  const platform = { os: 'linux', architecture: arch === 'x64' ? 'amd64' : arch };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  return registry.putManifest(`${repository}:all`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ mediaType, digest: manifest, size: 1, platform }],
  });
}

test('an image that was signed as part of an index is fetched again by its own digest, as long as the index leads to it', async () => {
  const digest = putIndex(putManifest());
  putSignatures(registry, { repository, digest }, [signatureOf(digest, key)]);
  const tag = `${registry.host}/${repository}:all`;
  const { ref: pinned } = await unpack(tag);
  expect(pinned).not.toContain(digest);
  expect(await unpack(pinned, { firstRef: tag })).toMatchObject({ ref: pinned });
  await expect(unpack(pinned)).rejects.toMatchObject({ reason: 'ImageDenied' });
  await expect(unpack(pinned, { firstRef: `${registry.host}/${repository}:gone` })).rejects.toMatchObject({
    reason: 'ImageDenied',
  });
});

test('content that was verified before is not verified again; it must be the same', async () => {
  const digest = putManifest();
  putSignatures(registry, { repository, digest }, [signatureOf(digest, key)]);
  const { ref, digest: content } = await unpack(`${registry.host}/${repository}:one`);
  putSignatures(registry, { repository, digest }, []);
  await expect(unpack(ref)).rejects.toMatchObject({ reason: 'ImageDenied' });
  expect(await unpack(ref, { expectedDigest: content })).toMatchObject({ ref });
  const another = `sha256:${'0'.repeat(64)}`;
  await expect(unpack(ref, { expectedDigest: another })).rejects.toThrow(another);
});
