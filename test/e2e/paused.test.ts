import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const paused = { type: 'Paused', status: 'True', reason: 'Paused' };

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

async function annotate(kind: string, name: string, value: string | null): Promise<void> {
  const annotations = { 'core.rukpak.io/paused': value };
  await world.kube.patch({ apiVersion, kind, name }, { metadata: { annotations } }, { fieldManager: 'test' });
}

function pausedFromTheStart(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { 'core.rukpak.io/paused': 'true' } } };
}

/** Resolves when a deployment that is made now is installed: the platform has finished its earlier work by then. */
async function whenOthersAreServed(name: string): Promise<void> {
  await create(bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1))));
  await world.deploymentWith(name, installed);
}

describe('a paused deployment', () => {
  const name = 'held';
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };

  test('that was paused from the start gets no Bundle, and has every condition', async () => {
    await create(pausedFromTheStart(bundleDeployment(name, world.imageSource('held:v1', application(name, 1)))));
    const deployment = await world.deploymentWith(name, paused);
    await whenOthersAreServed('marker-1');
    expect(await world.ownedBundles(name)).toEqual([]);
    expect(conditionOf(deployment, 'Paused')?.message).toContain('core.rukpak.io/paused');
    for (const type of ['HasValidBundle', 'Installed', 'Healthy']) {
      expect(conditionOf(deployment, type)).toMatchObject({ status: 'Unknown', observedGeneration: 1 });
    }
  });

  test('continues at once when the annotation is removed', async () => {
    await annotate('BundleDeployment', name, null);
    await world.deploymentWith(name, installed);
    await world.deploymentWith(name, { type: 'Paused', status: 'False', reason: 'NotPaused' });
  });

  test('neither pivots nor corrects drift until it is resumed', async () => {
    await annotate('BundleDeployment', name, 'true');
    await world.deploymentWith(name, paused);
    const bundles = await world.ownedBundles(name);
    await world.kube.patch(settings, { data: { version: 'by hand' } }, { fieldManager: 'someone' });
    const source = world.imageSource('held:v2', application(name, 2));
    await world.kube.patch(
      { apiVersion, kind: 'BundleDeployment', name },
      { spec: { template: { spec: { source } } } },
      { fieldManager: 'test' },
    );
    await world.deploymentWith(name, paused);
    await whenOthersAreServed('marker-2');
    expect((await world.kube.get(settings))['data']).toEqual({ version: 'by hand' });
    expect(await world.ownedBundles(name)).toEqual(bundles);
    await annotate('BundleDeployment', name, 'false');
    await eventually(async () => {
      expect((await world.kube.get(settings))['data']).toEqual({ version: '2' });
    });
  });

  test('is removed all the same, with everything that it installed', async () => {
    await annotate('BundleDeployment', name, 'true');
    await world.deploymentWith(name, paused);
    await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('BundleDeployment', name)))).toBe(true);
      expect(isNotFound(await errorOf(world.kube.get(settings)))).toBe(true);
      expect(await world.ownedBundles(name)).toEqual([]);
    });
  });
});

test('a paused Bundle fetches nothing until it is resumed', async () => {
  const source = world.imageSource('held-bundle:v1', application('held-bundle', 1));
  await create(pausedFromTheStart(bundle('held-bundle', source)));
  const held = await world.bundleWithPhase('held-bundle', 'Pending');
  expect(conditionOf(held, 'Unpacked')?.message).toContain('core.rukpak.io/paused');
  await whenOthersAreServed('marker-3');
  expect(statusOf(await world.get('Bundle', 'held-bundle'))['phase']).toBe('Pending');
  await annotate('Bundle', 'held-bundle', null);
  await world.bundleWithPhase('held-bundle', 'Unpacked');
});
