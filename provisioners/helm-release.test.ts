import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { KubeClient, KubeObject, ListTarget } from '../src/kube/index.ts';
import { installedAtMs, manifestOf, placesIn } from './helm-release.ts';

function secretWith(bytes: Buffer): KubeObject {
  const release = Buffer.from(bytes.toString('base64')).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sh.helm.release.v1.a.v1' }, data: { release } };
}

test.each([
  { what: 'compressed', pack: (text: string) => gzipSync(text) },
  { what: 'as Helm 2 left it', pack: (text: string) => Buffer.from(text) },
])('the manifest of a release is read, $what', async ({ pack }) => {
  const manifest = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n---\n---\nkind: Nothing\n';
  const read = await manifestOf(secretWith(pack(JSON.stringify({ name: 'a', manifest }))));
  expect(read).toBe(manifest);
  expect(placesIn(read)).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'b' }]);
});

test.each([
  { what: 'no data', bytes: Buffer.alloc(0), text: 'Unexpected end' },
  { what: 'noise', bytes: Buffer.from([0x1f, 0x8b, 1, 2, 3]), text: '' },
  { what: 'another JSON', bytes: gzipSync('[]'), text: 'expected a release of Helm, found something else' },
  { what: 'no manifest', bytes: gzipSync('{}'), text: 'expected a release of Helm with a manifest, found none' },
  { what: 'more than may be unpacked', bytes: gzipSync(Buffer.alloc(65 * 1024 * 1024)), text: '' },
])('a Secret with $what is refused, and named', async ({ bytes, text }) => {
  const refused = manifestOf(secretWith(bytes));
  await expect(refused).rejects.toMatchObject({ reason: 'UnreadableRelease' });
  await expect(refused).rejects.toThrow(`Secret "sh.helm.release.v1.a.v1": `);
  await expect(refused).rejects.toThrow(text);
});

test('an endless manifest is refused', () => {
  const one = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n';
  expect(() => placesIn(one.repeat(20_001))).toThrow('the release has more than 20000 objects');
});

test('the Secret of a release counts in the system namespace alone', async () => {
  const labels = { owner: 'helm', name: 'a', status: 'deployed', version: '1' };
  const metadata = { name: 'sh.helm.release.v1.a.v1', labels, creationTimestamp: '2026-01-01T00:00:00Z' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'helm.sh/release.v1' };
  const inNamespace = (place: string): Promise<number | undefined> => {
    const list = ({ namespace }: ListTarget) => Promise.resolve({ items: namespace === place ? [secret] : [] });
    const context = { kube: { list } as unknown as KubeClient, systemNamespace: 'system' };
    const deployment = { apiVersion: 'v1', kind: 'BundleDeployment', metadata: { name: 'a' } };
    return installedAtMs(context, deployment, new AbortController().signal);
  };
  expect(await inNamespace('system')).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(await inNamespace('tenant')).toBeUndefined();
});
