import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../../apiserver/index.ts';
import { application } from '../e2e/contents.ts';
import { bundleDeployment, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

let world: World;
let server: ApiServer;
beforeAll(async () => {
  world = await startWorld();
  const { apiServer } = world.platform;
  if (apiServer === undefined) throw new Error('faults need the embedded API server');
  server = apiServer;
});
afterEach(() => server.faults.clear());
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const settings = (namespace: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' });

async function install(name: string, version: 1 | 2): Promise<void> {
  const source = world.imageSource(`${name}:v${version}`, application(name, version));
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await eventually(async () => {
    expect(await server.client.find(settings(name))).toMatchObject({ data: { version: String(version) } });
  });
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
}

/** Until it is disposed, no watch of ConfigMaps opens; then the next one has to list again. */
function blindfold(): Disposable {
  const fault = server.faults.add({ verbs: ['watch'], resource: 'configmaps', error: 500 });
  server.faults.endWatches({ resource: 'configmaps' });
  return {
    [Symbol.dispose]: () => {
      server.faults.add({ verbs: ['watch'], resource: 'configmaps', error: 410, times: 4 });
      fault.remove();
    },
  };
}

test.each([
  { name: 'installed', versions: [] as const },
  { name: 'changed', versions: [1] as const },
])('an object that is $name and deleted without a watch event is restored', async ({ name, versions }) => {
  await install('first', 1);
  for (const version of versions) await install(name, version);
  {
    using _blindfold = blindfold();
    if (versions.length > 0) await server.client.delete(settings(name));
    await install(name, 2);
    await server.client.delete(settings(name));
  }
  // Watches that fail are opened once more after half a minute at most.
  await eventually(async () => expect(await server.client.find(settings(name))).toBeDefined());
});

test('what an interrupted pivot wrote without a watch event is removed by the next one', async () => {
  const name = 'broken-off';
  const part = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'half-written' };
  const half = {
    ...application(name, 2),
    'manifests/20-part.yaml': `{apiVersion: v1, kind: ConfigMap, metadata: {name: half-written, namespace: ${name}}}`,
    'manifests/30-service.yaml': `{apiVersion: v1, kind: Service, metadata: {name: never-written, namespace: ${name}}, spec: {ports: [{port: 80}]}}`,
  };
  await install(name, 1);
  using _blindfold = blindfold();
  const refusal = server.faults.add({ verbs: ['patch'], resource: 'services', isDryRun: false, error: 500 });
  const source = world.imageSource(`${name}:half`, half);
  // It may be there for a moment only: who asks now and then may miss it.
  const seen = server.client.until(part, (found) => found !== undefined, { timeoutMs: 60_000 });
  await server.client.apply(bundleDeployment(name, source), { fieldManager: 'user', force: true });
  await seen;
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  await install(name, 2);
  refusal.remove();
  await eventually(async () => expect(await server.client.find(part)).toBeUndefined());
});
