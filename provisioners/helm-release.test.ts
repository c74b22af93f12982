import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../src/base/index.ts';
import { type KubeClient, KubeUnavailable, type ListTarget, type ObjectRef } from '../src/kube/index.ts';
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
    resolve: () => Promise.resolve({ isNamespaced: true }),
    async *listPages({ isMetadataOnly }: ListTarget) {
      expect(isMetadataOnly).toBe(true);
      yield await Promise.resolve({ items: [secret('1', 'deployed'), secret('2', 'failed')] });
    },
    list: ({ fieldSelector }: ListTarget) => {
      expect(fieldSelector).toBe('metadata.name=v1');
      return Promise.resolve({ items: [{ ...secret('1', 'deployed'), data: { release: 'packed' } }] });
    },
  };
  const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } }];
  const releases = { objects: vi.fn().mockResolvedValue(objects), start: vi.fn(), superseded: vi.fn() };
  const place = { kube: kube as unknown as KubeClient, name: 'a', namespace: 'b' };
  expect(await releasedObjects(place, { releases }, new AbortController().signal)).toEqual(objects);
  expect(releases.objects.mock.calls[0]?.[0]).toEqual({ what: 'Secret "v1"', data: 'packed' });
});

test('a release that users have written decides nothing of objects outside of its namespace', async () => {
  const metadata = { name: 'v1', namespace: 'b', uid: '1', labels: { version: '1', status: 'deployed' } };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
  const password = (name: string, value: string, namespace?: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    data: { password: value },
  });
  const marked = (name: string, release: string) => ({
    ...password(name, 'live', 'c'),
    metadata: {
      name,
      namespace: 'c',
      annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': 'b' },
    },
  });
  const live = new Map([
    ['installed', marked('installed', 'a')],
    ['of-others', marked('of-others', 'other')],
  ]);
  const refused = (name: string) => {
    const failure = name === 'hidden' ? { status: 403, reason: 'Forbidden' } : { status: 404, reason: 'NotFound' };
    return new KubeUnavailable({ ...failure, message: name, causes: [], isStatus: true });
  };
  const kube = {
    resolve: (_: string, kind: string) => Promise.resolve({ isNamespaced: kind !== 'ClusterRole' }),
    async *listPages() {
      yield await Promise.resolve({ items: [secret] });
    },
    list: () => Promise.resolve({ items: [{ ...secret, data: { release: 'packed' } }] }),
    get: ({ name }: ObjectRef) => (live.has(name) ? Promise.resolve(live.get(name)) : Promise.reject(refused(name))),
  };
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'role' } };
  const elsewhere = ['installed', 'of-others', 'absent', 'hidden'].map((name) => password(name, 'forged', 'c'));
  const objects = [password('own', 'recorded'), role, ...elsewhere];
  const releases = { objects: () => Promise.resolve(objects), start: vi.fn(), superseded: vi.fn() };
  const place = { kube: kube as unknown as KubeClient, name: 'a', namespace: 'b' };
  expect(await releasedObjects(place, { releases }, new AbortController().signal)).toEqual([
    password('own', 'recorded'),
    marked('installed', 'a'),
  ]);
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
