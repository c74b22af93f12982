import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, mapLimit } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually, type SampleVersion, sampleCrd } from '../support/index.ts';
import type { Files } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const crdVersion = 'apiextensions.k8s.io/v1';
const crdKind = 'CustomResourceDefinition';
const fieldManager = 'test';
const owned = { 'core.rukpak.io/owner-kind': 'BundleDeployment' };

function schema(required: string[] = []): JsonObject {
  const properties = { sampleProperty: { type: 'string' } };
  const spec = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  return { type: 'object', properties: { spec } };
}

const optional: SampleVersion = { name: 'v1alpha1', schema: schema() };
const strict: SampleVersion = { name: 'v1alpha1', schema: schema(['sampleProperty']) };

/** The sample CRD in a group of its own, so that tests do not meet. */
function crdOf(group: string, versions: readonly SampleVersion[]): KubeObject {
  const { status: _status, ...crd } = sampleCrd(versions);
  const spec = { ...(crd.spec as JsonObject), group };
  return { ...crd, metadata: { name: `samples.${group}` }, spec } as unknown as KubeObject;
}

async function createCrd(group: string, versions: readonly SampleVersion[], labels = {}): Promise<void> {
  const crd = crdOf(group, versions);
  await world.kube.create({ ...crd, metadata: { ...crd.metadata, labels } }, { fieldManager });
  await eventually(async () => {
    const found = await world.kube.get({ apiVersion: crdVersion, kind: crdKind, name: `samples.${group}` });
    const status = found['status'] as { conditions?: { type: string; status: string }[] } | undefined;
    const isThere = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
    if (isThere !== true) throw new Error('not established');
    await world.kube.list({ apiVersion: `${group}/v1alpha1`, kind: 'Sample' });
  });
}

async function createSample(group: string, spec: JsonObject = {}): Promise<void> {
  const metadata = { name: 'one', namespace: 'default' };
  const sample = { apiVersion: `${group}/v1alpha1`, kind: 'Sample', metadata, spec };
  await world.kube.create(sample, { fieldManager });
}

/** Writes a new spec, labels and annotations as one update. */
async function update(
  group: string,
  versions: readonly SampleVersion[],
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> } = {},
): Promise<KubeObject> {
  const live = await world.kube.get({ apiVersion: crdVersion, kind: crdKind, name: `samples.${group}` });
  const { spec } = crdOf(group, versions);
  return await world.kube.update({ ...live, metadata: { ...live.metadata, ...metadata }, spec }, { fieldManager });
}

async function isGuarded(group: string): Promise<void> {
  await eventually(async () => {
    const thrown = await errorOf(update(group, [strict]));
    expect(String(thrown)).toContain('webhook.crdvalidator.io');
  });
}

describe('a change of a CRD by hand', () => {
  test('C1 a version is added and stored: accepted, as no BundleDeployment installed the CRD', async () => {
    await createCrd('c1.example.com', [optional]);
    await update('c1.example.com', [{ ...optional, name: 'v1alpha2' }, optional]);
  });

  test('C2 a version is added, and the label of an owner in the same update: accepted', async () => {
    await createCrd('c2.example.com', [optional]);
    const after = await update('c2.example.com', [{ ...optional, name: 'v1alpha2' }, optional], { labels: owned });
    expect(after.metadata.labels).toEqual(owned);
  });

  test('C3, C4, C5 a field becomes required that an object lacks: denied, unless the label goes or validation is off', async () => {
    const group = 'c3.example.com';
    await createCrd(group, [optional], owned);
    await createSample(group);
    await isGuarded(group);
    const thrown = (await errorOf(update(group, [strict]))) as Error;
    expect(thrown.message).toContain(
      'admission webhook "webhook.crdvalidator.io" denied the request: failed to validate safety of UPDATE for CRD ' +
        `"samples.${group}" (NOTE: to disable this validation, set the "core.rukpak.io/safe-crd-upgrade-validation" annotation to "false"): ` +
        `error validating existing CRs against new CRD's schema for "samples.${group}": ` +
        'existing custom object default/one failed validation for new schema version v1alpha1: spec.sampleProperty: Required value\n' +
        `validating upgrade for CRD "samples.${group}": v1alpha1: ^.spec: required: new required fields: [sampleProperty]\n` +
        'to ignore this check, annotate the CustomResourceDefinition with core.rukpak.io/crd-safety-ignore: existingObjects,required',
    );
    const annotations = { 'core.rukpak.io/safe-crd-upgrade-validation': 'false' };
    await update(group, [strict], { annotations });
    await update(group, [optional], { annotations: {} });
    await update(group, [optional], { labels: {} });
    await update(group, [strict]);
  });

  test('C6 a version that objects are stored in cannot be removed', async () => {
    const group = 'c6.example.com';
    await createCrd(group, [optional], owned);
    const thrown = (await errorOf(update(group, [{ ...optional, name: 'v1alpha2' }]))) as Error;
    expect(thrown.message).toMatch(/cannot remove stored versions|was previously a storage version/);
  });

  test('Q24 checks are disabled one by one, and an unknown name blocks no change', async () => {
    const group = 'q24.example.com';
    await createCrd(group, [optional], owned);
    await createSample(group);
    await isGuarded(group);
    const ignoring = (names: string) => ({ annotations: { 'core.rukpak.io/crd-safety-ignore': names } });
    const one = (await errorOf(update(group, [strict], ignoring('existingObjects')))) as Error;
    expect(one.message).toContain('new required fields: [sampleProperty]');
    expect(one.message).not.toContain('existing custom object');
    const other = (await errorOf(update(group, [strict], ignoring('required, nonsense')))) as Error;
    expect(other.message).toContain('existing custom object');
    expect(other.message).not.toContain('new required fields');
    await update(group, [strict], ignoring('existingObjects, required'));
  });

  test('Q24 all objects are checked, however many pages they fill', async () => {
    const group = 'pages.example.com';
    await createCrd(group, [optional], owned);
    const names = Array.from({ length: 501 }, (_, index) => `s${index}`);
    await mapLimit(names, 16, async (name) => {
      const metadata = { name, namespace: 'default' };
      await world.kube.create({ apiVersion: `${group}/v1alpha1`, kind: 'Sample', metadata }, { fieldManager });
    });
    await createSample(group);
    const { spec } = schema().properties as { spec: JsonObject };
    const withSpec = { ...schema(), required: ['spec'], properties: { spec } };
    const thrown = (await errorOf(update(group, [{ ...optional, schema: withSpec }]))) as Error;
    expect(thrown.message).toContain('\n501 of 502 objects fail, the first are shown\n');
  });

  test('what does not concern objects is not evaluated', async () => {
    const group = 'harmless.example.com';
    await createCrd(group, [optional], owned);
    await createSample(group, { sampleProperty: 'a' });
    const labels = { ...owned, more: 'labels' };
    expect((await update(group, [optional], { labels })).metadata.labels).toEqual(labels);
    await update(group, [{ ...optional, schema: { ...schema(), description: 'reported' } }]);
  });
});

const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const refused = { type: 'Installed', status: 'False', reason: 'UpgradeFailed' };

/** A CRD and a ConfigMap beside it, which shows what was applied. */
function release(group: string, version: SampleVersion, number: number): Files {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: group, namespace: 'default' } };
  return {
    'manifests/crd.yaml': JSON.stringify(crdOf(group, [version])),
    'manifests/settings.yaml': JSON.stringify({ ...settings, data: { number: String(number) } }),
  };
}

async function setSource(name: string, source: object): Promise<void> {
  const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };
  await world.kube.patch(ref, { spec: { template: { spec: { source: source as JsonObject } } } }, { fieldManager });
}

async function annotate(
  kind: { readonly apiVersion: string; readonly kind: string },
  name: string,
  ignore: string | null,
): Promise<void> {
  const annotations = { 'core.rukpak.io/crd-safety-ignore': ignore };
  await world.kube.patch({ ...kind, name }, { metadata: { annotations } }, { fieldManager });
}

async function requiredOf(group: string): Promise<unknown> {
  const crd = await world.kube.get({ apiVersion: crdVersion, kind: crdKind, name: `samples.${group}` });
  type Sample = { readonly properties: { readonly spec: { readonly required?: string[] } } };
  const { versions } = crd['spec'] as unknown as { versions: [{ schema: { openAPIV3Schema: Sample } }] };
  return versions[0].schema.openAPIV3Schema.properties.spec.required;
}

async function numberOf(group: string): Promise<unknown> {
  return ((await world.get('ConfigMap', group, 'default'))['data'] as { number: string }).number;
}

async function install(name: string, group: string): Promise<string> {
  const source = world.imageSource(`${name}:v1`, release(group, optional, 1));
  await world.kube.create(bundleDeployment(name, source), { fieldManager });
  return statusOf(await world.deploymentWith(name, installed))['activeBundle'] as string;
}

describe('a change of a CRD by a pivot', { shuffle: false }, () => {
  const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
  const name = 'guarded';
  const group = 'guarded.example.com';

  test('Q24 that existing objects do not satisfy is not started: the previous version stays complete, and the solution is reported', async () => {
    const active = await install(name, group);
    await createSample(group);
    await setSource(name, world.imageSource('guarded:v2', release(group, strict, 2)));
    const blocked = await world.deploymentWith(name, refused);
    expect(conditionOf(blocked, 'Installed')?.message).toBe(
      `CustomResourceDefinition "samples.${group}": error validating existing CRs against new CRD's schema for "samples.${group}": ` +
        'existing custom object default/one failed validation for new schema version v1alpha1: spec.sampleProperty: Required value\n' +
        `validating upgrade for CRD "samples.${group}": v1alpha1: ^.spec: required: new required fields: [sampleProperty]\n` +
        'to ignore this check, annotate the BundleDeployment or the CustomResourceDefinition with core.rukpak.io/crd-safety-ignore: existingObjects,required',
    );
    expect(statusOf(blocked)['activeBundle']).toBe(active);
    expect([await numberOf(group), await requiredOf(group)]).toEqual(['1', undefined]);
    expect(await world.ownedBundles(name)).toHaveLength(2);
  });

  test('continues at once when the BundleDeployment ignores the checks; the webhook does not block it', async () => {
    await annotate(deployment, name, 'existingObjects,required');
    await world.deploymentWith(name, installed);
    expect([await numberOf(group), await requiredOf(group)]).toEqual(['2', ['sampleProperty']]);
  });

  test('does not concern a version that leaves the CRD as it is, whatever objects there are', async () => {
    await annotate(deployment, name, null);
    await setSource(name, world.imageSource('guarded:v3', release(group, strict, 3)));
    await eventually(async () => expect(await numberOf(group)).toBe('3'));
    await world.deploymentWith(name, installed);
  });

  test('by hand is corrected, unless that breaks an object', async () => {
    await update(group, [optional]);
    const kept = { type: 'Installed', status: 'False', reason: 'ReconcileFailed' };
    const message = conditionOf(await world.deploymentWith(name, kept), 'Installed')?.message;
    expect(message).toContain('existing custom object default/one failed validation');
    expect(message).not.toContain('validating upgrade for CRD');
    const one = { apiVersion: `${group}/v1alpha1`, kind: 'Sample', namespace: 'default', name: 'one' };
    await world.kube.patch(one, { spec: { sampleProperty: 'there' } }, { fieldManager });
    await eventually(async () => expect(await requiredOf(group)).toEqual(['sampleProperty']));
    await world.deploymentWith(name, installed);
  });

  test('that is incompatible waits for an annotation, which may be on the CRD', async () => {
    await install('static', 'static.example.com');
    await setSource('static', world.imageSource('static:v2', release('static.example.com', strict, 2)));
    const message = conditionOf(await world.deploymentWith('static', refused), 'Installed')?.message;
    expect(message).toContain('v1alpha1: ^.spec: required: new required fields: [sampleProperty]');
    expect(message).not.toContain('existing custom object');
    await annotate({ apiVersion: crdVersion, kind: crdKind }, 'samples.static.example.com', 'required');
    await world.deploymentWith('static', installed);
    expect(await requiredOf('static.example.com')).toEqual(['sampleProperty']);
  });
});

test('a first installation does not take a field from a definition that a former BundleDeployment of its name has left', async () => {
  const group = 'left.example.com';
  const name = 'left-definition';
  await createCrd(group, [optional], { ...owned, 'core.rukpak.io/owner-name': name });
  await createSample(group, { sampleProperty: 'kept' });
  const without: SampleVersion = {
    name: 'v1alpha1',
    schema: { type: 'object', properties: { spec: { type: 'object' } } },
  };
  const files = { 'manifests/crd.yaml': JSON.stringify(crdOf(group, [without])) };
  await world.kube.create(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), { fieldManager });
  await eventually(async () => {
    const refused = conditionOf(await world.get('BundleDeployment', name), 'Installed');
    expect(refused).toMatchObject({ status: 'False', message: expect.stringContaining('sampleProperty') as string });
  });
  const target = { apiVersion: `${group}/v1alpha1`, kind: 'Sample', namespace: 'default', name: 'one' };
  expect((await world.kube.get(target))['spec']).toEqual({ sampleProperty: 'kept' });
});
