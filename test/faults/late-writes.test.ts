import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../../apiserver/index.ts';
import { installFieldManager, orphanAnnotation, ownerNameLabel } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { configMap, namespace } from '../e2e/contents.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const name = 'late-writes';
const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
const user = { fieldManager: 'user', force: true };

let world: World;
let server: ApiServer;
beforeAll(async () => {
  world = await startWorld();
  if (world.platform.apiServer === undefined) throw new Error('faults need the embedded API server');
  server = world.platform.apiServer;
});
afterAll(() => world[Symbol.asyncDispose]());

/** What an API server executes of a write that corrects `installed`, though its client has given up waiting. */
async function executeLate({ metadata, ...content }: KubeObject): Promise<void> {
  const { labels, ownerReferences = [] } = metadata;
  const written = { name: settings.name, namespace: settings.namespace, labels, ownerReferences };
  await server.client.apply({ ...content, metadata: written } as KubeObject, {
    fieldManager: installFieldManager,
    force: true,
  });
}

test('a write that is executed after its answer was given up does not delete what was orphaned meanwhile', async () => {
  const manifests = [namespace(name), configMap('settings', name, { number: '1' })];
  const source = world.imageSource(`${name}:v1`, { 'manifests/all.yaml': manifests.join('---\n') });
  await server.client.apply(bundleDeployment(name, source), user);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const installed = await server.client.get(settings);
  const written = { verbs: ['patch'], resource: 'configmaps', namespace: name, isDryRun: false };
  using fault = server.faults.add({ ...written, drop: 'before', times: 1 });
  await server.client.patch(settings, { data: { number: '2' } }, user);
  await eventually(() => expect(fault.hits).toBe(1));
  await server.client.patch(deployment, { metadata: { annotations: { [orphanAnnotation]: 'true' } } }, user);
  await server.client.delete(deployment);
  await eventually(async () => {
    const message = conditionOf(await server.client.get(deployment), 'Removing')?.message;
    expect(message).toContain('the API server did not answer the write of ConfigMap "settings"');
  });
  await executeLate(installed);
  await eventually(async () => {
    const { metadata } = await server.client.get(settings);
    expect(metadata.ownerReferences ?? []).toEqual([]);
    expect(metadata.labels ?? {}).not.toHaveProperty([ownerNameLabel]);
  });
  expect(await server.client.find(deployment)).toBeDefined();
});
