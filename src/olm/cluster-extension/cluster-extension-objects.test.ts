import { expect, test } from 'vitest';
import {
  ask,
  bundleKind,
  cluster,
  deploymentRef,
  extensionKind,
  extensionRef,
  find,
  halt,
  launch,
  offer,
  openExtensionCluster,
  progressing,
  provision,
  rukpak,
  setCatalogs,
  untilInstalled,
  user,
} from '../../../test/support/cluster-extension-cluster.ts';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { eventually } from '../../../test/support/index.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import { conditionsOf, type KubeObject } from '../../kube/index.ts';

openExtensionCluster();

test('deleted with --cascade=orphan it leaves its BundleDeployment, whichever of the two the controller sees last', async () => {
  offer('1.0.0');
  await launch();
  await ask();
  await untilInstalled('1.0.0');
  const { uid } = (await cluster.kube.get(deploymentRef)).metadata;
  await halt();
  using extensions = holdWatch(cluster.kube, 'ClusterExtension');
  using deployments = holdWatch(extensions.kube, 'BundleDeployment');
  const attempt = Promise.withResolvers<void>();
  await launch({
    ...deployments.kube,
    delete: (ref, options) => deployments.kube.delete(ref, options).finally(attempt.resolve),
  });
  await cluster.kube.delete(extensionRef, { propagationPolicy: 'Orphan' });
  await eventually(async () => {
    expect((await cluster.kube.get(extensionRef)).metadata.finalizers).not.toContain('orphan');
  });
  extensions[Symbol.dispose]();
  await attempt.promise;
  deployments[Symbol.dispose]();
  await eventually(async () => expect(await find(extensionRef)).toBeUndefined());
  const { metadata } = await cluster.kube.get(deploymentRef);
  expect(metadata).toMatchObject({ uid });
  expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  await cluster.kube.delete(deploymentRef);
});

/** A BundleDeployment with the Bundle that it has installed, whose properties are noted. */
async function standing(name: string, properties: readonly JsonObject[], owner?: KubeObject): Promise<void> {
  const extensions = { ...extensionKind, name: 'tide', uid: owner?.metadata.uid ?? '', controller: true };
  const template = { spec: { provisionerClassName: 'x', source: { type: 'image', image: { ref: 'x' } } } };
  const spec = { provisionerClassName: 'x', template };
  const ownerReferences = owner === undefined ? [] : [extensions];
  const made = await cluster.kube.create(
    { ...rukpak, kind: 'BundleDeployment', metadata: { name, ownerReferences }, spec } as unknown as KubeObject,
    user,
  );
  const annotations = { 'core.rukpak.io/bundle-properties': JSON.stringify(properties) };
  const bundle = await cluster.kube.create(
    { ...bundleKind, metadata: { name: `${name}-1`, annotations }, spec: template.spec } as unknown as KubeObject,
    user,
  );
  const { uid } = made.metadata;
  const bundles = [{ name: `${name}-1`, uid: bundle.metadata.uid ?? '', specHash: '' }];
  const record = { uid, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  const status = { activeBundle: `${name}-1`, record } as unknown as JsonObject;
  await cluster.kube.patch({ ...deploymentRef, name }, { status }, { ...user, subresource: 'status' });
}

test('with it go the dependencies that were made for it, but not those that others need', async () => {
  offer('1.0.0');
  await launch();
  const extension = await ask();
  await untilInstalled('1.0.0');
  await halt();
  const provides = (packageName: string) => ({ type: 'olm.package', value: { packageName, version: '1.0.0' } });
  const needs = { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=1.0.0' } };
  await standing('tide-base', [provides('base')], extension);
  await standing('tide-alone', [provides('alone')], extension);
  await standing('wave', [provides('wave'), needs]);
  await launch();
  await cluster.kube.delete(extensionRef);
  await eventually(async () => expect(await find(extensionRef)).toBeUndefined());
  const { items } = await cluster.kube.list(deploymentRef);
  expect(items.map(({ metadata }) => [metadata.name, metadata.ownerReferences ?? []])).toEqual([
    ['tide-base', []],
    ['wave', []],
  ]);
  const events = await eventually(async () => {
    const list = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    const kept = list.items.filter(({ reason }) => reason === 'DependencyKept');
    expect(kept).toHaveLength(1);
    return kept;
  });
  expect(events[0]?.['message']).toContain('BundleDeployment tide-base stays without an owner: it is needed by wave');
  for (const { metadata } of items) await cluster.kube.delete({ ...deploymentRef, name: metadata.name ?? '' });
});

const installOf = (extension: KubeObject) => objectAt(extension as unknown as JsonObject, 'status', 'install');

// The status shows no name with build metadata.
test.each(['1.0.0', '1.0.0+build.7'])(
  'where users delete the Bundle of %s, no version follows that no update leads to',
  async (version) => {
    offer(version);
    await launch();
    await ask();
    await eventually(async () => {
      await provision();
      expect(await progressing()).toMatchObject({ status: 'True', reason: 'Succeeded' });
    });
    const before = await cluster.kube.get(extensionRef);
    const { spec: installed } = await cluster.kube.get(deploymentRef);
    const packages = [drawnPackage({ stable: '3.0.0', former: version }, [], { name: 'tide' })];
    setCatalogs([drawnCatalog(packages, { name: 'shop' })]);
    const { items } = await cluster.kube.list(bundleKind);
    for (const { metadata } of items) await cluster.kube.delete({ ...bundleKind, name: metadata.name ?? '' });
    for (const progressDeadlineMinutes of [30, 40]) {
      const { metadata } = await cluster.kube.patch(extensionRef, { spec: { progressDeadlineMinutes } }, user);
      await eventually(async () => {
        const found = await cluster.kube.get(extensionRef);
        const observed = conditionsOf(found).find(({ type }) => type === 'Progressing')?.observedGeneration;
        expect(observed).toBe(metadata.generation);
      });
    }
    expect((await cluster.kube.get(deploymentRef))['spec']).toEqual(installed);
    const found = await cluster.kube.get(extensionRef);
    expect(installOf(found)).toEqual(installOf(before));
    expect(conditionsOf(found).find(({ type }) => type === 'Installed')).toMatchObject({ status: 'True' });
  },
);

test('annotations that a user has written with another account do not apply to the account of the ClusterExtension', async () => {
  offer('1.0.0');
  const serviceAccount = { name: 'installer' };
  const { uid = '' } = (await ask({ serviceAccount })).metadata;
  const hers = { namespace: 'team', name: 'hers' };
  const ownerReferences = [{ ...extensionKind, name: 'tide', uid, controller: true }];
  const annotations = { 'core.rukpak.io/adopt': 'true', mine: 'yes' };
  const source = { type: 'image', image: { ref: 'registry.example/hers:v1' } };
  const provisionerClassName = 'core-rukpak-io-plain';
  const spec = {
    provisionerClassName,
    config: { serviceAccount: hers },
    template: { spec: { provisionerClassName, source } },
  };
  const metadata = { name: 'tide', annotations, ownerReferences };
  await cluster.kube.create({ ...deploymentRef, metadata, spec }, user);
  await launch();
  await eventually(async () => {
    const found = await cluster.kube.get(deploymentRef);
    const account = { namespace: 'office', name: 'installer' };
    expect(found['spec']).toMatchObject({ config: { serviceAccount: account } });
    expect(found.metadata.annotations).toMatchObject({ mine: 'yes' });
    expect(found.metadata.annotations).not.toHaveProperty(['core.rukpak.io/adopt']);
  });
});
