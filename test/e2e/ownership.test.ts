import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application, configMap, type Files, namespace } from './contents.ts';
import { runProgram } from './program.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const asTest = { fieldManager: 'test' };
const hasKubectl = spawnSync('kubectl', ['--help']).error === undefined;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const deploymentRef = (name: string): ObjectRef => ({ apiVersion, kind: 'BundleDeployment', name });
const configMapRef = (place: string, name: string): ObjectRef => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: place,
  name,
});

async function create(
  name: string,
  files: Files,
  more: { config?: unknown; annotations?: unknown } = {},
): Promise<void> {
  const { metadata, ...object } = bundleDeployment(name, world.imageSource(`${name}:v1`, files));
  const spec = { ...(object['spec'] as object), ...(more.config === undefined ? {} : { config: more.config }) };
  const annotations = more.annotations === undefined ? {} : { annotations: more.annotations };
  const desired = { ...object, metadata: { ...metadata, ...annotations }, spec } as unknown as KubeObject;
  await world.kube.create(desired, asTest);
}

async function pivot(name: string, files: Files): Promise<void> {
  const { image } = world.imageSource(`${name}:v2`, files);
  const source = { type: 'image', image };
  await world.kube.patch(deploymentRef(name), { spec: { template: { spec: { source } } } }, asTest);
}

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  await world.kube.patch(deploymentRef(name), { metadata: { annotations } }, asTest);
}

async function whenDeleted(...refs: readonly ObjectRef[]): Promise<void> {
  await eventually(async () => {
    for (const ref of refs) expect(isNotFound(await errorOf(world.kube.get(ref))), JSON.stringify(ref)).toBe(true);
  });
}

const inventoryKeys = ['tooling', 'contains-group-kinds', 'additional-namespaces'];

async function inventoryOf(name: string): Promise<Record<string, string | undefined>> {
  const { metadata } = await world.get('BundleDeployment', name);
  const entries = inventoryKeys.map((key) => [key, metadata.annotations?.[`applyset.kubernetes.io/${key}`]] as const);
  return { id: metadata.labels?.['applyset.kubernetes.io/id'], ...Object.fromEntries(entries) };
}

function kubectl(...args: readonly string[]): ReturnType<typeof runProgram> {
  const env = { KUBECONFIG: world.platform.kubeconfigPath, KUBECTL_APPLYSET: 'true', KUBECTL_KUBERC: 'false' };
  return runProgram('kubectl', args, { env });
}

describe('the inventory', { shuffle: false }, () => {
  test('Q7 is an ApplySet: kinds and namespaces on the deployment, its id on each object', async () => {
    await create('inventory', application('inventory', 1));
    await world.deploymentWith('inventory', installed);
    const before = await inventoryOf('inventory');
    expect(before).toEqual({
      id: expect.stringMatching(/^applyset-[-\w]{43}-v1$/) as string,
      tooling: expect.stringMatching(/^longshore\/v\d/) as string,
      'contains-group-kinds': 'ConfigMap,Namespace',
      'additional-namespaces': 'inventory',
    });
    for (const name of ['settings', 'kept', 'legacy']) {
      const { metadata } = await world.get('ConfigMap', name, 'inventory');
      expect(metadata.labels?.['applyset.kubernetes.io/part-of']).toBe(before['id']);
    }
    await pivot('inventory', { 'manifests/00-namespace.yaml': namespace('inventory') });
    await whenDeleted(configMapRef('inventory', 'settings'));
    await eventually(async () => {
      expect(await inventoryOf('inventory')).toEqual({
        ...before,
        'contains-group-kinds': 'Namespace',
        'additional-namespaces': undefined,
      });
    });
  });

  test.skipIf(!hasKubectl)('Q7 is recognized by kubectl, which does not modify it', async () => {
    const parent = 'bundledeployments.core.rukpak.io/inventory';
    const applied = await kubectl('apply', '--prune', `--applyset=${parent}`, '-f', 'examples/combo/v0.0.2/manifests');
    expect(applied.code).toBe(1);
    expect(applied.stderr).toContain('is managed by tooling "longshore" instead of "kubectl"');
    const { id } = await inventoryOf('inventory');
    const listed = await kubectl('get', 'namespaces', '-l', `applyset.kubernetes.io/part-of=${id}`, '-o', 'name');
    expect(listed.stdout).toBe('namespace/inventory\n');
  });

  test('Q7, Q9 comes back when a user replaces the deployment without it', async () => {
    const before = await inventoryOf('inventory');
    const object = await world.get('BundleDeployment', 'inventory');
    const metadata = { name: 'inventory', resourceVersion: object.metadata.resourceVersion ?? '' };
    await world.kube.update({ ...object, metadata }, asTest);
    await eventually(async () => {
      expect(await inventoryOf('inventory')).toEqual(before);
      const { finalizers } = (await world.get('BundleDeployment', 'inventory')).metadata;
      expect(finalizers).toContain('core.rukpak.io/remove-installed-objects');
    });
  });
});

describe('an object that exists already', { shuffle: false }, () => {
  const place = 'taken';
  const files: Files = {
    'manifests/00-namespace.yaml': namespace(place),
    'manifests/01-mine.yaml': configMap('mine', 'default', { from: 'the bundle' }),
    'manifests/02-more.yaml': configMap('more', place, { a: 'b' }),
  };
  const mine = configMapRef('default', 'mine');

  test('N6 is not adopted: nothing is left partly installed, and what to do is reported', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'default' } };
    await world.kube.create({ ...object, data: { from: 'me' } }, asTest);
    const before = await world.kube.get(mine);
    await create(place, files);
    const refused = await world.deploymentWith(place, { type: 'Installed', status: 'False', reason: 'InstallFailed' });
    expect(conditionOf(refused, 'Installed')?.message).toBe(
      'rendered manifests contain a resource that already exists. Unable to continue with install: ConfigMap "mine" in namespace "default" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "taken"; annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "rukpak-system"; to take it over, annotate BundleDeployment "taken" with core.rukpak.io/adopt: "true"',
    );
    expect(await world.kube.get(mine)).toEqual(before);
    await whenDeleted({ apiVersion: 'v1', kind: 'Namespace', name: place });
  });

  test('N6 is adopted once the annotation requests it', async () => {
    await annotate(place, { 'core.rukpak.io/adopt': 'true' });
    await world.deploymentWith(place, installed);
    const { metadata, ...object } = await world.kube.get(mine);
    expect(object['data']).toEqual({ from: 'the bundle' });
    expect(metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': place });
  });

  test('N6 is never adopted from an existing deployment, but from one that orphaned it', async () => {
    await create(
      'thief',
      { 'manifests/00-mine.yaml': files['manifests/01-mine.yaml'] ?? '' },
      {
        annotations: { 'core.rukpak.io/adopt': 'true' },
      },
    );
    const refused = await world.deploymentWith('thief', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    expect(conditionOf(refused, 'Installed')?.message).toContain(
      'it belongs to BundleDeployment "taken"; to move it, annotate that object with core.rukpak.io/orphan: "true" before you delete it',
    );
    await annotate(place, { 'core.rukpak.io/orphan': 'true' });
    await world.kube.delete(deploymentRef(place));
    await world.deploymentWith('thief', installed);
    expect((await world.kube.get(mine)).metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': 'thief' });
  });
});

test('N6 objects that Longshore has made for itself, and roles of the cluster, are not adopted, asked for or not, and no message advises it', async () => {
  const roles = ['bundle-reader', 'bundle-uploader', 'longshore-metrics-reader', 'longshore-bundle-viewer', 'view'];
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  const metadata = { name: 'core', namespace: 'rukpak-system' };
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443 }] } };
  const objects = [...roles.map((name) => ({ ...role, metadata: { name } })), service];
  const files = { 'manifests/a.yaml': objects.map((object) => JSON.stringify(object)).join('\n---\n') };
  const before = await Promise.all(roles.map((name) => world.kube.get({ ...role, name })));
  for (const annotations of [{}, { 'core.rukpak.io/adopt': 'true' }]) {
    const name = `usurper-${Object.keys(annotations).length}`;
    await create(name, files, { annotations });
    const refused = await world.deploymentWith(name, { type: 'Installed', status: 'False', reason: 'InstallFailed' });
    const message = conditionOf(refused, 'Installed')?.message ?? '';
    expect(message.match(/it belongs to (Longshore|Kubernetes) itself and cannot be adopted/g)).toHaveLength(
      objects.length,
    );
    expect(message).not.toContain('core.rukpak.io/adopt');
    await world.kube.delete(deploymentRef(name));
    await whenDeleted(deploymentRef(name));
  }
  expect(await Promise.all(roles.map((name) => world.kube.get({ ...role, name })))).toEqual(before);
});

describe('the first version', () => {
  test('N7 with a refused object leaves nothing partly installed and names all obstacles', async () => {
    const bad = (name: string): string => configMap(name, 'default', {});
    await create('refused', {
      'manifests/00-good.yaml': configMap('good', 'default', { a: 'b' }),
      'manifests/01-bad.yaml': bad('Not_A_Name'),
      'manifests/02-later.yaml':
        'apiVersion: v1\nkind: Service\nmetadata: {name: later, namespace: default}\nspec: {ports: [{port: 0}]}\n',
    });
    const refused = await world.deploymentWith('refused', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    const message = conditionOf(refused, 'Installed')?.message ?? '';
    expect(message).toContain('ConfigMap "Not_A_Name" in namespace "default"');
    expect(message).toContain('Service "later" in namespace "default"');
    await whenDeleted(configMapRef('default', 'good'));
  });
});

describe('the install namespace', () => {
  const withoutNamespace: Files = {
    'manifests/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: placed}\ndata: {a: b}\n',
  };

  test('Q14 is created if missing, gets the objects that name none, and is deleted when it is empty', async () => {
    await create('placed', withoutNamespace, { config: { installNamespace: 'a-place' } });
    await world.deploymentWith('placed', installed);
    expect((await world.kube.get(configMapRef('a-place', 'placed')))['data']).toEqual({ a: 'b' });
    const config = { installNamespace: 'another-place' };
    await world.kube.patch(deploymentRef('placed'), { spec: { config } }, asTest);
    await whenDeleted(configMapRef('a-place', 'placed'));
    expect((await world.kube.get(configMapRef('another-place', 'placed')))['data']).toEqual({ a: 'b' });
    await world.kube.delete(deploymentRef('placed'));
    await whenDeleted(deploymentRef('placed'), configMapRef('another-place', 'placed'));
    await whenDeleted({ apiVersion: 'v1', kind: 'Namespace', name: 'another-place' });
  });

  test('Q14 is the system namespace when none is named', async () => {
    await create('unplaced', withoutNamespace);
    await world.deploymentWith('unplaced', installed);
    expect((await world.kube.get(configMapRef('rukpak-system', 'placed')))['data']).toEqual({ a: 'b' });
  });

  test.each([7, 'Not_A_Name', ''])('Q14 must be a name: %j is refused', async (installNamespace) => {
    const name = `misplaced-${JSON.stringify(installNamespace).length}`;
    const thrown = await errorOf(create(name, withoutNamespace, { config: { installNamespace } }));
    expect((thrown as Error).message).toMatch(/spec\.config\.installNamespace: expected the name of a namespace/);
    expect((thrown as Error).message).toContain(`found ${JSON.stringify(installNamespace)}`);
  });
});
