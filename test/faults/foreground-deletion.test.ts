import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isForbidden, isNotFound, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { configMap, type Files, namespace } from '../e2e/contents.ts';
import { bundleDeployment, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const user = { fieldManager: 'test' };
const inForeground = { propagationPolicy: 'Foreground' } as const;
const orphan = 'core.rukpak.io/orphan';
const catalog = { sourceType: 'Catalog', catalog: { packageName: 'tide' } };
const extension = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  metadata: { name: 'tide' },
  spec: { namespace: 'office', source: catalog },
};
const operator = {
  apiVersion: 'platform.openshift.io/v1alpha1',
  kind: 'PlatformOperator',
  metadata: { name: 'wave' },
  spec: { package: { name: 'wave' } },
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const deploymentRef = (name: string): ObjectRef => ({
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  name,
});

function files(name: string): Files {
  return { 'manifests/all.yaml': [namespace(name), configMap('settings', name, { mode: 'fast' })].join('---\n') };
}

interface Marks {
  readonly owner?: KubeObject;
  /** Default: true. */
  readonly controller?: boolean;
  readonly metadata?: JsonObject;
  /** Of the template. */
  readonly annotations?: JsonObject;
  readonly more?: Files;
}

async function install(name: string, marks: Marks = {}): Promise<void> {
  const { owner, controller = true, metadata = {}, annotations = {}, more = {} } = marks;
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, { ...files(name), ...more }));
  const { template, ...spec } = desired['spec'] as { readonly template: object };
  const owners = owner && [
    { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid },
  ];
  const ownerReferences = owners?.map((one) => ({ ...one, controller, blockOwnerDeletion: controller }));
  const object = {
    ...desired,
    metadata: { ...metadata, name, ...(ownerReferences && { ownerReferences }) },
    spec: { ...spec, template: { ...template, metadata: { annotations } } },
  };
  await world.kube.create(object as unknown as KubeObject, user);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
}

async function isDeleted(ref: ObjectRef): Promise<void> {
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true));
}

async function settingsOf(name: string): Promise<KubeObject['metadata']> {
  return (await world.get('ConfigMap', 'settings', name)).metadata;
}

test('a BundleDeployment that leaves its objects is not deleted in the foreground', async () => {
  await install('left', { metadata: { annotations: { [orphan]: 'true' } } });
  const { uid } = await settingsOf('left');
  const ref = deploymentRef('left');
  expect(isForbidden(await errorOf(world.kube.delete(ref, inForeground)))).toBe(true);
  const finalizers = [...((await world.kube.get(ref)).metadata.finalizers ?? []), 'foregroundDeletion'];
  await world.kube.patch(ref, { metadata: { finalizers } }, user);
  await world.kube.delete(ref);
  await isDeleted(ref);
  expect(await settingsOf('left')).toMatchObject({ uid, annotations: { 'core.rukpak.io/released-from': 'left' } });
});

test('what a user has annotated to be retained stays after a deletion in the foreground', async () => {
  await install('retained');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'retained' };
  const policy = (value: string | null) => ({ metadata: { annotations: { 'helm.sh/resource-policy': value } } });
  await world.kube.patch(ref, policy('keep'), user);
  await eventually(async () => expect((await settingsOf('retained')).ownerReferences).toBeUndefined());
  await world.kube.patch(ref, policy(null), user);
  await eventually(async () => expect((await settingsOf('retained')).ownerReferences).toHaveLength(1));
  await world.kube.patch(ref, policy('keep'), user);
  await eventually(async () => expect((await settingsOf('retained')).ownerReferences).toBeUndefined());
  const { uid } = await settingsOf('retained');
  await world.kube.delete(deploymentRef('retained'), inForeground);
  await isDeleted(deploymentRef('retained'));
  const { deletionTimestamp, ...left } = await settingsOf('retained');
  expect([left.uid, deletionTimestamp]).toEqual([uid, undefined]);
});

const provides = (name: string): Files => ({
  'metadata/properties.yaml': `properties: [{type: olm.package, value: {packageName: ${name}, version: 1.0.0}}]`,
});

/** Installs what needs a package, so that what provides it is noted. */
async function installUser(name: string, { of, packageName }: { of: string; packageName: string }): Promise<void> {
  const needs = [{ type: 'olm.package', value: { packageName, version: '>=1.0.0' } }];
  await install(name, { annotations: { 'core.rukpak.io/dependencies': JSON.stringify(needs) } });
  await eventually(async () => {
    const [bundle] = await world.ownedBundles(of);
    expect(bundle?.metadata.annotations).toHaveProperty(['core.rukpak.io/bundle-properties']);
  });
}

test('a dependency that others need stays when its ClusterExtension is deleted in the foreground', async () => {
  const owner = await world.kube.create(extension as unknown as KubeObject, user);
  await install('tide-base', { owner, more: provides('base') });
  await installUser('needy', { of: 'tide-base', packageName: 'base' });
  const { uid } = await settingsOf('tide-base');
  const ref = { ...extension, name: 'tide' };
  await world.kube.delete(ref, inForeground);
  await isDeleted(ref);
  const { metadata } = await world.kube.get(deploymentRef('tide-base'));
  expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  expect(await settingsOf('tide-base')).toMatchObject({ uid });
});

test('what the BundleDeployment of a PlatformOperator leaves stays when that is deleted in the foreground', async () => {
  const owner = await world.kube.create(operator as unknown as KubeObject, user);
  const labels = { 'platform.openshift.io/package': 'wave' };
  await install('wave', { owner, metadata: { labels, annotations: { [orphan]: 'true' } } });
  const { uid } = await settingsOf('wave');
  const ref = { ...operator, name: 'wave' };
  await world.kube.delete(ref, inForeground);
  await isDeleted(ref);
  await isDeleted(deploymentRef('wave'));
  expect(await settingsOf('wave')).toMatchObject({ uid, annotations: { 'core.rukpak.io/released-from': 'wave' } });
});

test.each(['Background', 'Foreground'] as const)(
  'a dependency that others need stays when its PlatformOperator is deleted: %s',
  async (propagationPolicy) => {
    const name = `sea-${propagationPolicy.toLowerCase()}`;
    const [base, alone, needy] = [`${name}-base`, `${name}-alone`, `${name}-needy`];
    const made = { ...operator, metadata: { name }, spec: { package: { name } } };
    const owner = await world.kube.create(made as unknown as KubeObject, user);
    for (const one of [base, alone]) {
      const metadata = { labels: { 'platform.openshift.io/package': one } };
      await install(one, { owner, controller: false, metadata, more: provides(one) });
    }
    await installUser(needy, { of: base, packageName: base });
    const { uid } = await settingsOf(base);
    await world.kube.delete({ ...operator, name }, { propagationPolicy });
    await isDeleted({ ...operator, name });
    await isDeleted(deploymentRef(alone));
    expect((await world.kube.get(deploymentRef(base))).metadata.deletionTimestamp).toBeUndefined();
    expect(await settingsOf(base)).toMatchObject({ uid });
  },
);
