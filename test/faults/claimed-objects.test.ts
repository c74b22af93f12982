import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNotFound, type KubeClient, type KubeObject, serviceAccountUser } from '../../src/kube/index.ts';
import { configMap, type Files } from '../e2e/contents.ts';
import { bundleDeployment, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';
const asTest = { fieldManager: 'test', force: true };
const asTenant = { fieldManager: 'tenant' };
const inTeam = { namespace: 'team', name: 'tenant' };

let world: World;
/** May edit the namespace `team`, and view the cluster. */
let tenant: KubeClient;

async function make(...objects: readonly Record<string, unknown>[]): Promise<void> {
  for (const object of objects) await world.kube.apply(object as unknown as KubeObject, asTest);
}

beforeAll(async () => {
  world = await startWorld(['--require-service-account']);
  const subjects = [{ kind: 'ServiceAccount', ...inTeam }];
  const metadata = { name: 'tenant', namespace: 'team' };
  await make(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inTeam },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      subjects,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'edit' },
    },
  );
  tenant = world.kube.actingAs(serviceAccountUser(inTeam));
});
afterAll(() => world[Symbol.asyncDispose]());

/** A namespace with a service account that may manage the ConfigMaps there, and nothing else. */
async function prepare(name: string): Promise<void> {
  const account = { namespace: name, name: 'installer' };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch', 'delete'] }];
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  await make(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: account, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: account,
      subjects,
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'installer' },
    },
  );
}

function deploymentOf(name: string, tag: string, files: Files): KubeObject {
  const object = bundleDeployment(name, world.imageSource(`${name}:${tag}`, files));
  const config = { serviceAccount: { namespace: name, name: 'installer' } };
  return { ...object, spec: { ...(object['spec'] as object), config } } as unknown as KubeObject;
}

const filesOf = (name: string, version: string): Files => ({
  'manifests/all.yaml': configMap('settings', name, { version }),
});

/** What a tenant writes into an object of hers, so that it seems to be of the deployment. */
const claims = [
  { name: 'labels', reference: false },
  { name: 'owner-reference', reference: true },
];

test.each(claims)(
  'an object in a namespace that a BundleDeployment has nothing in does not hold it up: $name',
  async ({ name, reference }) => {
    await prepare(name);
    await world.kube.create(deploymentOf(name, 'v1', filesOf(name, '1')), asTest);
    const installed = await world.deploymentWith(name, { type: 'Installed', status: 'True' });
    const { labels = {} } = (await world.get('ConfigMap', 'settings', name)).metadata;
    const owner = { apiVersion, kind: 'BundleDeployment', name, uid: installed.metadata.uid ?? '' };
    const metadata = { name: `of-${name}`, namespace: 'team', labels, ...(reference && { ownerReferences: [owner] }) };
    const hers = await tenant.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata } as KubeObject, asTenant);
    await world.kube.apply(deploymentOf(name, 'v2', filesOf(name, '2')), asTest);
    await eventually(async () => {
      const why = JSON.stringify((await world.get('BundleDeployment', name))['status']);
      expect(await world.get('ConfigMap', 'settings', name), why).toMatchObject({ data: { version: '2' } });
    });
    expect((await world.get('ConfigMap', `of-${name}`, 'team')).metadata.uid).toBe(hers.metadata.uid);
    const ref = { apiVersion, kind: 'BundleDeployment', name };
    await world.kube.delete(ref);
    await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true));
  },
);
