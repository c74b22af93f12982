import { expect, test } from 'vitest';
import type { KubeObject } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import { entryOf, formatRecord, freshRecord, readRecord, writeRecord } from './deployment-record.ts';
import { bundlesOf, controlledBundles } from './owned-bundles.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const source = { type: 'image', image: { ref: 'example.com/a:v1' } };
const spec = { provisionerClassName: 'core-rukpak-io-plain', source };
const owner = { apiVersion, kind: 'BundleDeployment', name: 'app', uid: 'u1', controller: true };
const labels = { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': 'app' };

const bundle: KubeObject = {
  apiVersion,
  kind: 'Bundle',
  metadata: { name: 'app-1', uid: 'b1', labels, ownerReferences: [owner] },
  spec,
};

function deployment(recordUid = 'u1'): KubeObject {
  const object = { apiVersion, kind: 'BundleDeployment', metadata: { name: 'app', uid: 'u1' } };
  const record = { ...formatRecord(object, { ...freshRecord, bundles: [entryOf(bundle)] }), uid: recordUid };
  const template = { spec };
  return { ...object, spec: { provisionerClassName: spec.provisionerClassName, template }, status: { record } };
}

function cacheOf(...objects: readonly KubeObject[]): { readonly bundles: ProvisionerContext['bundles'] } {
  const get = (name: string) => objects.find(({ metadata }) => metadata.name === name);
  const labelled = (key: string, value: string) => objects.filter(({ metadata }) => metadata.labels?.[key] === value);
  return { bundles: { get, labelled } as unknown as ProvisionerContext['bundles'] };
}

function changed(metadata: object, rest: object = {}): KubeObject {
  return { ...bundle, ...rest, metadata: { ...bundle.metadata, ...metadata } };
}

test('a Bundle that was created for the deployment is its own', () => {
  expect(bundlesOf(cacheOf(bundle), deployment())).toEqual([bundle]);
  const reordered = changed(
    { labels: {} },
    { spec: { source: spec.source, provisionerClassName: spec.provisionerClassName } },
  );
  expect(bundlesOf(cacheOf(reordered), deployment())).toEqual([reordered]);
});

test.each([
  { name: 'has another uid', found: changed({ uid: 'b2' }) },
  { name: 'has another spec', found: changed({}, { spec: { ...spec, source: { type: 'upload', upload: {} } } }) },
  { name: 'has no owner', found: changed({ ownerReferences: [] }) },
  { name: 'has an owner with another uid', found: changed({ ownerReferences: [{ ...owner, uid: 'u2' }] }) },
  {
    name: 'has an owner that does not control it',
    found: changed({ ownerReferences: [{ ...owner, controller: false }] }),
  },
  { name: 'has another name', found: changed({ name: 'app-2', uid: 'b2' }) },
])('a Bundle that $name is not, regardless of its labels', ({ found }) => {
  expect(bundlesOf(cacheOf(found), deployment())).toEqual([]);
});

test('a record of another uid counts as none', () => {
  expect(readRecord(deployment('u0'))).toBeUndefined();
  expect(bundlesOf(cacheOf(bundle), deployment('u0'))).toEqual([]);
});

test('with a deployment go the Bundles that it controls, and those that were created for it', () => {
  const orphaned = changed({ ownerReferences: [], labels: {} });
  const claimed = changed({ name: 'app-2', uid: 'b2' });
  const other = changed({ name: 'app-3', uid: 'b3', ownerReferences: [] });
  expect(controlledBundles(cacheOf(orphaned, claimed, other), deployment())).toEqual([claimed, orphaned]);
});

test('where the cluster drops the record nothing proceeds, and the error names what to apply', async () => {
  const { status: _dropped, ...kept } = deployment();
  const kube = { patch: () => Promise.resolve(kept) };
  const context = { kube, deployments: { wrote: () => undefined } } as unknown as ProvisionerContext;
  const work = { record: freshRecord, signal: new AbortController().signal };
  const written = writeRecord(context, kept as KubeObject, work);
  await expect(written).rejects.toMatchObject({ reason: 'DefinitionOutdated' });
  await expect(written).rejects.toThrow(
    'CustomResourceDefinition "bundledeployments.core.rukpak.io" is not that of this version',
  );
});
