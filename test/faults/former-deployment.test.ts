import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { configMap, type Files, namespace } from '../e2e/contents.ts';
import { bundleDeployment, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const user = { fieldManager: 'test' };
const name = 'former';
const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A namespace, and a ConfigMap in the one of the deployment. */
function version(number: string, place: string): Files {
  const manifests = [namespace(name), namespace(place), configMap('settings', name, { number })];
  return { 'manifests/all.yaml': manifests.join('---\n') };
}

async function install(number: string, place: string): Promise<void> {
  const desired = bundleDeployment(name, world.imageSource(`${name}:v${number}`, version(number, place)));
  await world.kube.apply(desired, { ...user, force: true });
  await eventually(async () => {
    const { data } = (await world.get('ConfigMap', 'settings', name)) as unknown as { readonly data: object };
    expect(data).toEqual({ number });
  });
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
}

/** As an administrator does whose deletion does not end. */
async function deleteByForce(): Promise<void> {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
  await world.kube.patch(settings, { metadata: { finalizers: ['example.com/hold'] } }, user);
  await world.kube.delete(deployment);
  await world.deploymentWith(name, { type: 'Removing', status: 'True' });
  await world.kube.patch(deployment, { metadata: { finalizers: null } }, user);
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(deployment)))).toBe(true));
  await world.kube.patch(settings, { metadata: { finalizers: null } }, user);
}

test('what a former BundleDeployment of the name has left is removed by no version of the next one', async () => {
  await install('1', 'precious');
  const data = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'data', namespace: 'precious' } };
  await world.kube.create(data, user);
  await deleteByForce();
  await install('2', 'another');
  await install('3', 'another');
  const { metadata } = await world.get('Namespace', 'precious');
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.labels).not.toHaveProperty(['core.rukpak.io/owner-name']);
  await world.get('ConfigMap', 'data', 'precious');
  await eventually(async () => {
    const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    const notes = items.filter((event) => event['reason'] === 'FormerObjectsKept').map((event) => event['message']);
    expect(notes).toEqual([expect.stringContaining('retained without an owner: Namespace "precious"')]);
  });
  await world.kube.delete(deployment);
  await eventually(async () => expect(isNotFound(await errorOf(world.get('Namespace', 'another')))).toBe(true));
  expect((await world.get('Namespace', 'precious')).metadata.deletionTimestamp).toBeUndefined();
});
