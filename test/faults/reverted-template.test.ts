import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { isNotFound } from '../../src/kube/index.ts';
import { application, configMap } from '../e2e/contents.ts';
import { bundleDeployment, errorOf, startWorld, statusOf, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io/v1';
const asTest = { fieldManager: 'test', force: true };
const installer = { namespace: 'default', name: 'installer' };
const mallory = { namespace: 'default', name: 'mallory' };
const rounds = 3;

let world: World;
beforeAll(async () => {
  world = await startWorld(['--require-service-account']);
  for (const metadata of [installer, mallory]) {
    await world.kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, asTest);
  }
  const subjects = [{ kind: 'ServiceAccount', ...installer }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'installer' }, subjects, roleRef };
  await world.kube.apply(binding as unknown as KubeObject, asTest);
});
afterAll(() => world[Symbol.asyncDispose]());

function specWith(deployment: KubeObject, serviceAccount: JsonObject): JsonObject {
  return { ...(deployment['spec'] as JsonObject), config: { serviceAccount } };
}

/** So many objects that a reconcile writes the status between reading the spec and installing. */
const hostile = {
  'manifests/all.yaml': Array.from({ length: 1_500 }, (_, index) =>
    configMap(`hostile-${index}`, 'kube-system', { by: 'mallory' }),
  ).join('---\n'),
};

async function isUnpacked(deployment: string, image: string): Promise<void> {
  await eventually(async () => {
    const bundles = await world.ownedBundles(deployment);
    const found = bundles.find((bundle) => JSON.stringify(bundle['spec']).includes(image));
    expect(statusOf(found ?? ({} as KubeObject))['phase']).toBe('Unpacked');
  });
}

test('content that its author may not install is not installed with the account of a spec that replaces it meanwhile', async () => {
  const name = 'reverted';
  const ref = { apiVersion, kind: 'BundleDeployment', name };
  const good = bundleDeployment(name, world.imageSource(`${name}:good`, application(name, 1)));
  const intended = specWith(good, installer);
  await world.kube.apply({ ...good, spec: intended }, asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  for (let round = 0; round < rounds; round++) {
    const image = `${name}:hostile-${round}`;
    const hers = specWith(bundleDeployment(name, world.imageSource(image, hostile)), mallory);
    await world.kube.patch(ref, { spec: hers }, { fieldManager: 'mallory' });
    await isUnpacked(name, image);
    // As a GitOps tool does that corrects drift.
    await world.kube.patch(ref, { spec: intended }, { fieldManager: 'gitops' });
    await world.deploymentWith(name, { type: 'Installed', status: 'True' });
    const left = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'hostile-0' };
    expect(isNotFound(await errorOf(world.kube.get(left)))).toBe(true);
    const { history = [] } = statusOf(await world.kube.get(ref)) as { history?: readonly JsonObject[] };
    expect(history.map(({ spec }) => JSON.stringify(spec).includes('hostile'))).not.toContain(true);
  }
});
