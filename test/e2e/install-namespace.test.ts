import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound } from '../../src/kube/index.ts';
import { acmeCsv, eventually } from '../support/index.ts';
import { configMap, type Files } from './contents.ts';
import { operator } from './registry-contents.ts';
import { bundleDeployment, startWorld, type World } from './world.ts';

const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const manager = 'acme-widget-controller-manager';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const deploymentRef = (name: string) => ({
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  name,
});
const namespaceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });
const configMapRef = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

async function install(name: string, installNamespace: string, files: Files = operator([acmeCsv()])): Promise<void> {
  const source = world.imageSource(`${name}:v1`, files);
  const made = bundleDeployment(name, source, { templateClassName: 'core-rukpak-io-registry' });
  await world.kube.create({ ...made, spec: { ...(made['spec'] as JsonObject), config: { installNamespace } } }, asTest);
  await world.deploymentWith(name, installed);
}

async function isDeleted(ref: Parameters<World['kube']['get']>[0]): Promise<boolean> {
  try {
    await world.kube.get(ref);
    return false;
  } catch (thrown) {
    if (isNotFound(thrown)) return true;
    throw thrown;
  }
}

async function whenDeleted(...refs: Parameters<World['kube']['get']>[0][]): Promise<void> {
  await eventually(async () => {
    for (const ref of refs) expect(await isDeleted(ref), ref.name).toBe(true);
  });
}

async function remove(name: string): Promise<void> {
  await world.kube.delete(deploymentRef(name));
  await whenDeleted(deploymentRef(name));
}

async function createConfigMap(namespace: string, name: string): Promise<void> {
  await world.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } }, asTest);
}

async function whenReported(reason: string, ...texts: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { items } = await world.kube.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' });
    const notes = items.filter((event) => event['reason'] === reason).map((event) => JSON.stringify(event['note']));
    for (const text of texts) expect(notes.join('\n')).toContain(text);
  });
}

/** An operator of another name, so that two can be in one namespace. */
function otherOperator(): Files {
  const csv = JSON.stringify(acmeCsv({}, { name: 'other.v1.0.0' }));
  return operator([csv.replaceAll('acme-widget-controller', 'other-controller')], 'other');
}

describe('namespaces of one operator', { shuffle: false }, () => {
  test('a namespace that was created for operators is deleted with the last of them', async () => {
    await install('first', 'shared-place');
    await install('second', 'shared-place', otherOperator());
    await remove('first');
    await whenReported('NamespaceKept', 'is retained: BundleDeployment \\"second\\" has objects in it');
    await expect(isDeleted(namespaceRef('shared-place'))).resolves.toBe(false);
    await remove('second');
    await whenDeleted(namespaceRef('shared-place'));
  }, 120_000);

  test('a namespace with objects of other owners stays, and an Event reports which and what to do', async () => {
    await install('visited', 'visited-place');
    await createConfigMap('visited-place', 'mine');
    await remove('visited');
    await whenReported(
      'NamespaceKept',
      'Namespace \\"visited-place\\", which was created for the installation, is retained: ConfigMap (1) in it',
      'kubectl delete namespace visited-place',
    );
    const { deletionTimestamp } = (await world.get('ConfigMap', 'mine', 'visited-place')).metadata;
    expect(deletionTimestamp).toBeUndefined();
    await install('visited', 'visited-place');
    await world.kube.delete(configMapRef('visited-place', 'mine'));
    await remove('visited');
    await whenDeleted(namespaceRef('visited-place'));
  }, 120_000);

  test('a namespace that existed before stays, even if it is empty', async () => {
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'old-place' } }, asTest);
    await install('guest', 'old-place');
    await remove('guest');
    // The next one removes its own: what would be deleted is deleted by then.
    await install('marker', 'marker-place');
    await remove('marker');
    await whenDeleted(namespaceRef('marker-place'));
    expect((await world.get('Namespace', 'old-place')).metadata.deletionTimestamp).toBeUndefined();
  }, 120_000);

  test('N9 a namespace with a retained object stays', async () => {
    const metadata = { name: 'keepsake', annotations: { 'helm.sh/resource-policy': 'keep' } };
    await install('keeper', 'keeper-place', operator([acmeCsv(), { apiVersion: 'v1', kind: 'ConfigMap', metadata }]));
    await remove('keeper');
    await whenReported('NamespaceKept', 'Namespace \\"keeper-place\\"', 'ConfigMap (1) in it');
    await expect(isDeleted(configMapRef('keeper-place', 'keepsake'))).resolves.toBe(false);
  }, 120_000);

  test('an operator moves to another namespace completely, and the former one is deleted', async () => {
    await install('mover', 'first-place');
    const spec = { config: { installNamespace: 'next-place' } };
    await world.kube.patch(deploymentRef('mover'), { spec }, asTest);
    await whenDeleted(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'first-place', name: manager },
      { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'first-place', name: 'acme-widget-controller' },
      namespaceRef('first-place'),
    );
    await world.deploymentWith('mover', installed);
    await world.kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'next-place', name: manager });
    const { items } = await world.kube.list({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      labelSelector: 'core.rukpak.io/owner-name=mover',
    });
    const subjects = items.flatMap((binding) => binding['subjects'] as { namespace: string }[]);
    expect([...new Set(subjects.map(({ namespace }) => namespace))]).toEqual(['next-place']);
    await remove('mover');
    await whenDeleted(namespaceRef('next-place'));
  }, 120_000);

  test('N15 a namespace stays with everything in it where the deployment is deleted as an orphan', async () => {
    await install('orphan', 'orphan-place');
    const annotations = { 'core.rukpak.io/orphan': 'true' };
    await world.kube.patch(deploymentRef('orphan'), { metadata: { annotations } }, asTest);
    await remove('orphan');
    const { metadata } = await world.get('Namespace', 'orphan-place');
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(metadata.annotations ?? {}).not.toHaveProperty(['core.rukpak.io/namespace-made-for']);
    await expect(
      isDeleted({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'orphan-place', name: manager }),
    ).resolves.toBe(false);
  }, 120_000);
});

describe('a namespace that a bundle contains', () => {
  /** Version 2 is without the namespace. */
  async function contained(name: string, place: string): Promise<() => Promise<void>> {
    const namespace = `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${place}}\n`;
    const own = configMap('own', place, { by: name });
    const first = world.imageSource(`${name}:v1`, { 'manifests/a.yaml': `${namespace}---\n${own}` });
    const second = world.imageSource(`${name}:v2`, { 'manifests/a.yaml': configMap(name, 'default', { by: name }) });
    await world.kube.create(bundleDeployment(name, first), asTest);
    await world.deploymentWith(name, installed);
    return async () => {
      await world.kube.patch(deploymentRef(name), { spec: { template: { spec: { source: second } } } }, asTest);
      await eventually(async () => expect(await isDeleted(configMapRef('default', name))).toBe(false));
      await world.deploymentWith(name, installed);
    };
  }

  test.each(['upgrade', 'removal'])('stays with what others have in it after an %s, and goes without', async (what) => {
    for (const isUsed of [true, false]) {
      const [name, place] = [`${what}-${isUsed}`, `place-${what}-${isUsed}`];
      const upgrade = await contained(name, place);
      if (isUsed) await createConfigMap(place, 'mine');
      await (what === 'upgrade' ? upgrade() : remove(name));
      await whenDeleted(configMapRef(place, 'own'));
      if (!isUsed) {
        await whenDeleted(namespaceRef(place));
        continue;
      }
      await whenReported('NamespaceKept', `Namespace \\"${place}\\" is retained: ConfigMap (1) in it`);
      const { metadata } = await world.get('Namespace', place);
      expect([metadata.deletionTimestamp, metadata.labels?.['core.rukpak.io/owner-name']]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await world.get('ConfigMap', 'mine', place)).metadata.deletionTimestamp).toBeUndefined();
    }
  });
});
