import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../src/base/index.ts';
import type { KubeClient, ListTarget } from '../src/kube/index.ts';
import { installedAtMs, placesOf, releasedObjects } from './helm-release.ts';

test('what a release has installed is at the places of its objects; too many are refused', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } };
  const place = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'b' };
  expect(placesOf([object, { kind: 'Nothing' }])).toEqual([place]);
  const many = Array.from({ length: 20_001 }, (): JsonObject => object);
  expect(() => placesOf(many)).toThrow('the release has more than 20000 objects');
});

test('of many Secrets of a release the content of the current one is read, in a thread', async () => {
  const secret = (version: string, status: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `v${version}`, namespace: 'b', uid: version, labels: { version, status } },
  });
  const kube = {
    async *listPages({ isMetadataOnly }: ListTarget) {
      expect(isMetadataOnly).toBe(true);
      yield await Promise.resolve({ items: [secret('1', 'deployed'), secret('2', 'failed')] });
    },
    list: ({ fieldSelector }: ListTarget) => {
      expect(fieldSelector).toBe('metadata.name=v1');
      return Promise.resolve({ items: [{ ...secret('1', 'deployed'), data: { release: 'packed' } }] });
    },
  };
  const objects = [{ kind: 'ConfigMap' }];
  const releases = { objects: vi.fn().mockResolvedValue(objects), start: vi.fn(), superseded: vi.fn() };
  const place = { kube: kube as unknown as KubeClient, name: 'a', namespace: 'b' };
  expect(await releasedObjects(place, { releases }, new AbortController().signal)).toBe(objects);
  expect(releases.objects.mock.calls[0]?.[0]).toEqual({ what: 'Secret "v1"', data: 'packed' });
});

test('the Secret of a release counts in the system namespace alone', async () => {
  const labels = { owner: 'helm', name: 'a', status: 'deployed', version: '1' };
  const metadata = { name: 'sh.helm.release.v1.a.v1', labels, creationTimestamp: '2026-01-01T00:00:00Z' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
  const inNamespace = (place: string): Promise<number | undefined> => {
    async function* listPages({ namespace }: ListTarget) {
      yield await Promise.resolve({ items: namespace === place ? [secret] : [] });
    }
    const context = { kube: { listPages } as unknown as KubeClient, systemNamespace: 'system' };
    const deployment = { apiVersion: 'v1', kind: 'BundleDeployment', metadata: { name: 'a' } };
    return installedAtMs(context, deployment, new AbortController().signal);
  };
  expect(await inNamespace('system')).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(await inNamespace('tenant')).toBeUndefined();
});
