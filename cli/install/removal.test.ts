import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { createProgress } from '../output/progress.ts';
import { readManifests } from './manifests.ts';
import { removeInstallation } from './removal.ts';
import { withShards } from './shards.ts';

const user = { fieldManager: 'test' };
const ourLabels = { 'app.kubernetes.io/part-of': 'longshore' };
const apiVersion = 'olm.operatorframework.io/v1';
const crdRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'clustercatalogs.olm.operatorframework.io',
};

let cluster: BareCluster;

beforeEach(async () => {
  cluster = await openBareCluster();
  const { kube } = cluster;
  for (const crd of (await readCrds()) as unknown as KubeObject[]) await kube.apply(crd, user);
  const image = { ref: 'quay.io/cat:v1' };
  const object = {
    apiVersion,
    kind: 'ClusterCatalog',
    metadata: { name: 'a' },
    spec: { source: { type: 'Image', image } },
  };
  await eventually(async () => {
    kube.forgetKinds(apiVersion);
    await kube.create(object as unknown as KubeObject, user);
  });
});

afterEach(async () => {
  await cluster[Symbol.asyncDispose]();
});

async function remove(isWithContent: boolean, timeoutMs = 30_000): Promise<unknown> {
  using progress = createProgress(process.stderr, { isQuiet: true });
  return await removeInstallation({
    kube: cluster.kube,
    isDryRun: false,
    timeoutMs,
    progress,
    onRemoved: () => undefined,
    isWithContent,
    isWithOperators: false,
  });
}

test('ClusterCatalogs that others have brought stay, and so does their kind', async () => {
  await remove(false);
  expect((await cluster.kube.list({ apiVersion, kind: 'ClusterCatalog' })).items).toHaveLength(1);
  const { items } = await cluster.kube.list({ apiVersion: crdRef.apiVersion, kind: crdRef.kind });
  expect(items.map(({ metadata }) => metadata.name)).toContain(crdRef.name);
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('bundles.core.rukpak.io');
});

test('ClusterCatalogs of ours keep an uninstallation, unless they are to go with it', async () => {
  await cluster.kube.patch(crdRef, { metadata: { labels: { 'app.kubernetes.io/part-of': 'longshore' } } }, user);
  await expect(remove(false)).rejects.toThrow('there are ClusterCatalogs: a. Remove them');
  await remove(true);
  const { items } = await cluster.kube.list({ apiVersion: crdRef.apiVersion, kind: crdRef.kind });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain(crdRef.name);
});

test('what there is of each shard goes, also where the namespace stays for what others have in it', async () => {
  const { kube } = cluster;
  await cluster.kube.delete({ apiVersion, kind: 'ClusterCatalog', name: 'a' });
  const shipped = withShards((await readManifests('self-signed')) as unknown as KubeObject[], 3);
  const isExpected = ({ kind, metadata }: KubeObject): boolean => kind === 'Namespace' || metadata.name === 'core-3';
  const brought = shipped.filter(isExpected);
  for (const object of brought) await kube.apply(object, user);
  expect(brought).toHaveLength(4);
  const another = brought.find(({ kind }) => kind === 'Deployment');
  const foreign = { ...another, metadata: { name: 'core-4', namespace: 'rukpak-system' } } as KubeObject;
  await kube.apply(foreign, user);
  expect(await remove(false)).toMatchObject({ others: ['Deployment core-4'] });
  for (const { apiVersion: version, kind } of brought.filter((object) => object.kind !== 'Namespace')) {
    const { items } = await kube.list({ apiVersion: version, kind, namespace: 'rukpak-system' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(kind === 'Deployment' ? ['core-4'] : []);
  }
});

test('what blocks the deletion of a deployment is reported with its condition', async () => {
  const [ours, name] = ['core.rukpak.io/v1alpha1', 'stuck'];
  const { kube } = cluster;
  const template = { spec: { provisionerClassName: 'p', source: { type: 'image', image: { ref: 'quay.io/x:v1' } } } };
  const metadata = { name, finalizers: ['example.com/held'] };
  const object = {
    apiVersion: ours,
    kind: 'BundleDeployment',
    metadata,
    spec: { provisionerClassName: 'p', template },
  };
  await kube.create(object as unknown as KubeObject, user);
  const conditions = [
    {
      type: 'Removing',
      status: 'True',
      reason: 'RemovalFailed',
      message: 'not allowed',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ];
  const ref = { apiVersion: ours, kind: 'BundleDeployment', name };
  await kube.patch(ref, { status: { conditions } } as never, { ...user, subresource: 'status' });
  await expect(remove(true, 1_000)).rejects.toThrow(
    'still there after 1 s: stuck (finalizers of the first: example.com/held; status: not allowed)',
  );
});

test('an uninstallation ends when the namespace is deleted, and names what holds it when it is not in time', async () => {
  const { kube } = cluster;
  await kube.delete({ apiVersion, kind: 'ClusterCatalog', name: 'a' });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: 'rukpak-system' };
  const held = { name: 'held', namespace: namespace.name, finalizers: ['example.com/held'], labels: ourLabels };
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace.name } }, user);
  await kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: held }, user);
  await expect(remove(false, 1_000)).rejects.toThrow(
    /still being deleted after 1 s: namespace\/rukpak-system .*status: .*example.com\/held/,
  );
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'held', namespace: namespace.name };
  await kube.patch(ref, { metadata: { finalizers: null } }, user);
  expect(await remove(false)).toEqual({ others: [], kinds: [] });
  await expect(kube.get(namespace)).rejects.toThrow('not found');
});
