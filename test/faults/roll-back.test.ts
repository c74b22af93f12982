import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../../apiserver/index.ts';
import { installFieldManager } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { application, brokenApplication } from '../e2e/contents.ts';
import { bundleDeployment, conditionOf, startWorld, statusOf, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

let world: World;
let server: ApiServer;

// Each test has a deployment and a namespace of its own, and faults for these alone.
beforeAll(async () => {
  world = await startWorld();
  if (world.platform.apiServer === undefined) throw new Error('faults need the embedded API server');
  server = world.platform.apiServer;
});

afterAll(() => world[Symbol.asyncDispose]());

/** Waits until the version of `brokenApplication` is what the deployment reports, not a failure of the version before it. */
async function untilRefused(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const deployment = await world.deploymentWith(name, { type: 'Installed', status: 'False' });
    expect(conditionOf(deployment, 'Installed')?.message).toContain('Not_A_Name');
    return deployment;
  });
}

test('a first installation that is refused leaves no object whose response was lost', async () => {
  const name = 'lost-answer';
  const fault = server.faults.add({ verbs: ['patch'], resource: 'namespaces', name, drop: 'after', times: 1 });
  const source = world.imageSource(`${name}:v1`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(fault.hits).toBe(1);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('a first installation that a fault interrupted is rolled back when its next attempt is refused', async () => {
  const name = 'broken-off';
  const fault = server.faults.add({
    verbs: ['patch'],
    resource: 'serviceaccounts',
    namespace: name,
    error: 500,
    times: 2,
  });
  const account = `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: ${name}}\n`;
  const files = { ...brokenApplication(name), 'manifests/05-account.yaml': account };
  const source = world.imageSource(`${name}:v1`, files);
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await eventually(() => expect(fault.hits).toBe(2));
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('what several attempts of a first installation created is rolled back when the next version is refused', async () => {
  const name = 'many-tries';
  const writes = { verbs: ['patch'], isDryRun: false, error: 500 };
  const first = server.faults.add({ ...writes, resource: 'namespaces', name, times: 1 });
  const later = server.faults.add({ ...writes, resource: 'configmaps', namespace: name, name: 'kept' });
  const good = world.imageSource(`${name}:v1`, application(name, 1));
  await server.client.apply(bundleDeployment(name, good), { fieldManager: 'user', force: true });
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
  await eventually(async () => expect(await server.client.find(settings)).toBeDefined());
  await eventually(() => expect([first.hits, later.hits > 0]).toEqual([1, true]));
  const bad = world.imageSource(`${name}:v2`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, bad), { fieldManager: 'user', force: true });
  await untilRefused(name);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('an object that was deleted while it was to be taken over is created, and rolled back', async () => {
  const name = 'no-takeover';
  const fault = server.faults.add({ verbs: ['patch'], resource: 'namespaces', name, error: 409, times: 1 });
  const source = world.imageSource(`${name}:v1`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await untilRefused(name);
  expect(fault.hits).toBe(1);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('an object that is written after the rollback of its version, because the request was slow, is removed', async () => {
  const name = 'late-write';
  const writes = { verbs: ['patch'], resource: 'configmaps', namespace: name, isDryRun: false };
  const fault = server.faults.add({ ...writes, error: 500 });
  const good = world.imageSource(`${name}:v1`, application(name, 1));
  await server.client.apply(bundleDeployment(name, good), { fieldManager: 'user', force: true });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  const written = await eventually(async () => {
    expect(fault.hits).toBeGreaterThan(0);
    return await server.client.get(namespace);
  });
  const bad = world.imageSource(`${name}:v2`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, bad), { fieldManager: 'user', force: true });
  await untilRefused(name);
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
  const { labels = {}, annotations = {} } = written.metadata;
  const late = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, annotations } };
  await server.client.apply(late as never, { fieldManager: installFieldManager, force: true });
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('a namespace that is written after the removal of its deployment, because no answer arrived, is removed', async () => {
  const name = 'later-write';
  const fault = server.faults.add({ verbs: ['patch'], resource: 'namespaces', name, isDryRun: false, drop: 'before' });
  const good = world.imageSource(`${name}:v1`, application(name, 1));
  await server.client.apply(bundleDeployment(name, good), { fieldManager: 'user', force: true });
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(fault.hits).toBeGreaterThan(0);
  const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };
  await server.client.delete(deployment);
  const removing = await world.deploymentWith(name, { type: 'Removing', status: 'True' });
  expect(conditionOf(removing, 'Removing')?.message).toContain(`did not answer the write of Namespace "${name}"`);
  fault.remove();
  const labels = {
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': name,
  };
  const late = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  await server.client.apply(late as never, { fieldManager: installFieldManager, force: true });
  await eventually(async () =>
    expect(await server.client.find({ apiVersion: 'v1', kind: 'Namespace', name })).toBeUndefined(),
  );
});

test('N8 what is installed is retained while the next version is refused, though the status could not be written', async () => {
  const name = 'untold';
  const writes = { verbs: ['patch'], resource: 'configmaps', namespace: name, name: 'kept', isDryRun: false };
  const trouble = server.faults.add({ ...writes, error: 500 });
  const good = world.imageSource(`${name}:v1`, application(name, 1));
  await server.client.apply(bundleDeployment(name, good), { fieldManager: 'user', force: true });
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
  await eventually(async () => expect(await server.client.find(settings)).toBeDefined());
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  // What will be installed is recorded by now; that it is installed cannot be.
  const fault = server.faults.add({ verbs: ['patch'], resource: 'bundledeployments/status', name, error: 500 });
  trouble.remove();
  await eventually(async () => expect(await server.client.find({ ...settings, name: 'kept' })).toBeDefined());
  const before = fault.hits;
  await eventually(() => expect(fault.hits).toBeGreaterThan(before));
  const [active] = await world.ownedBundles(name);
  const bad = world.imageSource(`${name}:v2`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, bad), { fieldManager: 'user', force: true });
  await eventually(async () => expect(await world.ownedBundles(name)).toHaveLength(2));
  await server.client.patch(settings, { data: { version: 'changed by hand' } });
  fault.remove();
  const deployment = await untilRefused(name);
  await eventually(async () => expect(await server.client.find(settings)).toMatchObject({ data: { version: '1' } }));
  expect(statusOf(deployment)['activeBundle']).toBe(active?.metadata.name);
});

test('objects that existed before a first installation adopted them stay when that is rolled back', async () => {
  const name = 'taken-over';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: name } };
  await server.client.apply(namespace);
  await server.client.apply({ ...settings, data: { version: 'of someone' } });
  const writes = { verbs: ['patch'], resource: 'configmaps', namespace: name, isDryRun: false };
  const fault = server.faults.add({ ...writes, name: 'kept', error: 500 });
  const deployment = bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1)));
  const annotations = { 'core.rukpak.io/adopt': 'true' };
  const adopting = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  await server.client.apply(adopting, { fieldManager: 'user', force: true });
  await eventually(() => expect(fault.hits).toBeGreaterThan(1));
  const legacy = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'legacy' };
  await eventually(async () => expect(await server.client.find(legacy)).toBeDefined());
  const unreadable = { 'manifests/below/all.yaml': 'not: read' };
  const spec = bundleDeployment(name, world.imageSource(`${name}:v2`, unreadable))['spec'];
  await server.client.apply({ ...adopting, spec }, { fieldManager: 'user', force: true });
  await world.deploymentWith(name, { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
  await eventually(async () => expect(await server.client.find(legacy)).toBeUndefined());
  expect(await server.client.find({ apiVersion: 'v1', kind: 'Namespace', name })).toMatchObject({
    status: { phase: 'Active' },
  });
  expect(await server.client.find({ ...legacy, name: 'settings' })).toMatchObject({ data: { version: '1' } });
});

test('labels on an object elsewhere do not change what a first installation has created', async () => {
  const name = 'claimed-elsewhere';
  const labels = { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': name };
  await server.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } });
  const claimed = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'of-a-tenant', namespace: 'elsewhere' } };
  await server.client.apply({ ...claimed, metadata: { ...claimed.metadata, labels } });
  const writes = { verbs: ['patch'], resource: 'configmaps', namespace: name, isDryRun: false };
  const fault = server.faults.add({ ...writes, name: 'kept', error: 500 });
  const source = world.imageSource(`${name}:v1`, application(name, 1));
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await eventually(() => expect(fault.hits).toBeGreaterThan(1));
  expect(statusOf(await world.get('BundleDeployment', name))['record']).toMatchObject({ installation: 'Creating' });
});
