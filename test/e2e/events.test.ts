import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application, brokenApplication } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const name = 'reported';

let world: World;
let uid = '';
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const activeBundle = (deployment: KubeObject): string => statusOf(deployment)['activeBundle'] as string;

async function setImage(source: ReturnType<World['imageSource']>): Promise<void> {
  const patch = { spec: { template: { spec: { source } } } };
  await world.kube.patch({ apiVersion, kind: 'BundleDeployment', name }, patch, { fieldManager: 'test' });
}

/** What `kubectl describe` would list of the object, as `type reason: message`. */
async function eventsOf(about: string): Promise<readonly string[]> {
  const fieldSelector = `involvedObject.uid=${about}`;
  const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default', fieldSelector });
  return items.map(({ type, reason, message }) =>
    [type as string, `${reason as string}:`, message as string].join(' '),
  );
}

async function whenReported(...events: readonly string[]): Promise<void> {
  await eventually(async () => {
    expect(await eventsOf(uid)).toEqual(expect.arrayContaining([...events]));
  });
}

test('Q30 the creation of a Bundle and the installation are reported', async () => {
  const source = world.imageSource('reported:v1', application(name, 1));
  const made = await world.kube.create(bundleDeployment(name, source), { fieldManager: 'test' });
  uid = made.metadata.uid ?? '';
  const active = activeBundle(await world.deploymentWith(name, installed));
  await whenReported(
    `Normal BundleCreated: Created the ${active} Bundle`,
    `Normal InstallationSucceeded: Instantiated bundle ${active} successfully`,
  );
});

test('Q30 the unpacking of a Bundle without a deployment is reported once', async () => {
  const { metadata } = await world.kube.create(bundle('alone', world.imageSource('alone:v1', application(name, 1))), {
    fieldManager: 'test',
  });
  await eventually(async () => {
    expect(await eventsOf(metadata.uid ?? '')).toEqual([
      'Normal UnpackSuccessful: Successfully unpacked the image Bundle',
    ]);
  });
});

test('Q11 every condition is present and has the generation that it is about', async () => {
  const deployment = await world.get('BundleDeployment', name);
  for (const type of ['HasValidBundle', 'Installed', 'Healthy', 'Paused', 'ObjectsKept', 'Removing']) {
    expect(conditionOf(deployment, type)?.observedGeneration).toBe(deployment.metadata.generation);
  }
  const bundle = await world.get('Bundle', activeBundle(deployment));
  expect(conditionOf(bundle, 'Unpacked')?.observedGeneration).toBe(bundle.metadata.generation);
});

test('Q30 an upgrade is reported with both versions, and the deleted Bundles', async () => {
  const from = activeBundle(await world.get('BundleDeployment', name));
  await setImage(world.imageSource('reported:v2', application(name, 2)));
  const to = await eventually(async () => {
    const active = activeBundle(await world.deploymentWith(name, installed));
    expect(active).not.toBe(from);
    return active;
  });
  await whenReported(
    `Normal Upgraded: Upgraded from bundle ${from} to bundle ${to}`,
    `Normal OldBundlesRemoved: Removed the Bundles of earlier templates: ${from}`,
  );
});

test('Q30 a version that cannot be installed is reported once, with the cause; so is content that is unavailable', async () => {
  await setImage(world.imageSource('reported:v3', brokenApplication(name)));
  const failed = await world.deploymentWith(name, { type: 'Installed', status: 'False', reason: 'UpgradeFailed' });
  await whenReported(`Warning UpgradeFailed: ${conditionOf(failed, 'Installed')?.message}`);
  await setImage({
    type: 'image',
    image: { ref: `${world.registry.host}/none@sha256:${'1'.repeat(64)}`, pullSecret: 'registrysecret' },
  });
  const lost = await world.deploymentWith(name, { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
  const cause = conditionOf(lost, 'HasValidBundle')?.message.replace(/ \(not tried again [^()]*\)$/, '');
  await whenReported(`Warning UnpackFailed: ${cause}`);
  expect((await eventsOf(uid)).filter((line) => line.includes('UpgradeFailed'))).toHaveLength(1);
});

test('Q30 a pause and its end are reported', async () => {
  const ref = { apiVersion, kind: 'BundleDeployment', name };
  const set = (value: string | null): Promise<KubeObject> =>
    world.kube.patch(ref, { metadata: { annotations: { 'core.rukpak.io/paused': value } } }, { fieldManager: 'test' });
  await set('true');
  await world.deploymentWith(name, { type: 'Paused', status: 'True' });
  await set(null);
  await world.deploymentWith(name, { type: 'Paused', status: 'False' });
  await whenReported('Normal Resumed: No longer paused');
  expect((await eventsOf(uid)).some((line) => line.startsWith('Normal Paused: '))).toBe(true);
});

test('Q30 a removal is reported', async () => {
  await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name });
  await eventually(async () => {
    expect(isNotFound(await errorOf(world.get('BundleDeployment', name)))).toBe(true);
  });
  await whenReported('Normal Removed: Everything that was installed has been removed');
});
