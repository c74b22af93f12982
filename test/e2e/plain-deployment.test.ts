import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { crdAndObject, missingCrds, valid, withSubdirectory } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, templateHashOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
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

async function setTemplate(name: string, template: Parameters<World['kube']['patch']>[1]): Promise<void> {
  await world.kube.patch(
    { apiVersion, kind: 'BundleDeployment', name },
    { spec: { template } },
    { fieldManager: 'test' },
  );
}

const activeBundle = (deployment: KubeObject): string => statusOf(deployment)['activeBundle'] as string;

describe('one deployment and its templates', { shuffle: false }, () => {
  const name = 'olm-crds';
  let active = '';

  test('D7 a template with labels and a valid image is installed', async () => {
    await create(
      bundleDeployment(name, world.imageSource('valid:v1', valid), { labels: { 'app.kubernetes.io/name': name } }),
    );
    await world.deploymentWith(name, installed);
    const deployment = await world.deploymentWith(name, { type: 'Healthy', status: 'True', reason: 'Healthy' });
    active = activeBundle(deployment);
    expect(conditionOf(deployment, 'Installed')?.message).toBe(`Instantiated bundle ${active} successfully`);
    expect(conditionOf(deployment, 'HasValidBundle')).toMatchObject({
      status: 'True',
      reason: 'UnpackSuccessful',
      message: `Successfully unpacked the ${active} Bundle`,
    });
    expect(conditionOf(deployment, 'Healthy')?.message).toBe('BundleDeployment is healthy');
    const { items } = await world.kube.list({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      labelSelector: `core.rukpak.io/owner-kind=BundleDeployment,core.rukpak.io/owner-name=${name}`,
    });
    expect(items).toHaveLength(8);
  });

  test('D1 the active Bundle is controlled by the BundleDeployment', async () => {
    const deployment = await world.get('BundleDeployment', name);
    const bundle = await world.get('Bundle', active);
    expect(bundle.metadata.ownerReferences).toEqual([
      {
        apiVersion,
        kind: 'BundleDeployment',
        name,
        uid: deployment.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  test('D2 the active Bundle has the owner labels and the labels of the template', async () => {
    const bundle = await world.get('Bundle', active);
    expect(bundle.metadata.labels).toMatchObject({
      'core.rukpak.io/owner-kind': 'BundleDeployment',
      'core.rukpak.io/owner-name': name,
      'app.kubernetes.io/name': name,
    });
    expect(active.startsWith(`${name}-`)).toBe(true);
    expect(active.length).toBeLessThanOrEqual(52);
  });

  test('D3, D4 a template whose content cannot be fetched retains the old version and its Bundle', async () => {
    const source = {
      type: 'git',
      git: { repository: 'github.com/operator-framework/combo', ref: { tag: 'non-existent-tag' } },
      image: null,
    };
    await setTemplate(name, { spec: { source } });
    const deployment = await world.deploymentWith(name, {
      type: 'HasValidBundle',
      status: 'False',
      reason: 'UnpackFailed',
    });
    expect(conditionOf(deployment, 'HasValidBundle')?.message).toContain('Failed to unpack');
    expect(conditionOf(deployment, 'Installed')?.status).toBe('True');
    expect(activeBundle(deployment)).toBe(active);
    const bundles = await world.ownedBundles(name);
    expect(bundles.map((bundle) => bundle.metadata.name)).toContain(active);
    expect(bundles).toHaveLength(2);
    const newer = bundles.find((bundle) => bundle.metadata.name !== active);
    expect(newer?.metadata.labels?.['core.rukpak.io/bundle-template-hash']).toBe(templateHashOf(deployment));
  });

  test('D5, D6 another label in the template reaches the active Bundle, and no Bundle of the previous template is left', async () => {
    const hashLabel = 'core.rukpak.io/bundle-template-hash';
    const before = await world.get('Bundle', active);
    const { image } = world.imageSource('valid:v1', valid);
    await setTemplate(name, {
      metadata: { labels: { 'e2e-test': 'stub' } },
      spec: { source: { type: 'image', image, git: null } },
    });
    await eventually(async () => {
      const left = await world.ownedBundles(name);
      const deployment = await world.get('BundleDeployment', name);
      expect(left.map((one) => one.metadata.name)).toEqual([activeBundle(deployment)]);
      expect(left[0]?.metadata.labels).toMatchObject({ 'e2e-test': 'stub', 'app.kubernetes.io/name': name });
      expect(left[0]?.metadata.labels?.[hashLabel]).toBe(templateHashOf(deployment));
      expect(left[0]?.metadata.labels?.[hashLabel]).not.toBe(before.metadata.labels?.[hashLabel]);
      expect(left[0]?.metadata.uid).toBe(before.metadata.uid);
    });
    await world.deploymentWith(name, installed);
  });

  test('G3 a deleted Bundle is created again with another uid and stays active', async () => {
    const before = await world.get('Bundle', activeBundle(await world.get('BundleDeployment', name)));
    await world.kube.delete({ apiVersion, kind: 'Bundle', name: before.metadata.name ?? '' });
    await eventually(async () => {
      const again = await world.get('Bundle', activeBundle(await world.get('BundleDeployment', name)));
      expect(again.metadata.uid).not.toBe(before.metadata.uid);
      expect(statusOf(again)['phase']).toBe('Unpacked');
    });
  });

  test('G4 nothing that it installed is left when it is deleted', async () => {
    await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('BundleDeployment', name)))).toBe(true);
      const target = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        labelSelector: `core.rukpak.io/owner-name=${name}`,
      };
      expect((await world.kube.list(target)).items).toEqual([]);
      expect(await world.ownedBundles(name)).toEqual([]);
    });
  });
});

// The last one installs a kind that the first one lacks.
describe('content that cannot be installed', { shuffle: false }, () => {
  test('D8 every missing kind is named', async () => {
    await create(bundleDeployment('d8', world.imageSource('d8:v1', missingCrds)));
    const deployment = await world.deploymentWith('d8', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    expect(activeBundle(deployment)).toBeUndefined();
    const message = conditionOf(deployment, 'Installed')?.message ?? '';
    for (const [kind, version] of [
      ['CatalogSource', 'v1alpha1'],
      ['ClusterServiceVersion', 'v1alpha1'],
      ['OLMConfig', 'v1'],
      ['OperatorGroup', 'v1'],
    ]) {
      expect(message).toContain(`no matches for kind "${kind}" in version "operators.coreos.com/${version}"`);
    }
    expect(message).toContain('required resource not found');
    expect(conditionOf(deployment, 'Healthy')).toMatchObject({
      status: 'False',
      reason: 'InstallationStatusFalse',
      message: 'Installed condition is false',
    });
  });

  test('D9 a folder in manifests is reported on the deployment', async () => {
    await create(bundleDeployment('d9', world.imageSource('d9:v1', withSubdirectory)));
    const deployment = await world.deploymentWith('d9', {
      type: 'HasValidBundle',
      status: 'False',
      reason: 'UnpackFailed',
    });
    expect(activeBundle(deployment)).toBeUndefined();
    const message = conditionOf(deployment, 'HasValidBundle')?.message ?? '';
    expect(message).toContain('Failed to unpack the d9-');
    expect(message).toContain(
      'get objects from bundle manifests: subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/emptydir"',
    );
  });

  test('D12, Q12 a CRD and an object of it install from one bundle', async () => {
    await create(bundleDeployment('d12', world.imageSource('d12:v1', crdAndObject)));
    await world.deploymentWith('d12', installed);
    const ref = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      namespace: 'catalogs',
      name: 'one',
    };
    expect((await world.kube.get(ref))['spec']).toEqual({ image: 'example.com/catalog' });
  });
});
