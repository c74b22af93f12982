import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { bundleDeployment, startWorld, statusOf, type World } from './world.ts';

const version = 'core.rukpak.io/v1alpha1';
const name = 'settings';
const patience = { timeoutMs: 60_000 };
const manager = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function settings(first: string): Record<string, string> {
  const documents = Object.entries({ first, second: 'same', third: 'same' }).map(
    ([key, value]) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${key}, namespace: default}\ndata: {value: "${value}"}\n`,
  );
  return { 'manifests/all.yaml': documents.join('---\n') };
}

const refOf = (key: string): Parameters<World['kube']['get']>[0] => {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: key };
};

async function values(): Promise<unknown> {
  const keys = ['first', 'second', 'third'];
  const found = await Promise.all(
    keys.map(async (key) => {
      const object = await world.kube.get(refOf(key)).catch((thrown: unknown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      });
      return (object?.['data'] as { value?: string } | undefined)?.value;
    }),
  );
  return found;
}

async function upgradeTo(tag: string): Promise<void> {
  const source = world.imageSource(`settings:${tag}`, settings(tag));
  const spec = { template: { spec: { source } } };
  await world.kube.patch({ apiVersion: version, kind: 'BundleDeployment', name }, { spec }, manager);
}

async function whenInstalled(first: string): Promise<void> {
  await eventually(async () => {
    expect(await values()).toEqual([first, 'same', 'same']);
    const deployment: KubeObject = await world.get('BundleDeployment', name);
    const [bundle, ...more] = await world.ownedBundles(name);
    expect(more).toEqual([]);
    expect(statusOf(deployment)['activeBundle']).toBe(bundle?.metadata.name);
  }, patience);
}

/** From now on no user may update the ConfigMaps that no version changes. */
async function forbidOthers(): Promise<() => Promise<void>> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'hands-off' } };
  const binding = { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'hands-off' } };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] };
  const validations = [{ expression: '!(object.metadata.name in ["second", "third"])' }];
  await world.kube.create({ ...policy, spec: { matchConstraints: { resourceRules: [rule] }, validations } }, manager);
  await world.kube.create({ ...binding, spec: { policyName: 'hands-off', validationActions: ['Deny'] } }, manager);
  await eventually(async () => {
    const tried = world.kube.patch(refOf('second'), { data: { try: 'x' } }, { ...manager, isDryRun: true });
    await expect(tried).rejects.toThrow('hands-off');
  }, patience);
  return async () => {
    await world.kube.delete({ ...binding, name: 'hands-off' });
    await world.kube.delete({ ...policy, name: 'hands-off' });
    await eventually(async () => {
      await world.kube.patch(refOf('second'), { data: { try: 'x' } }, { ...manager, isDryRun: true });
    }, patience);
  };
}

describe('one deployment', { shuffle: false }, () => {
  test('an upgrade writes, and dry-runs, only what it changes', async () => {
    const source = world.imageSource('settings:one', settings('one'));
    await world.kube.create(bundleDeployment(name, source), manager);
    await whenInstalled('one');
    const allow = await forbidOthers();
    await upgradeTo('two');
    await whenInstalled('two');
    await upgradeTo('one');
    await whenInstalled('one');
    await allow();
  });

  test('what a user changes or removes while a version is installed is corrected', async () => {
    const upgrade = upgradeTo('three');
    await world.kube.patch(refOf('second'), { data: { value: 'changed' } }, manager);
    await world.kube.delete(refOf('third'));
    await upgrade;
    await world.kube.patch(refOf('third'), { data: { value: 'changed' } }, manager).catch((thrown: unknown) => {
      if (!isNotFound(thrown)) throw thrown;
    });
    await whenInstalled('three');
  });
});
