import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { startExtensionServer } from '../support/extension-server.ts';
import { eventually } from '../support/index.ts';
import { configMap, crd, type Files, namespace } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const finalizer = 'example.com/not-yet';
const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const crdRef = (name: string): ObjectRef => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name,
});
const lampRef = (group: string, place: string, name: string): ObjectRef => ({
  apiVersion: `${group}/v1alpha1`,
  kind: 'Lamp',
  namespace: place,
  name,
});
const deploymentRef = (name: string): ObjectRef => ({ apiVersion, kind: 'BundleDeployment', name });
const settingsRef = (place: string): ObjectRef => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: place,
  name: 'settings',
});

function lamp(group: string, place: string, name: string): KubeObject {
  return { apiVersion: `${group}/v1alpha1`, kind: 'Lamp', metadata: { name, namespace: place }, spec: { watts: 5 } };
}

/** A namespace, a CRD of its own group, one object of it, and settings. */
function lamps(name: string): Files {
  const group = `${name}.example.com`;
  const head = `apiVersion: ${group}/v1alpha1\nkind: Lamp\nmetadata:\n  name: ours\n  namespace: ${name}\n`;
  return {
    'manifests/00-namespace.yaml': namespace(name),
    'manifests/01-crd.yaml': crd('Lamp', group),
    'manifests/02-lamp.yaml': `${head}  finalizers: [${finalizer}]\nspec: {watts: 3}\n`,
    'manifests/03-settings.yaml': configMap('settings', name, { mode: 'fast' }),
  };
}

async function install(name: string, files: Files): Promise<void> {
  await world.kube.create(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), asTest);
  await world.deploymentWith(name, installed);
}

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  await world.kube.patch(deploymentRef(name), { metadata: { annotations } }, asTest);
}

async function isThere(ref: ObjectRef): Promise<boolean> {
  try {
    await world.kube.get(ref);
    return true;
  } catch (thrown) {
    if (isNotFound(thrown) || (thrown as { reason?: string }).reason === 'NoKindMatch') return false;
    throw thrown;
  }
}

async function whenDeleted(...refs: readonly ObjectRef[]): Promise<void> {
  await eventually(async () => {
    for (const ref of refs) expect(await isThere(ref), JSON.stringify(ref)).toBe(false);
  });
}

async function unlock(ref: ObjectRef): Promise<void> {
  await world.kube.patch(ref, { metadata: { finalizers: [] } }, asTest);
}

interface Happening {
  readonly involvedObject: { readonly name?: string };
  readonly count?: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

async function happenings(name: string): Promise<readonly Happening[]> {
  const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
  return (items as unknown as Happening[]).filter(({ involvedObject }) => involvedObject?.name === name);
}

async function warnings(name: string): Promise<readonly string[]> {
  const about = (await happenings(name)).filter(({ type }) => type === 'Warning');
  return about.map(({ reason, message }) => `${reason}: ${message}`);
}

/** How often each event with the reason was recorded. */
async function events(name: string, expected: string): Promise<readonly number[]> {
  return (await happenings(name)).filter(({ reason }) => reason === expected).map(({ count = 1 }) => count);
}

const marks = ['core.rukpak.io/owner-kind', 'core.rukpak.io/owner-name', 'applyset.kubernetes.io/part-of'];

/** It is unchanged, and has no owner. */
async function expectReleased(ref: ObjectRef, from: string): Promise<void> {
  const { metadata } = await world.kube.get(ref);
  expect(Object.keys(metadata.labels ?? {}).filter((key) => marks.includes(key))).toEqual([]);
  expect(metadata.ownerReferences ?? []).toEqual([]);
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.annotations).toMatchObject({ 'core.rukpak.io/released-from': from });
  const appliers = (metadata.managedFields ?? []).filter(({ operation }) => operation === 'Apply');
  expect(appliers).toEqual([]);
}

/** Hides the objects of a group behind an extension server, which knows nothing of them. */
async function hide(group: string, shown: ObjectRef): Promise<AsyncDisposable & { end(): Promise<void> }> {
  const name = group.split('.')[0] ?? '';
  const extension = await startExtensionServer({ group, version: 'v1alpha1', dnsNames: [`${name}.default.svc`] });
  const metadata = { name, namespace: 'default' };
  const external = { type: 'ExternalName', externalName: 'localhost' };
  await world.kube.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: external }, asTest);
  const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1alpha1.${group}` };
  const { port, caBundle } = extension;
  const priority = { groupPriorityMinimum: 1000, versionPriority: 15 };
  const spec = { group, version: 'v1alpha1', ...priority, caBundle, service: { ...metadata, port } };
  await world.kube.patch(service, { spec }, asTest);
  await whenDeleted(shown);
  return {
    end: async () => {
      await world.kube.patch(service, { spec: { service: null, caBundle: null } }, asTest);
    },
    [Symbol.asyncDispose]: () => extension[Symbol.asyncDispose](),
  };
}

describe('removal', () => {
  test('N15, Q13 proceeds from the objects over their CRD to the namespace, waits where it must, and reports for what', async () => {
    const name = 'ordered';
    const group = `${name}.example.com`;
    await install(name, lamps(name));
    await world.kube.delete(deploymentRef(name));
    const waiting = await world.deploymentWith(name, { type: 'Removing', status: 'True', reason: 'Removing' });
    expect(conditionOf(waiting, 'Removing')?.message).toBe(
      'waiting for deletion of Lamp "ours" in namespace "ordered"',
    );
    for (const ref of [crdRef(`lamps.${group}`), settingsRef(name), { apiVersion: 'v1', kind: 'Namespace', name }]) {
      expect((await world.kube.get(ref)).metadata.deletionTimestamp, ref.kind).toBeUndefined();
    }
    await unlock(lampRef(group, name, 'ours'));
    await whenDeleted(deploymentRef(name), crdRef(`lamps.${group}`), { apiVersion: 'v1', kind: 'Namespace', name });
  });

  test.each(['Background', 'Foreground'] as const)(
    'N15, Q13 with propagation policy %s: a CRD that others have objects of is kept with them, and is taken up again later',
    async (propagationPolicy) => {
      const name = `shared-${propagationPolicy.toLowerCase()}`;
      const group = `${name}.example.com`;
      const crdName = `lamps.${group}`;
      await install(name, lamps(name));
      await world.kube.create(lamp(group, 'default', 'mine'), asTest);
      const before = await world.kube.get(crdRef(crdName));
      await world.kube.delete(deploymentRef(name), { propagationPolicy });
      await eventually(async () => {
        const { metadata } = await world.kube.get(lampRef(group, name, 'ours'));
        expect(metadata.deletionTimestamp).toBeDefined();
      });
      await unlock(lampRef(group, name, 'ours'));
      await whenDeleted(deploymentRef(name), settingsRef(name), { apiVersion: 'v1', kind: 'Namespace', name });
      await expectReleased(crdRef(crdName), name);
      expect((await world.kube.get(crdRef(crdName))).metadata.uid).toBe(before.metadata.uid);
      expect((await world.kube.get(lampRef(group, 'default', 'mine')))['spec']).toEqual({ watts: 5 });
      await eventually(async () => {
        const text = `CrdInUse: CustomResourceDefinition "${crdName}" is retained: 1 object of it exists that the bundle does not contain (Lamp "mine" in namespace "default")`;
        expect((await warnings(name)).filter((line) => line.startsWith(text))).toHaveLength(1);
      });
      await install(name, lamps(name));
      await annotate(name, { 'core.rukpak.io/delete-crds': 'true' });
      await world.kube.delete(deploymentRef(name), { propagationPolicy });
      await eventually(async () => {
        expect((await world.kube.get(lampRef(group, name, 'ours'))).metadata.deletionTimestamp).toBeDefined();
      });
      await unlock(lampRef(group, name, 'ours'));
      await whenDeleted(deploymentRef(name), crdRef(crdName));
    },
  );

  test('a deployment with a finalizer of another owner is removed once, and new objects with the names of its objects stay', async () => {
    const name = 'lingering';
    await install(name, { 'manifests/03-settings.yaml': configMap('settings', 'default', { mode: 'fast' }) });
    const mark = (await world.kube.get(settingsRef('default'))).metadata.labels ?? {};
    const finalizers = [...((await world.get('BundleDeployment', name)).metadata.finalizers ?? []), finalizer];
    await world.kube.patch(deploymentRef(name), { metadata: { finalizers } }, asTest);
    await world.kube.delete(deploymentRef(name));
    await eventually(async () => {
      const { metadata } = await world.get('BundleDeployment', name);
      expect(metadata.finalizers).toEqual([finalizer]);
    });
    const { metadata, status } = await world.get('BundleDeployment', name);
    expect((status as { record: object }).record).toMatchObject({ installation: 'NotStarted', groupKinds: [] });
    // A restored backup has its labels too.
    const restored = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' } };
    await world.kube.create({ ...restored, metadata: { ...restored.metadata, labels: mark } }, asTest);
    await annotate(name, { 'example.com/look': 'again' });
    const other = 'lingering-other';
    await install(other, { 'manifests/03-more.yaml': configMap('more', 'default', { mode: 'fast' }) });
    await eventually(async () => expect(await events(name, 'Removed')).toEqual([1]));
    expect((await world.kube.get(settingsRef('default'))).metadata.deletionTimestamp).toBeUndefined();
    await world.kube.patch(deploymentRef(name), { metadata: { uid: metadata.uid ?? '', finalizers: [] } }, asTest);
    await whenDeleted(deploymentRef(name));
    await world.kube.delete(settingsRef('default'));
  });

  test.each(['remembers', 'has forgotten'])(
    'Q13 a CRD is retained while an APIService hides the objects of it, by a process that $0 what is served',
    async (how) => {
      const name = how === 'remembers' ? 'hidden' : 'hidden-again';
      const group = `${name}.example.com`;
      const { 'manifests/02-lamp.yaml': _, ...files } = lamps(name);
      await install(name, files);
      await world.kube.create(lamp(group, 'default', 'mine'), asTest);
      await using hiding = await hide(group, lampRef(group, 'default', 'mine'));
      if (how === 'has forgotten') world.kube.forgetKinds(`${group}/v1alpha1`);
      await world.kube.delete(deploymentRef(name));
      await whenDeleted(deploymentRef(name));
      await expectReleased(crdRef(`lamps.${group}`), name);
      await hiding.end();
      await eventually(async () =>
        expect((await world.kube.get(lampRef(group, 'default', 'mine')))['spec']).toEqual({ watts: 5 }),
      );
      expect(await warnings(name)).toContainEqual(
        expect.stringContaining(`CrdInUse: CustomResourceDefinition "lamps.${group}" is retained: the API server`),
      );
    },
  );

  test('Q13 a pivot to a version without the CRD retains it while others have objects of it, and a condition reports it', async () => {
    const name = 'dropped';
    const group = `${name}.example.com`;
    const first = { ...lamps(name), 'manifests/04-other.yaml': crd('Mast', group) };
    delete (first as Record<string, string>)['manifests/02-lamp.yaml'];
    await install(name, first);
    await world.kube.create(lamp(group, 'default', 'mine'), asTest);
    const { image } = world.imageSource(`${name}:v2`, { 'manifests/00-namespace.yaml': namespace(name) });
    await world.kube.patch(
      deploymentRef(name),
      { spec: { template: { spec: { source: { type: 'image', image } } } } },
      asTest,
    );
    const deployment = await world.deploymentWith(name, { type: 'ObjectsKept', status: 'True', reason: 'CrdInUse' });
    expect(conditionOf(deployment, 'ObjectsKept')?.message).toContain(
      `"lamps.${group}" is retained: 1 object of it exists`,
    );
    expect(conditionOf(deployment, 'Installed')?.status).toBe('True');
    await expectReleased(crdRef(`lamps.${group}`), name);
    await whenDeleted(crdRef(`masts.${group}`), settingsRef(name));
    const { image: next } = world.imageSource(`${name}:v3`, {
      'manifests/00-namespace.yaml': namespace(name),
      'manifests/03-settings.yaml': configMap('settings', name, { mode: 'fast' }),
    });
    await world.kube.patch(
      deploymentRef(name),
      { spec: { template: { spec: { source: { type: 'image', image: next } } } } },
      asTest,
    );
    await world.deploymentWith(name, { type: 'ObjectsKept', status: 'False', reason: 'NothingKept' });
    await world.kube.delete(deploymentRef(name));
    await whenDeleted(deploymentRef(name));
    expect(await isThere(lampRef(group, 'default', 'mine'))).toBe(true);
  });
});

const keep = (place: string, mode: string): string =>
  configMap('settings', place, { mode }).replace(
    'metadata: {',
    'metadata: {annotations: {helm.sh/resource-policy: keep}, ',
  );

describe('an object with the policy keep', () => {
  test('N9, Q28 is labeled and corrected like others, and remains after a pivot and a removal', async () => {
    const name = 'keeper';
    const files = (mode: string): Files => ({
      'manifests/00-namespace.yaml': namespace(name).replace(
        '{name',
        '{annotations: {helm.sh/resource-policy: keep}, name',
      ),
      'manifests/01-settings.yaml': keep(name, mode),
      'manifests/02-more.yaml': configMap('more', name, { a: 'b' }),
    });
    await install(name, files('fast'));
    const ref = settingsRef(name);
    const { metadata } = await world.kube.get(ref);
    expect(metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': name });
    expect(metadata.labels?.['applyset.kubernetes.io/part-of']).toMatch(/^applyset-.*-v1$/);
    expect(metadata.ownerReferences).toBeUndefined();
    await world.kube.patch(ref, { data: { mode: 'changed by hand' } }, { fieldManager: 'someone' });
    await eventually(async () => {
      expect((await world.kube.get(ref))['data']).toEqual({ mode: 'fast' });
    });
    await world.kube.delete(deploymentRef(name));
    await whenDeleted(deploymentRef(name), { ...ref, name: 'more' });
    await expectReleased(ref, name);
    expect((await world.kube.get(ref))['data']).toEqual({ mode: 'fast' });
    await install(name, files('slow'));
    expect((await world.kube.get(ref))['data']).toEqual({ mode: 'slow' });
    expect((await world.kube.get(ref)).metadata.uid).toBe(metadata.uid);
    const { image } = world.imageSource(`${name}:v2`, {
      'manifests/02-more.yaml': configMap('more', name, { a: 'b' }),
    });
    await world.kube.patch(
      deploymentRef(name),
      { spec: { template: { spec: { source: { type: 'image', image } } } } },
      asTest,
    );
    await eventually(async () => {
      await expectReleased(ref, name);
    });
    expect((await world.kube.get(ref)).metadata.uid).toBe(metadata.uid);
  });
});

describe('a deployment deleted as an orphan', () => {
  test('waits while an APIService hides objects of it, which would be deleted once they are shown again', async () => {
    const name = 'orphan-hidden';
    const ours = lampRef(`${name}.example.com`, name, 'ours');
    await install(name, lamps(name));
    await annotate(name, { 'core.rukpak.io/orphan': 'true' });
    await using hiding = await hide(`${name}.example.com`, ours);
    await world.kube.delete(deploymentRef(name));
    const waiting = await world.deploymentWith(name, { type: 'Removing', status: 'True', reason: 'RemovalFailed' });
    expect(conditionOf(waiting, 'Removing')?.message).toContain(
      `objects of Lamp.${name}.example.com cannot be released: the API server does not show them`,
    );
    await hiding.end();
    await eventually(() => expectReleased(ours, name));
    await whenDeleted(deploymentRef(name));
  });

  test.each([
    { how: 'by annotation', annotations: { 'core.rukpak.io/orphan': 'true' }, options: {} },
    { how: 'as kubectl delete --cascade=orphan does it', annotations: {}, options: { propagationPolicy: 'Orphan' } },
  ] as const)(
    'N15, Q13 $how leaves everything, without owner, and deletes its Bundles',
    async ({ how, annotations, options }) => {
      const name = how === 'by annotation' ? 'orphan-asked' : 'orphan-cascade';
      const group = `${name}.example.com`;
      await install(name, lamps(name));
      await annotate(name, annotations);
      await world.kube.delete(deploymentRef(name), options);
      await whenDeleted(deploymentRef(name));
      await eventually(async () => {
        expect(await world.ownedBundles(name)).toEqual([]);
      });
      const left = [
        crdRef(`lamps.${group}`),
        lampRef(group, name, 'ours'),
        settingsRef(name),
        { apiVersion: 'v1', kind: 'Namespace', name },
      ];
      for (const ref of left) await expectReleased(ref, name);
      await unlock(lampRef(group, name, 'ours'));
      expect(isNotFound(await errorOf(world.get('BundleDeployment', name)))).toBe(true);
    },
  );
});
