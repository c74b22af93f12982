import { afterAll, beforeAll, expect, test } from 'vitest';
import { application } from '../e2e/contents.ts';
import { bundleDeployment, startWorld, type World } from '../e2e/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test('a name that the server makes up for a dry run, and that is taken, holds an installation up but does not end it', async () => {
  const fault = world.platform.apiServer?.faults.add({
    verbs: ['create'],
    resource: 'configmaps',
    error: 409,
    times: 1,
  });
  const source = world.imageSource('taken:v1', application('taken', 1));
  await world.kube.create(bundleDeployment('taken', source), { fieldManager: 'test' });
  await world.deploymentWith('taken', { type: 'Installed', status: 'True' });
  expect(fault?.hits).toBe(1);
});
