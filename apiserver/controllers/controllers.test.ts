import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { startControllers } from './index.ts';

const as = { as: 'test' };
let cluster: MemoryCluster;
let running: AsyncDisposable;

const start = (): AsyncDisposable =>
  startControllers(cluster, {
    issueSecretToken: () => 'token',
    signCertificate: () => Promise.resolve(''),
    clock: systemClock,
    log: silentLogger(),
    authorityPem: 'PEM',
  });

beforeEach(async () => {
  cluster = new MemoryCluster();
  running = start();
  await createNamespace('ns');
});

afterEach(async () => {
  await running[Symbol.asyncDispose]();
});

async function createNamespace(name: string): Promise<void> {
  await cluster.create(cluster.type('namespaces'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, as);
}

async function createConfigMap(name: string, metadata: Partial<ObjectMeta> = {}): Promise<KubeObject> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns', ...metadata } };
  return await cluster.create(cluster.type('configmaps'), object, as);
}

const ownedBy = ({ kind, apiVersion, metadata }: KubeObject, extra: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...extra,
});

const configMap = (name: string, namespace = 'ns'): KubeObject | undefined =>
  cluster.get(cluster.type('configmaps'), { namespace, name });

const remove = (name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void> =>
  cluster.delete(cluster.type('configmaps'), { namespace: 'ns', name }, { ...as, propagationPolicy });

test.each(['configmap', 'ConfigMapList'])('an owner reference of kind %s names the owner too', async (kind) => {
  const owner = await createConfigMap('a');
  await createConfigMap('b', { ownerReferences: [{ ...ownedBy(owner), kind }] });
  await remove('a', 'Background');
  await eventually(() => expect(configMap('b')).toBeUndefined());
});

test('deletes objects whose owners are all deleted, through all generations', async () => {
  const a = await createConfigMap('a');
  const b = await createConfigMap('b', { ownerReferences: [ownedBy(a)] });
  await createConfigMap('c', { ownerReferences: [ownedBy(b)] });
  await remove('a', 'Background');
  await eventually(() => expect([configMap('b'), configMap('c')]).toEqual([undefined, undefined]));
});

test('what is collected in one namespace does not wait for all that is in another', async () => {
  await createNamespace('other');
  const many = await createConfigMap('owner');
  for (let index = 0; index < 50; index += 1) await createConfigMap(`c${index}`, { ownerReferences: [ownedBy(many)] });
  const one = await createConfigMap('owner', { namespace: 'other' });
  await createConfigMap('last', { namespace: 'other', ownerReferences: [ownedBy(one)] });
  const deleted: string[] = [];
  using _ = cluster.subscribe(({ type, object }) => {
    if (type === 'DELETED') deleted.push(object.metadata.name ?? '');
  });
  const type = cluster.type('configmaps');
  await Promise.all(['ns', 'other'].map((namespace) => cluster.delete(type, { namespace, name: 'owner' }, { ...as })));
  await eventually(() => expect(deleted).toHaveLength(53));
  expect(deleted.indexOf('last')).toBeLessThan(20);
});

test('an object with another existing owner stays and loses the reference to the deleted one', async () => {
  const [a, b] = [await createConfigMap('a'), await createConfigMap('b')];
  await createConfigMap('c', { ownerReferences: [ownedBy(a), ownedBy(b)] });
  await remove('a', 'Background');
  await eventually(() => expect(configMap('c')?.metadata.ownerReferences).toEqual([ownedBy(b)]));
});

test('an owner of the same name that is another object does not count', async () => {
  const a = await createConfigMap('a');
  await createConfigMap('late', { ownerReferences: [ownedBy(a, { uid: 'someone-else' })] });
  await eventually(() => expect(configMap('late')).toBeUndefined());
});

test('an owner in another namespace does not count', async () => {
  await createNamespace('other');
  const far = await createConfigMap('far', { namespace: 'other' });
  await createConfigMap('near', { ownerReferences: [ownedBy(far)] });
  await eventually(() => expect(configMap('near')).toBeUndefined());
});

test('foreground: the owner goes after those that block it, and only then', async () => {
  const a = await createConfigMap('a');
  await createConfigMap('b', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })], finalizers: ['x/hold'] });
  await remove('a', 'Foreground');
  await eventually(() => expect(configMap('b')?.metadata.deletionTimestamp).toBeDefined());
  expect(configMap('a')?.metadata.finalizers).toEqual(['foregroundDeletion']);
  const key = { namespace: 'ns', name: 'b' };
  await cluster.patch(cluster.type('configmaps'), key, { metadata: { finalizers: null } }, as);
  await eventually(() => expect([configMap('a'), configMap('b')]).toEqual([undefined, undefined]));
});

test('orphan: dependents stay and forget their owner', async () => {
  const a = await createConfigMap('a');
  await createConfigMap('b', { ownerReferences: [ownedBy(a)] });
  await remove('a', 'Orphan');
  await eventually(() => expect(configMap('a')).toBeUndefined());
  await eventually(() => expect(configMap('b')?.metadata.ownerReferences).toBeUndefined());
});

test('foreground: objects that block each other in a circle are deleted', async () => {
  const a = await createConfigMap('a');
  const b = await createConfigMap('b', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })] });
  const ownerReferences = [{ ...ownedBy(b, { blockOwnerDeletion: true }) }];
  await cluster.patch(
    cluster.type('configmaps'),
    { namespace: 'ns', name: 'a' },
    { metadata: { ownerReferences } },
    as,
  );
  await remove('a', 'Foreground');
  await eventually(() => expect([configMap('a'), configMap('b')]).toEqual([undefined, undefined]));
});

test('two objects that own each other do not hang the collector', async () => {
  const a = await createConfigMap('a');
  const b = await createConfigMap('b', { ownerReferences: [ownedBy(a)] });
  const type = cluster.type('configmaps');
  const ownerReferences = [{ ...ownedBy(b) }];
  await cluster.patch(type, { namespace: 'ns', name: 'a' }, { metadata: { ownerReferences } }, as);
  await remove('a', 'Background');
  await eventually(() => expect([configMap('a'), configMap('b')]).toEqual([undefined, undefined]));
});

test('a restart finds what became an orphan while the server was stopped', async () => {
  await running[Symbol.asyncDispose]();
  const a = await createConfigMap('a');
  await createConfigMap('b', { ownerReferences: [ownedBy(a)] });
  await remove('a', 'Background');
  expect(configMap('b')).toBeDefined();
  running = start();
  await eventually(() => expect(configMap('b')).toBeUndefined());
});

test('orphan: a restart in the middle of it loses no dependent, however many objects there are', async () => {
  await running[Symbol.asyncDispose]();
  const owner = await createConfigMap('a-owner');
  for (let index = 0; index < 2000; index += 1) await createConfigMap(`b-${index}`);
  await createConfigMap('c', { ownerReferences: [ownedBy(owner)] });
  await remove('a-owner', 'Orphan');
  running = start();
  await eventually(() => expect(configMap('a-owner')).toBeUndefined());
  await createConfigMap('d', { ownerReferences: [ownedBy(owner)] });
  await eventually(() => expect(configMap('d')).toBeUndefined());
  expect(configMap('c')?.metadata).toMatchObject({ name: 'c' });
  expect(configMap('c')?.metadata.ownerReferences).toBeUndefined();
});

test('objects that are named as owners again and again are read once, and others have turns', async () => {
  const owner = await createConfigMap('a');
  const reads = vi.spyOn(cluster, 'get');
  const turns = vi.spyOn(cluster, 'takeTurn');
  const ownerReferences = Array.from({ length: 5000 }, (_, index) => ({ ...ownedBy(owner), uid: `u${index}` }));
  await createConfigMap('b', { ownerReferences });
  await eventually(() => expect(configMap('b')).toBeUndefined());
  expect(reads.mock.calls.filter(([, { name }]) => name === 'a')).toHaveLength(1);
  expect(turns.mock.calls.length).toBeGreaterThanOrEqual(5000);
});

test('a new namespace gets its account and certificate, and gets them back', async () => {
  const accounts = cluster.type('serviceaccounts');
  const account = (): KubeObject | undefined => cluster.get(accounts, { namespace: 'ns', name: 'default' });
  await eventually(() => expect(account()).toBeDefined());
  await eventually(() => expect(configMap('kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' }));
  const { uid } = account()?.metadata ?? {};
  await cluster.delete(accounts, { namespace: 'ns', name: 'default' }, as);
  await eventually(() => expect(account()?.metadata.uid).toSatisfy((next) => next !== undefined && next !== uid));
});

test('a deleted namespace is emptied and removed; its conditions report what blocks it', async () => {
  await createConfigMap('a');
  await createConfigMap('held', { finalizers: ['x/hold'] });
  const type = cluster.type('namespaces');
  const namespace = (): KubeObject | undefined => cluster.get(type, { namespace: '', name: 'ns' });
  await cluster.delete(type, { namespace: '', name: 'ns' }, as);
  await eventually(() => {
    expect(configMap('a')).toBeUndefined();
    expect(namespace()?.status).toMatchObject({
      phase: 'Terminating',
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'NamespaceContentRemaining',
          status: 'True',
          message: 'Some resources are remaining: configmaps. has 1 resource instances',
        }),
        expect.objectContaining({
          type: 'NamespaceFinalizersRemaining',
          message: 'Some content in the namespace has finalizers remaining: x/hold in 1 resource instances',
        }),
      ]) as unknown,
    });
  });
  const key = { namespace: 'ns', name: 'held' };
  await cluster.patch(cluster.type('configmaps'), key, { metadata: { finalizers: null } }, as);
  await eventually(() => expect(namespace()).toBeUndefined());
});

test('nothing stays in a namespace whose finalizer was taken off', async () => {
  await createConfigMap('a');
  const type = cluster.type('namespaces');
  const namespace = cluster.get(type, { namespace: '', name: 'ns' }) as KubeObject;
  const freed = { ...namespace, metadata: { name: 'ns' }, spec: { finalizers: [] } };
  await cluster.update(type, freed, { ...as, subresource: 'finalize' });
  await cluster.delete(type, { namespace: '', name: 'ns' }, as);
  await eventually(() => expect(cluster.list(cluster.type('configmaps'), { namespace: 'ns' })).toEqual([]));
});

test('what is in a namespace that was created again stays, while what the former one left is deleted', async () => {
  for (let count = 0; count < 5; count += 1) await createConfigMap(`left-${count}`);
  const type = cluster.type('namespaces');
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new', namespace: 'ns' } };
  const recreated = new Promise<void>((resolve) => {
    const subscription = cluster.subscribe((event) => {
      if (event.type !== 'DELETED' || event.resource.storageKey !== 'configmaps') return;
      subscription[Symbol.dispose]();
      resolve(
        createNamespace('ns')
          .then(() => cluster.create(cluster.type('secrets'), secret, as))
          .then(() => {}),
      );
    });
  });
  const namespace = cluster.get(type, { namespace: '', name: 'ns' }) as KubeObject;
  const freed = { ...namespace, metadata: { name: 'ns' }, spec: { finalizers: [] } };
  await cluster.update(type, freed, { ...as, subresource: 'finalize' });
  await cluster.delete(type, { namespace: '', name: 'ns' }, as);
  await recreated;
  // Ends after the work at hand.
  await running[Symbol.asyncDispose]();
  expect(cluster.get(cluster.type('secrets'), { namespace: 'ns', name: 'new' })).toBeDefined();
});

function addWidgets(): ResourceType {
  const names = { group: 'x.io', plural: 'widgets', kind: 'Widget', storageKey: 'widgets.x.io' };
  const widgets = { ...cluster.type('configmaps'), ...names, isCustom: true };
  cluster.addType(widgets);
  return widgets;
}

test('dependents are deleted with their owner when its kind is not served any more', async () => {
  const widgets = addWidgets();
  const metadata = { namespace: 'ns', name: 'w' };
  const owner = await cluster.create(widgets, { apiVersion: 'x.io/v1', kind: 'Widget', metadata }, as);
  await createConfigMap('a', { ownerReferences: [ownedBy(owner)] });
  const deleted = cluster.delete(widgets, metadata, as);
  cluster.removeType(widgets);
  await deleted;
  await eventually(() => expect(configMap('a')).toBeUndefined());
});

test('a definition goes after the last of its objects', async () => {
  const widgets = addWidgets();
  const metadata = { namespace: 'ns', name: 'w', finalizers: ['x/hold'] };
  await cluster.create(widgets, { apiVersion: 'x.io/v1', kind: 'Widget', metadata }, as);
  const type = cluster.type('customresourcedefinitions', 'apiextensions.k8s.io');
  const key = { namespace: '', name: 'widgets.x.io' };
  await cluster.create(
    type,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: key.name, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
      spec: { group: 'x.io', names: { plural: 'widgets', kind: 'Widget' } },
    },
    as,
  );
  const status = { conditions: [{ type: 'Established', status: 'True' }] };
  await cluster.patch(type, key, { status }, { ...as, subresource: 'status' });
  await cluster.delete(type, key, as);
  const widget = { namespace: 'ns', name: 'w' };
  await eventually(() => expect(cluster.get(widgets, widget)?.metadata.deletionTimestamp).toBeDefined());
  expect(cluster.get(type, key)).toBeDefined();
  await cluster.patch(widgets, widget, { metadata: { finalizers: null } }, as);
  await eventually(() => expect(cluster.get(type, key)).toBeUndefined());
});

/** Deletes a claim that nothing uses: when it has gone, what was deleted before has been looked at. */
async function passDeletion(): Promise<void> {
  const claims = cluster.type('persistentvolumeclaims');
  const key = { namespace: 'ns', name: 'unused' };
  const metadata = { ...key, finalizers: ['kubernetes.io/pvc-protection'] };
  await cluster.create(claims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {} }, as);
  await cluster.delete(claims, key, as);
  await eventually(() => expect(cluster.get(claims, key)).toBeUndefined());
}

test('a deleted claim stays until no pod uses it', async () => {
  const claims = cluster.type('persistentvolumeclaims');
  const key = { namespace: 'ns', name: 'data' };
  const metadata = { ...key, finalizers: ['kubernetes.io/pvc-protection'] };
  await cluster.create(claims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {} }, as);
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  const spec = { containers: [], nodeName: 'node', volumes };
  const pod = { namespace: 'ns', name: 'p' };
  await cluster.create(cluster.type('pods'), { apiVersion: 'v1', kind: 'Pod', metadata: { ...pod }, spec }, as);
  await cluster.delete(claims, key, as);
  await passDeletion();
  expect(cluster.get(claims, key)?.metadata.deletionTimestamp).toBeDefined();
  await cluster.delete(cluster.type('pods'), pod, { ...as, gracePeriodSeconds: 0 });
  await eventually(() => expect(cluster.get(claims, key)).toBeUndefined());
});
