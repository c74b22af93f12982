import { expect, test } from 'vitest';
import { brokenApplication } from '../e2e/contents.ts';
import { bundleDeployment, startWorld } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

test('a first installation that is refused leaves nothing whose answer was lost', async () => {
  await using world = await startWorld();
  const server = world.platform.apiServer;
  if (server === undefined) throw new Error('faults need the embedded API server');
  const name = 'lost-answer';
  const fault = server.faults.add({ verbs: ['patch'], resource: 'namespaces', name, drop: 'after', times: 1 });
  const source = world.imageSource(`${name}:v1`, brokenApplication(name));
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(fault.hits).toBe(1);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await server.client.find(namespace)).toBeUndefined());
});

test('a first installation that trouble broke off is taken back when its next try is refused', async () => {
  await using world = await startWorld();
  const server = world.platform.apiServer;
  if (server === undefined) throw new Error('faults need the embedded API server');
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
