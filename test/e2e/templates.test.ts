import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { configMap, crd } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, startWorld, statusOf, templateHashOf, type World } from './world.ts';

const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };

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

test('a Bundle with the labels of a deployment and the hash of its template that another user created is neither installed nor removed', async () => {
  const name = 'release';
  const source = world.imageSource(`${name}:v1`, { 'manifests/a.yaml': configMap(name, 'default', { from: name }) });
  const deployment = bundleDeployment(name, source);
  const labels = {
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': name,
    'core.rukpak.io/bundle-template-hash': templateHashOf(deployment),
  };
  const given = bundle('made-by-another-release', source);
  await create({ ...given, metadata: { ...given.metadata, labels } });
  await create(deployment);
  const active = statusOf(await world.deploymentWith(name, installed))['activeBundle'];
  expect(active).toMatch(/^release-/);
  expect((await world.ownedBundles(name)).map(({ metadata }) => metadata.name)).toEqual([
    'made-by-another-release',
    active,
  ]);
});

describe('a deployment with a kind that is not served', () => {
  const group = 'rows.example.com';
  const object = `apiVersion: ${group}/v1alpha1\nkind: Lantern\nmetadata: {name: one, namespace: default}\n`;
  const lantern = { apiVersion: `${group}/v1alpha1`, kind: 'Lantern', namespace: 'default', name: 'one' };

  const notInstalled = { type: 'Installed', status: 'False', reason: 'InstallFailed' };
  let failing: KubeObject;
  beforeAll(async () => {
    await create(bundleDeployment('dependent', world.imageSource('dependent:v1', { 'manifests/a.yaml': object })));
    failing = await world.deploymentWith('dependent', notInstalled);
  });

  test('D10 reports that a required resource is not found', () => {
    const message = conditionOf(failing, 'Installed')?.message ?? '';
    expect(message).toMatch(/^required resource not found: /);
    expect(message).toContain(`no matches for kind "Lantern" in version "${group}/v1alpha1"`);
  });

  test('D11 installs once another deployment has brought the kind, without being touched', async () => {
    await create(
      bundleDeployment('provides', world.imageSource('provides:v1', { 'manifests/a.yaml': crd('Lantern', group) })),
    );
    const after = await world.deploymentWith('dependent', installed);
    expect(after.metadata.generation).toBe(failing.metadata.generation);
    expect((await world.kube.get(lantern)).metadata.labels?.['core.rukpak.io/owner-name']).toBe('dependent');
  });
});

describe('a template with another spec', () => {
  test('U18 has its own Bundle with its hash; the previous Bundle is deleted', async () => {
    const source = (version: string): Record<string, unknown> =>
      world.imageSource(`u18:${version}`, { 'manifests/a.yaml': configMap('u18', 'default', { version }) });
    await create(bundleDeployment('u18', source('v1')));
    const first = statusOf(await world.deploymentWith('u18', installed))['activeBundle'];
    const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'u18' };
    await world.kube.patch(
      ref,
      { spec: { template: { spec: { source: source('v2') as never } } } },
      { fieldManager: 'test' },
    );
    await eventually(async () => {
      const bundles = await world.ownedBundles('u18');
      const hashes = bundles.map(({ metadata }) => metadata.labels?.['core.rukpak.io/bundle-template-hash']);
      expect(hashes).toEqual([templateHashOf(await world.get('BundleDeployment', 'u18'))]);
      expect(bundles.map(({ metadata }) => metadata.name)).not.toContain(first);
    });
  });
});
