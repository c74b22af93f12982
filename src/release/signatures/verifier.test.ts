import { beforeAll, expect, test } from 'vitest';
import { createOpenpgpSigner } from '../../../test/support/openpgp-signer.ts';
import { formatYaml } from '../../base/index.ts';
import { readManifests } from '../read-manifests.ts';
import { type ReleaseVerifier, readVerifier } from './verifier.ts';

let key = '';
beforeAll(async () => {
  key = (await createOpenpgpSigner()).publicKey;
});

const verifierOf = (...maps: readonly object[]): Promise<ReleaseVerifier | undefined> => {
  const files = maps.map((data, index) => ({
    directory: 'release-manifests' as const,
    name: `0000_90_keys_${index}.yaml`,
    content: Buffer.from(
      formatYaml({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: `keys-${index}`,
          namespace: 'openshift-config-managed',
          annotations: { 'release.openshift.io/verification-config-map': '' },
        },
        data,
      }),
    ),
  }));
  const { manifests } = readManifests(files, { releaseImage: '', clusterProfile: '', images: new Map() });
  return readVerifier(manifests);
};
const store = 'https://example.com/signatures';

test('keys and stores come from the first ConfigMap with the annotation', async () => {
  const found = await verifierOf(
    { 'verifier-public-key-a': key, 'store-web': ` ${store}\n`, 'store-local': 'file:///signatures', other: 'x' },
    { 'verifier-public-key-b': key, 'store-b': store },
  );
  expect(found?.keyrings.map(({ name }) => name)).toEqual(['verifier-public-key-a']);
  expect(found?.storeUrls).toEqual(['file:///signatures', store]);
  expect(await verifierOf()).toBeUndefined();
});

test.each([
  [{ 'store-a': store }, 'did not provide any GPG public keys to verify signatures from and cannot be used'],
  [{}, 'the config map openshift-config-managed/keys-0 did not provide any signature stores to read from'],
  [{ 'verifier-public-key-a': 'x', 'store-a': store }, 'has an invalid key "verifier-public-key-a" that must be a GPG'],
  [
    { 'store-a': 'ftp://example.com' },
    'has an invalid key "store-a": must be a valid URL with scheme file://, http://',
  ],
  [{ 'store-a': 1 }, 'is not valid: "store-a": expected a string'],
])('%j is refused', async (data, problem) => {
  await expect(verifierOf(data)).rejects.toThrow(problem);
});
