import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { workload } from './contents.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function create(object: KubeObject): Promise<void> {
  await world.kube.create(object, { fieldManager: 'test' });
}

describe('health', () => {
  test('N10, Q10 follows what was installed both ways, without anybody touching the deployment', async () => {
    await create(bundleDeployment('ill', world.imageSource('ill:v1', workload('ill'))));
    await world.deploymentWith('ill', { type: 'Healthy', status: 'True', reason: 'Healthy' });
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ill', name: 'web' };
    const simulate = (value: string | null): Promise<unknown> =>
      world.kube.patch(
        ref,
        { metadata: { annotations: { 'apiserver.longshore.dev/simulate': value } } },
        { fieldManager: 'somebody' },
      );
    await simulate('fail');
    const unhealthy = await world.deploymentWith('ill', { type: 'Healthy', status: 'False', reason: 'Unhealthy' });
    expect(conditionOf(unhealthy, 'Healthy')?.message).toMatch(
      /^\(apps\/v1, Kind=Deployment\)\(ill\/web\): object \w+: /,
    );
    expect(conditionOf(unhealthy, 'Installed')?.status).toBe('True');
    await simulate(null);
    await world.deploymentWith('ill', { type: 'Healthy', status: 'True', reason: 'Healthy' });
  });
});
