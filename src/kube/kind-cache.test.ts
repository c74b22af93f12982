import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import { createKindCache, type KindCache, type ListTarget } from './index.ts';

const user = { fieldManager: 'test' };
const stop = new AbortController();
let cluster: BareCluster;

beforeAll(async () => {
  cluster = await openBareCluster();
  for (const name of ['one', 'two']) {
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
});

afterAll(async () => {
  stop.abort();
  await cluster[Symbol.asyncDispose]();
});

function configMap(namespace: string, name: string, labels: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels }, data: { key: namespace } };
}

async function cacheOf(target: Partial<ListTarget>): Promise<KindCache> {
  const runtime = { kube: cluster.kube, clock: systemClock, log: silentLogger(), signal: stop.signal };
  const cache = createKindCache({ ...runtime, target: { apiVersion: 'v1', kind: 'ConfigMap', ...target } });
  await cache.whenSynced;
  return cache;
}

test('objects of one name in two namespaces are two objects, and a write is seen before the watch shows it', async () => {
  const cache = await cacheOf({});
  const first = await cluster.kube.create(configMap('one', 'twin'), user);
  const second = await cluster.kube.create(configMap('two', 'twin'), user);
  cache.wrote(first);
  cache.wrote(second);
  expect(cache.get('twin', 'one')?.['data']).toEqual({ key: 'one' });
  expect(cache.get('twin', 'two')?.['data']).toEqual({ key: 'two' });
  expect(cache.get('twin')).toBeUndefined();
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'one', name: 'twin' });
  await eventually(() => expect(cache.get('twin', 'one')).toBeUndefined());
  expect(cache.get('twin', 'two')).toBeDefined();
});

test('an object that a write has deleted does not come back when the watch was faster than the answer', async () => {
  const cache = await cacheOf({});
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'one', name: 'held' };
  const held = configMap('one', 'held');
  const finalizers = ['example.com/held'];
  await cluster.kube.create({ ...held, metadata: { ...held.metadata, finalizers } }, user);
  await cluster.kube.delete(ref);
  const answer = await cluster.kube.patch(ref, { metadata: { finalizers: null } }, user);
  await eventually(() => expect(cache.get('held', 'one')).toBeUndefined());
  cache.wrote(answer);
  expect(cache.get('held', 'one')).toBeUndefined();
  expect(cache.inNamespace('one').map(({ metadata }) => metadata.name)).not.toContain('held');
});

test('selectors bound what is cached, and a metadata-only cache holds no data', async () => {
  const labelled = await cacheOf({ labelSelector: 'kept=yes' });
  const named = await cacheOf({ fieldSelector: 'metadata.name=chosen', namespace: 'one', isMetadataOnly: true });
  await cluster.kube.create(configMap('one', 'chosen', { kept: 'yes' }), user);
  await cluster.kube.create(configMap('two', 'other'), user);
  await cluster.kube.create(configMap('two', 'last', { kept: 'yes' }), user);
  await eventually(() => expect(labelled.get('last', 'two')).toBeDefined());
  expect(labelled.values().map(({ metadata }) => metadata.name)).toEqual(['chosen', 'last']);
  expect(labelled.inNamespace('two').map(({ metadata }) => metadata.name)).toEqual(['last']);
  labelled.wrote({
    ...configMap('two', 'newest'),
    metadata: { name: 'newest', namespace: 'two', resourceVersion: '9999999' },
  });
  expect(labelled.inNamespace('two').map(({ metadata }) => metadata.name)).toEqual(['last', 'newest']);
  await eventually(() => expect(named.values()).toHaveLength(1));
  expect(named.get('chosen', 'one')?.['data']).toBeUndefined();
  expect(named.labelled('kept', 'yes')).toHaveLength(1);
});
