import { afterAll, beforeAll, expect, test } from 'vitest';
import { refOf } from '../../src/kube/index.ts';
import { application, workload } from '../e2e/contents.ts';
import { bundleDeployment, startWorld, statusOf, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test('a conflict of a generated name in a dry run delays an installation but does not fail it', async () => {
  const before = world.imageSource('taken:v1', workload('before'));
  await world.kube.create(bundleDeployment('taken', before), { fieldManager: 'test' });
  const installed = await world.deploymentWith('taken', { type: 'Installed', status: 'True' });
  const fault = world.platform.apiServer?.faults.add({
    verbs: ['create'],
    resource: 'configmaps',
    error: 409,
    times: 1,
  });
  // Its namespace is not there yet, so that what belongs into it is tried elsewhere, by a name that the server makes up.
  const source = world.imageSource('taken:v2', application('taken', 1));
  await world.kube.patch(refOf(installed), { spec: { template: { spec: { source } } } }, { fieldManager: 'test' });
  await eventually(async () => {
    const deployment = await world.deploymentWith('taken', { type: 'Installed', status: 'True' });
    expect(statusOf(deployment)['activeBundle']).not.toBe(statusOf(installed)['activeBundle']);
  });
  expect(fault?.hits).toBe(1);
});
