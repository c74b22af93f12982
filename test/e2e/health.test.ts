import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application, type Files, withSubdirectory, workload } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const healthy = { type: 'Healthy', status: 'True', reason: 'Healthy' };
const unhealthy = { type: 'Healthy', status: 'False', reason: 'Unhealthy' };
const healthDeadlineSeconds = 4;

let world: World;
beforeAll(async () => {
  world = await startWorld(['--health-deadline', String(healthDeadlineSeconds)]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function create(object: KubeObject): Promise<void> {
  await world.kube.create(object, { fieldManager: 'test' });
}

async function setImage(name: string, source: ReturnType<World['imageSource']>): Promise<void> {
  const patch = { spec: { template: { spec: { source } } } };
  await world.kube.patch({ apiVersion, kind: 'BundleDeployment', name }, patch, { fieldManager: 'test' });
}

/** Makes the Deployment `web` fail from now on, or end to. */
async function simulate(namespace: string, value: 'fail' | null): Promise<void> {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  const annotations = { 'apiserver.longshore.dev/simulate': value };
  await world.kube.patch(ref, { metadata: { annotations } }, { fieldManager: 'someone' });
}

const activeBundle = (deployment: KubeObject): string => statusOf(deployment)['activeBundle'] as string;

async function bundleNames(name: string): Promise<readonly string[]> {
  return (await world.ownedBundles(name)).map(({ metadata }) => metadata.name ?? '');
}

/** `count` claims that are not bound. */
function claims(name: string, count: number): Files {
  const claim = (index: number): string =>
    `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: claim-${String(index).padStart(2, '0')}, namespace: ${name}}\nspec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}\n`;
  const files = Array.from({ length: count }, (_, index): [string, string] => [
    `manifests/${index}.yaml`,
    claim(index),
  ]);
  return { ...application(name, 1), ...Object.fromEntries(files) };
}

describe('health', () => {
  test('N10, Q10 follows the installed objects both ways, without a change of the deployment', async () => {
    await create(bundleDeployment('ill', world.imageSource('ill:v1', workload('ill'))));
    await world.deploymentWith('ill', healthy);
    await simulate('ill', 'fail');
    const found = await world.deploymentWith('ill', unhealthy);
    expect(conditionOf(found, 'Healthy')?.message).toMatch(/^\(apps\/v1, Kind=Deployment\)\(ill\/web\): object \w+: /);
    expect(conditionOf(found, 'Installed')?.status).toBe('True');
    await simulate('ill', null);
    await world.deploymentWith('ill', healthy);
  });

  test('Q10, Q11 follows the installed version while another one cannot be unpacked', async () => {
    const before = await world.get('BundleDeployment', 'ill');
    await setImage('ill', world.imageSource('ill:v2', withSubdirectory));
    await world.deploymentWith('ill', { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
    await simulate('ill', 'fail');
    const found = await world.deploymentWith('ill', unhealthy);
    expect(conditionOf(found, 'Installed')).toMatchObject({
      status: 'True',
      observedGeneration: before.metadata.generation,
    });
    expect(conditionOf(found, 'Healthy')?.observedGeneration).toBe(before.metadata.generation);
    await simulate('ill', null);
    await world.deploymentWith('ill', healthy);
  });

  test('Q10 names the first ten unhealthy objects, and counts the others', async () => {
    await create(bundleDeployment('many', world.imageSource('many:v1', claims('many', 12))));
    const found = await world.deploymentWith('many', unhealthy);
    const lines = (conditionOf(found, 'Healthy')?.message ?? '').split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe(
      '(/v1, Kind=PersistentVolumeClaim)(many/claim-00): object InProgress: PVC is not Bound. phase: Pending',
    );
    expect(lines[10]).toBe('and 2 more');
  });
});

describe('the previous Bundle', () => {
  test('Q10 stays while the new version is not healthy, and is deleted when it is', async () => {
    await create(bundleDeployment('slow', world.imageSource('slow:v1', workload('slow'))));
    const first = activeBundle(await world.deploymentWith('slow', healthy));
    await simulate('slow', 'fail');
    await world.deploymentWith('slow', unhealthy);
    await setImage('slow', world.imageSource('slow:v2', { ...workload('slow'), ...application('slow', 2) }));
    await eventually(async () => {
      const deployment = await world.get('BundleDeployment', 'slow');
      expect(activeBundle(deployment)).not.toBe(first);
      expect(conditionOf(deployment, 'Healthy')?.status).toBe('False');
      expect(await bundleNames('slow')).toContain(first);
    });
    await simulate('slow', null);
    await world.deploymentWith('slow', healthy);
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', first)))).toBe(true);
    });
  });

  test('Q10 is deleted at the deadline even if the new version never becomes healthy', async () => {
    const first = activeBundle(await world.get('BundleDeployment', 'slow'));
    await simulate('slow', 'fail');
    const ill = await world.deploymentWith('slow', unhealthy);
    const since = conditionOf(ill, 'Healthy')?.lastTransitionTime ?? '';
    await setImage('slow', world.imageSource('slow:v3', { ...workload('slow'), ...application('slow', 1) }));
    const found = await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', first)))).toBe(true);
      return await world.get('BundleDeployment', 'slow');
    });
    expect(activeBundle(found)).not.toBe(first);
    expect(conditionOf(found, 'Healthy')?.status).toBe('False');
    expect(Date.parse(conditionOf(found, 'Healthy')?.lastTransitionTime ?? '')).toBeGreaterThanOrEqual(
      Date.parse(since),
    );
  });
});
