import { afterAll, assert, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject, refOf } from '../../src/kube/index.ts';
import { application, brokenApplication } from '../e2e/contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const deploymentRef = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });

interface Backup {
  readonly deployment: KubeObject;
  readonly bundles: readonly KubeObject[];
  readonly objects: readonly KubeObject[];
}

async function isDeleted(object: KubeObject): Promise<void> {
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(refOf(object))))).toBe(true));
}

/** Installs a version, saves everything of it, and deletes it. */
async function backUp(name: string): Promise<Backup> {
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1))), {
    ...asTest,
    force: true,
  });
  const deployment = await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const bundles = await world.ownedBundles(name);
  const objects = [
    await world.get('Namespace', name),
    ...(await world.kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name })).items.filter(
      ({ metadata }) => metadata.labels?.['core.rukpak.io/owner-name'] === name,
    ),
  ];
  await world.kube.delete(deploymentRef(name));
  for (const object of [deployment, ...bundles, ...objects]) await isDeleted(object);
  return { deployment, bundles, objects };
}

/** As Velero restores an object: name, labels, annotations and what it holds, but no owners, finalizers and managers. */
async function restore(saved: KubeObject): Promise<KubeObject> {
  const { status: _status, ...rest } = saved;
  const { name = '', namespace, labels = {}, annotations = {} } = saved.metadata;
  const metadata = { name, ...(namespace !== undefined && { namespace }), labels, annotations };
  return await world.kube.create({ ...rest, metadata } as KubeObject, { fieldManager: 'velero' });
}

async function restoreStatus({ deployment }: Backup): Promise<void> {
  const status = deployment['status'] as JsonObject;
  await world.kube.patch(refOf(deployment), { status }, { fieldManager: 'velero', subresource: 'status' });
}

async function expectKept(restored: readonly KubeObject[]): Promise<void> {
  for (const object of restored) {
    const { metadata } = await world.kube.get(refOf(object));
    expect([object.metadata.name, metadata.uid, metadata.deletionTimestamp]).toEqual([
      object.metadata.name,
      object.metadata.uid,
      undefined,
    ]);
  }
}

/** `hasStatus`: with the record of the former uid. */
const ways = [
  { name: 'with-objects', hasObjects: true, hasStatus: false, hasBundles: false },
  { name: 'with-bundles-and-status', hasObjects: true, hasStatus: true, hasBundles: true },
  { name: 'alone-with-status', hasObjects: false, hasStatus: true, hasBundles: false },
];

test.each(ways)('a BundleDeployment that is restored from a backup has its objects: $name', async (way) => {
  const { name, hasObjects, hasStatus, hasBundles } = way;
  const backup = await backUp(name);
  const objects: KubeObject[] = [];
  if (hasObjects) for (const object of backup.objects) objects.push(await restore(object));
  if (hasBundles) for (const bundle of backup.bundles) await restore(bundle);
  await restore(backup.deployment);
  if (hasStatus) await restoreStatus(backup);
  if (hasBundles) {
    const waiting = await world.deploymentWith(name, {
      type: 'HasValidBundle',
      status: 'Unknown',
      reason: 'ReconcileFailed',
    });
    expect(conditionOf(waiting, 'HasValidBundle')?.message).toContain('kubectl delete bundle');
    for (const bundle of backup.bundles) await world.kube.delete(refOf(bundle));
  }
  const { uid } = (await world.get('BundleDeployment', name)).metadata;
  await eventually(async () => {
    const settings = await world.get('ConfigMap', 'settings', name);
    expect(settings.metadata.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
  });
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await expectKept(objects);
  await world.kube.delete(deploymentRef(name));
  for (const object of backup.objects) await isDeleted(object);
});

test.each(ways.slice(0, 2))(
  'nothing is deleted while what a restored BundleDeployment asks for is refused: $name',
  async (way) => {
    const { hasStatus } = way;
    const name = `refused-${way.name}`;
    const backup = await backUp(name);
    const objects: KubeObject[] = [];
    for (const object of backup.objects) objects.push(await restore(object));
    world.imageSource(`${name}:v1`, brokenApplication(name));
    await restore(backup.deployment);
    if (hasStatus) await restoreStatus(backup);
    const refused = await eventually(async () => {
      const found = await world.get('BundleDeployment', name);
      expect(conditionOf(found, 'Installed')?.message).toContain('Not_A_Name');
      return found;
    });
    expect(conditionOf(refused, 'Installed')?.status).toBe('False');
    await expectKept(objects);
  },
);

test('a saved BundleDeployment is not applied with the ClusterExtension or PlatformOperator of that time as its owner', async () => {
  const name = 'saved';
  const source = world.imageSource(`${name}:v1`, application(name, 1));
  const owners = [
    { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' },
    { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' },
  ].map((kind) => ({ ...kind, name, uid: '00000000-0000-0000-0000-000000000001', controller: true }));
  const desired = bundleDeployment(name, source);
  const refusal = `with the uid "00000000-0000-0000-0000-000000000001", so that the garbage collector would delete`;
  for (const owner of owners) {
    const saved = { ...desired, metadata: { name, ownerReferences: [owner] } };
    expect(String(await errorOf(world.kube.create(saved, asTest)))).toContain(`there is no ${owner.kind} "saved"`);
  }
  await world.kube.create(desired, asTest);
  const { metadata } = await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  for (const owner of owners) {
    const change = { metadata: { ownerReferences: [owner] } };
    expect(String(await errorOf(world.kube.patch(deploymentRef(name), change, asTest)))).toContain(refusal);
  }
  const { uid, ownerReferences } = (await world.kube.get(deploymentRef(name))).metadata;
  expect([uid, ownerReferences]).toEqual([metadata.uid, undefined]);
});

test('a saved Bundle is not applied with the BundleDeployment of that time as its owner', async () => {
  const name = 'saved-bundle';
  await world.kube.create(bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1))), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const [bundle] = await world.ownedBundles(name);
  assert(bundle);
  const uid = '00000000-0000-0000-0000-000000000001';
  const ownerReferences = [{ apiVersion, kind: 'BundleDeployment', name, uid, controller: true }];
  const refusal = await errorOf(world.kube.patch(refOf(bundle), { metadata: { ownerReferences } }, asTest));
  expect(String(refusal)).toContain(
    `there is no BundleDeployment "${name}" with the uid "${uid}", so that the garbage collector would delete the Bundle`,
  );
  const { metadata } = await world.kube.get(refOf(bundle));
  expect([metadata.uid, metadata.ownerReferences]).toEqual([bundle.metadata.uid, bundle.metadata.ownerReferences]);
});
