import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const held = { type: 'Installed', status: 'False', reason: 'DependenciesNotMet' };
const prefix = 'operators.operatorframework.io.bundle.';

type Annotations = Readonly<Record<string, string>>;

function packaged(packageName: string, version: string): Annotations {
  return { [`${prefix}package.v1`]: packageName, 'core.rukpak.io/package-version': version };
}

function needing(...packages: readonly (readonly [string, string])[]): Annotations {
  const list = packages.map(([packageName, version]) => ({ type: 'olm.package', value: { packageName, version } }));
  return { 'core.rukpak.io/dependencies': JSON.stringify(list) };
}

function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
}

function crd(group: string): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `harbours.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'harbours', singular: 'harbour', kind: 'Harbour', listKind: 'HarbourList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
}

function deployed(
  world: World,
  name: string,
  content: { readonly annotations?: Annotations; readonly files?: Readonly<Record<string, string>> } = {},
): KubeObject {
  const files = { 'manifests/own.yaml': configMap(`of-${name}`), ...content.files };
  const deployment = bundleDeployment(name, world.imageSource(`${name}:v1`, files));
  const { template } = deployment['spec'] as { template: Record<string, unknown> };
  template['metadata'] = { annotations: content.annotations ?? {} };
  return deployment;
}

const ref = (name: string): { apiVersion: string; kind: string; name: string } => ({
  apiVersion,
  kind: 'BundleDeployment',
  name,
});

function messageOf(deployment: KubeObject): string {
  return conditionOf(deployment, 'Installed')?.message ?? '';
}

async function create(world: World, object: KubeObject): Promise<void> {
  await world.kube.create(object, { fieldManager: 'test' });
}

async function annotate(
  world: World,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  await world.kube.patch(ref(name), { metadata: { annotations } }, { fieldManager: 'test' });
}

describe('dependencies of plain bundles', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  test('a dependency may be installed first', async () => {
    await create(world, deployed(world, 'first', { annotations: packaged('first', '1.2.0') }));
    await world.deploymentWith('first', installed);
    await create(world, deployed(world, 'second', { annotations: needing(['first', '>=1.0.0 <2.0.0']) }));
    await world.deploymentWith('second', installed);
  });

  test('a dependent waits, reports for what, and is installed once its dependency is', async () => {
    await create(world, deployed(world, 'user', { annotations: needing(['base', '>=1.0.0']) }));
    const waiting = await world.deploymentWith('user', held);
    expect(messageOf(waiting)).toBe('Dependencies are not met: package base >=1.0.0 (nothing on the cluster has it)');
    expect(statusOf(waiting)['activeBundle'] ?? '').toBe('');
    const base = deployed(world, 'base', { annotations: packaged('base', '1.0.0') });
    base.metadata.annotations = { 'core.rukpak.io/paused': 'true' };
    await create(world, base);
    expect(statusOf(await world.deploymentWith('user', held))['activeBundle'] ?? '').toBe('');
    await annotate(world, 'base', { 'core.rukpak.io/paused': null });
    await world.deploymentWith('user', installed);
    await world.deploymentWith('base', installed);
  });

  test('a version out of range does not count, and a waiting dependency is named', async () => {
    await create(world, deployed(world, 'far', { annotations: needing(['middle', '1.x']) }));
    await create(
      world,
      deployed(world, 'middle', { annotations: { ...packaged('middle', '1.4.0'), ...needing(['first', '>=2.0.0']) } }),
    );
    await world.deploymentWith('middle', held);
    await eventually(async () => {
      expect(messageOf(await world.get('BundleDeployment', 'far'))).toBe(
        'Dependencies are not met: package middle 1.x (bundledeployment "middle" has it, and is not installed: DependenciesNotMet)',
      );
    });
    await annotate(world, 'middle', { 'core.rukpak.io/ignore-dependencies': 'true' });
    await world.deploymentWith('far', installed);
  });

  test('a cycle of bundles that only need each other is installed together', async () => {
    const north = { ...packaged('north', '1.0.0'), ...needing(['south', '>=1.0.0']) };
    const south = { ...packaged('south', '1.0.0'), ...needing(['north', '>=1.0.0']) };
    await create(world, deployed(world, 'north', { annotations: north }));
    await world.deploymentWith('north', held);
    await create(world, deployed(world, 'south', { annotations: south }));
    await Promise.all([world.deploymentWith('north', installed), world.deploymentWith('south', installed)]);
  });

  test('an API in dependencies.yaml is provided by any operator that has it', async () => {
    const dependencies = 'dependencies: [{type: olm.gvk, value: {group: tide.example, version: v1, kind: Harbour}}]';
    await create(world, deployed(world, 'pilot', { files: { 'metadata/dependencies.yaml': dependencies } }));
    expect(messageOf(await world.deploymentWith('pilot', held))).toContain('API Harbour.v1.tide.example');
    await create(world, deployed(world, 'harbour', { files: { 'manifests/crd.yaml': crd('tide.example') } }));
    await world.deploymentWith('pilot', installed);
  });

  test('a constraint is evaluated with the properties of all that is active', async () => {
    const rule = "properties.exists(p, p.type == 'example.flavour' && p.value == 'salt')";
    const value = { failureMessage: 'needs salt', all: { constraints: [{ cel: { rule } }] } };
    const annotations = { 'core.rukpak.io/dependencies': JSON.stringify([{ type: 'olm.constraint', value }]) };
    await create(world, deployed(world, 'cook', { annotations }));
    expect(messageOf(await world.deploymentWith('cook', held))).toContain('needs salt');
    const properties = 'properties: [{type: example.flavour, value: salt}]';
    await create(world, deployed(world, 'sea', { files: { 'metadata/properties.yaml': properties } }));
    await world.deploymentWith('cook', installed);
  });

  test('a dependencies file that is not YAML does not block the installation, and an Event reports what is unknown', async () => {
    const dependencies = 'dependencies:\n- type: olm.package\n value: {}\n';
    await create(world, deployed(world, 'slip', { files: { 'metadata/dependencies.yaml': dependencies } }));
    await world.deploymentWith('slip', installed);
    await eventually(async () => {
      const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
      const reported = items
        .filter(({ reason }) => reason === 'QuestionableMetadata')
        .map(({ message }) => JSON.stringify(message));
      expect(reported.join('\n')).toContain('the dependencies of the bundle are unknown and not awaited');
    });
  });

  test('content with invalid dependencies is not unpacked', async () => {
    const dependencies = 'dependencies: [{type: olm.package, value: {packageName: first, version: ""}}]';
    await create(world, deployed(world, 'bad', { files: { 'metadata/dependencies.yaml': dependencies } }));
    const failing = await world.deploymentWith('bad', {
      type: 'HasValidBundle',
      status: 'False',
      reason: 'UnpackFailed',
    });
    expect(conditionOf(failing, 'HasValidBundle')?.message).toContain(
      'metadata/dependencies.yaml: dependencies[0]: Package version is empty',
    );
    const refused = await errorOf(
      world.kube.create(deployed(world, 'worse', { annotations: needing(['first', 'v1']) }), { fieldManager: 'test' }),
    );
    expect(String(refused)).toContain(
      'annotation "core.rukpak.io/dependencies": dependencies[0]: Invalid semver format',
    );
  });
});

test('with the policy enforce, what others need is neither deleted nor replaced by less, unless it is allowed', async () => {
  await using world = await startWorld(['--dependency-policy', 'enforce']);
  await create(world, deployed(world, 'base', { annotations: packaged('base', '1.0.0') }));
  for (const name of ['one', 'two']) {
    await create(world, deployed(world, name, { annotations: needing(['base', '1.x']) }));
    await world.deploymentWith(name, installed);
  }
  const text = 'bundledeployment "base" is required by one, two';
  expect(String(await errorOf(world.kube.delete(ref('base'))))).toContain(text);
  const older = { spec: { template: { metadata: { annotations: packaged('base', '0.9.0') } } } };
  expect(String(await errorOf(world.kube.patch(ref('base'), older, { fieldManager: 'test' })))).toContain(text);
  const { spec } = deployed(world, 'two', { annotations: needing(['absent', '1.x']) });
  const unmet = { ...bundleDeployment('three', {}), spec } as KubeObject;
  expect(String(await errorOf(world.kube.create(unmet, { fieldManager: 'test' })))).toContain(
    'dependencies are not met: package absent 1.x',
  );
  await annotate(world, 'base', { 'core.rukpak.io/ignore-dependencies': 'true' });
  await world.kube.delete(ref('base'));
});

test('with the policy enforce, a bundle whose dependencies cannot be read waits, until they are declared', async () => {
  await using world = await startWorld(['--dependency-policy', 'enforce']);
  const dependencies = 'dependencies:\n- type: olm.package\n value: {}\n';
  await create(world, deployed(world, 'slip', { files: { 'metadata/dependencies.yaml': dependencies } }));
  const message = messageOf(await world.deploymentWith('slip', held));
  expect(message).toContain('what the bundle needs is not known, because metadata/dependencies.yaml');
  expect(message).toContain(
    'list what the bundle needs in the template\'s annotation core.rukpak.io/dependencies ("[]" for nothing)',
  );
  const template = { metadata: { annotations: { 'core.rukpak.io/dependencies': '[]' } } };
  await world.kube.patch(ref('slip'), { spec: { template } }, { fieldManager: 'test' });
  await world.deploymentWith('slip', installed);
}, 120_000);

test('with the policy off, nothing waits', async () => {
  await using world = await startWorld(['--dependency-policy', 'off']);
  await create(world, deployed(world, 'user', { annotations: needing(['absent', '>=1.0.0']) }));
  await world.deploymentWith('user', installed);
});
