import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, conditionOf, errorOf, problemOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const crds = valid['manifests/crds.yaml'] ?? '';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function createConfigMap(name: string, content: Readonly<Record<string, unknown>>): Promise<void> {
  const metadata = { name, namespace: 'rukpak-system' };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, ...content };
  await world.kube.create(configMap as never, { fieldManager: 'test' });
}

type Entry = { readonly configMap: { readonly name: string }; readonly path?: string };

async function createBundle(name: string, configMaps: readonly Entry[]): Promise<void> {
  await world.kube.create(bundle(name, { type: 'configMaps', configMaps }), { fieldManager: 'test' });
}

async function failureOf(name: string): Promise<string> {
  return problemOf(await world.bundleWithPhase(name, 'Failing'));
}

describe('ConfigMaps of the system namespace', () => {
  test('become a bundle, text and binary keys in the folders that the source names', async () => {
    await createConfigMap('crds', { data: { 'crds.yaml': crds } });
    const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\n';
    await createConfigMap('more', { binaryData: { 'more.yaml': Buffer.from(object).toString('base64') } });
    const configMaps = [
      { configMap: { name: 'crds' }, path: 'manifests' },
      { configMap: { name: 'more' }, path: './manifests/' },
    ];
    await createBundle('both', configMaps);
    const unpacked = await world.bundleWithPhase('both', 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.message).toBe('Successfully unpacked the configMaps Bundle');
    expect(statusOf(unpacked)['resolvedSource']).toEqual({ type: 'configMaps', configMaps });
  });

  test('BF-Z4 may contain what the Operator Lifecycle Manager has packed', async () => {
    const metadata = {
      name: 'packed',
      namespace: 'rukpak-system',
      annotations: { 'olm.contentEncoding': 'gzip+base64' },
    };
    const value = Buffer.from(gzipSync(crds).toString('base64')).toString('base64');
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true };
    await world.kube.create({ ...configMap, binaryData: { 'crds.yaml': value } }, { fieldManager: 'test' });
    await createBundle('packed', [{ configMap: { name: 'packed' }, path: 'manifests' }]);
    await world.bundleWithPhase('packed', 'Unpacked');
  });

  test('B16 one with the manifests is enough; the Bundle, then the ConfigMap can be deleted', async () => {
    await createConfigMap('manifests', { data: { 'crds.yaml': crds } });
    await createBundle('b16', [{ configMap: { name: 'manifests' }, path: 'manifests' }]);
    await world.bundleWithPhase('b16', 'Unpacked');
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'manifests', namespace: 'rukpak-system' };
    await world.kube.delete({ apiVersion, kind: 'Bundle', name: 'b16' });
    await eventually(async () => {
      await world.kube.delete(ref);
    });
    expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true);
  });

  test('B18 with a text file among the manifests are refused, and the file is named', async () => {
    await createConfigMap('with-text', { data: { 'crds.yaml': crds, '.gitignore': 'node_modules' } });
    await createBundle('b18', [{ configMap: { name: 'with-text' }, path: 'manifests' }]);
    const failure = await failureOf('b18');
    expect(failure).toContain('manifests/.gitignore');
    expect(failure).toContain('json: cannot unmarshal string into Go value');
  });

  test('B17 may come later: the Bundle reports what it waits for, and unpacks once it is there', async () => {
    await createBundle('early', [{ configMap: { name: 'late' }, path: 'manifests' }]);
    expect(await failureOf('early')).toBe(
      'source bundle content: get configmap rukpak-system/late: ConfigMap "late" not found',
    );
    await createConfigMap('late', { data: { 'crds.yaml': crds } });
    await world.bundleWithPhase('early', 'Unpacked');
  });

  test('N2 that bring the same file are named', async () => {
    await createConfigMap('one', { data: { 'a.yaml': crds } });
    await createConfigMap('two', { data: { 'a.yaml': crds } });
    const path = 'manifests';
    await createBundle('twice', [
      { configMap: { name: 'two' }, path },
      { configMap: { name: 'one' }, path },
    ]);
    expect(await failureOf('twice')).toBe(
      'source bundle content: duplicate path "manifests/a.yaml" found in configmaps [one two]',
    );
  });

  test('N1 cannot be deleted while a Bundle is made of them', async () => {
    await world.bundleWithPhase('both', 'Unpacked');
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'more', namespace: 'rukpak-system' };
    const thrown = (await errorOf(world.kube.delete(ref))) as Error;
    expect(thrown.message).toContain(
      'admission webhook "vconfigmaps.core.rukpak.io" denied the request: configmap "more" is in-use by bundle "both"',
    );
    await world.kube.delete({ apiVersion, kind: 'Bundle', name: 'both' });
    await eventually(() => world.kube.delete(ref));
  });

  test('N1 that a Bundle waits for must be created immutable; those of other namespaces are ignored', async () => {
    await createBundle('waiting', [{ configMap: { name: 'awaited' }, path: 'manifests' }]);
    const thrown = (await errorOf(createConfigMap('awaited', { data: {}, immutable: false }))) as Error;
    expect(thrown.message).toContain(
      'configmap "awaited" is referenced in .spec.source.configMaps[].configMap.name by bundles [waiting]; ' +
        'referenced configmaps must have .immutable == true',
    );
    const metadata = { name: 'awaited', namespace: 'default' };
    const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    await world.kube.create(elsewhere, { fieldManager: 'test' });
    await world.kube.delete({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata });
    await createConfigMap('awaited', { data: { 'crds.yaml': crds } });
    await world.bundleWithPhase('waiting', 'Unpacked');
  });

  test.each(['..', '../manifests', '/manifests'])('Q25 cannot be put outside the bundle: %s', async (path) => {
    const thrown = (await errorOf(createBundle('outside', [{ configMap: { name: 'awaited' }, path }]))) as Error;
    expect(thrown.message).toContain(
      `bundle.spec.source.configmaps[0].path is invalid: "${path}" is outside bundle root`,
    );
  });

  test('Q25 are validated again when they are read: a mutable one is not unpacked before it is immutable', async () => {
    // The webhook is away: a Bundle and its ConfigMap that come at the same moment pass it by as well.
    const name = 'rukpak-validating-webhook-configuration';
    await world.kube.delete({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      name,
    });
    await createBundle('race', [{ configMap: { name: 'mutable' }, path: 'manifests' }]);
    await failureOf('race');
    await eventually(() => createConfigMap('mutable', { data: { 'crds.yaml': crds }, immutable: false }));
    await eventually(async () =>
      expect(conditionOf(await world.get('Bundle', 'race'), 'Unpacked')?.message).toBe(
        'source bundle content: configmap "mutable" is not immutable: set its field immutable to true ' +
          '(not tried again before the Bundle or what it names changes, or Longshore restarts)',
      ),
    );
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mutable', namespace: 'rukpak-system' };
    await world.kube.patch(ref, { immutable: true }, { fieldManager: 'test' });
    await world.bundleWithPhase('race', 'Unpacked');
  });
});
