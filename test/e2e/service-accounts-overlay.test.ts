import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifests } from '../../cli/install/manifests.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually, freePort, type Registry, startRegistry } from '../support/index.ts';
import { configMap, crd } from './contents.ts';
import { type OwnProcesses, openOwnProcesses, renew } from './own-processes.ts';
import { bundleDeployment, conditionOf, errorOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';
const asTest = { fieldManager: 'test', force: true };
const permissionKinds = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

let processes: OwnProcesses;
let registry: Registry;
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

beforeAll(async () => {
  processes = stack.use(await openOwnProcesses());
  registry = stack.use(await startRegistry());
  const objects = (await readManifests('service-accounts')) as unknown as KubeObject[];
  for (const object of objects) {
    if (permissionKinds.includes(object.kind)) await processes.kube.apply(object, asTest);
  }
  const port = await freePort();
  const tlsDir = join(processes.folder, 'tls');
  await renew(tlsDir);
  await processes.startAs(await processes.kubeconfigOf('core-admin'), tlsDir, [
    'controllers',
    '--require-service-account',
    '--http-bind-address',
    `127.0.0.1:${port}`,
    '--http-external-address',
    `https://127.0.0.1:${port}`,
    '--provisioner-storage-dir',
    join(processes.folder, 'bundles'),
  ]);
}, 180_000);

/** Whether the API server lets the controllers list objects of a kind: a real one learns of changed roles a moment later. */
async function mayList(resource: string): Promise<boolean> {
  const spec = {
    user: 'system:serviceaccount:rukpak-system:core-admin',
    groups: ['system:serviceaccounts', 'system:authenticated'],
    resourceAttributes: { verb: 'list', group: '', resource },
  };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
  const { status } = await processes.kube.create(review as unknown as KubeObject, { fieldManager: 'test' });
  return (status as JsonObject)['allowed'] === true;
}

async function whenInstalled(name: string, expected: { status: string; reason: string }): Promise<void> {
  await eventually(
    async () => {
      const found = await processes.kube.get({ apiVersion, kind: 'BundleDeployment', name });
      expect(conditionOf(found, 'Installed')).toMatchObject(expected);
    },
    { timeoutMs: 90_000 },
  );
}

const files = {
  'manifests/a.yaml': configMap('settings', 'team', { a: '1' }),
  'manifests/b.yaml': crd('Barrel', 'team.example.com'),
  'manifests/c.yaml': 'apiVersion: team.example.com/v1alpha1\nkind: Barrel\nmetadata: {name: one, namespace: team}\n',
};

test('Q15 controllers that may write nothing install as the account of each deployment, and nothing without one', async () => {
  const { kube } = processes;
  const account = { name: 'installer', namespace: 'team' };
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }, asTest);
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, asTest);
  const verbs = ['get', 'create', 'patch', 'delete'];
  const metadata = { name: 'team-installer' };
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs },
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
    { apiGroups: ['team.example.com'], resources: ['barrels'], verbs: [...verbs, 'list'] },
  ];
  await kube.apply({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules } as unknown as KubeObject, asTest);
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const binding = { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await kube.apply(binding as unknown as KubeObject, asTest);

  registry.putImage('team:v1', [{ files }]);
  const source = { type: 'image', image: { ref: `${registry.host}/team:v1` } };
  await kube.create(bundleDeployment('without', source), { fieldManager: 'test' });
  await whenInstalled('without', { status: 'False', reason: 'PermissionsMissing' });

  const object = bundleDeployment('team', source);
  const spec = { ...(object['spec'] as object), config: { serviceAccount: account } };
  await kube.create({ ...object, spec } as unknown as KubeObject, { fieldManager: 'test' });
  await whenInstalled('team', { status: 'True', reason: 'InstallationSucceeded' });

  const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'team' };
  await kube.delete(settings);
  await eventually(async () => expect((await kube.get(settings))['data']).toEqual({ a: '1' }));
  const deployment = { apiVersion, kind: 'BundleDeployment', name: 'team' };
  await kube.delete(deployment);
  await eventually(async () => expect(isNotFound(await errorOf(kube.get(deployment)))).toBe(true));
  expect(isNotFound(await errorOf(kube.get(settings)))).toBe(true);
});

test('a kind that the controllers may not watch is not installed, the deployment reports it, and others continue', async () => {
  const { kube } = processes;
  const everything = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name: 'rukpak-core-service-accounts' };
  const { rules } = (await kube.get(everything)) as unknown as { rules: JsonObject[] };
  const impersonate = rules.filter(({ verbs }) => JSON.stringify(verbs).includes('impersonate'));
  const verbs = ['get', 'list', 'watch'];
  const some = [
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
    { apiGroups: [''], resources: ['configmaps', 'namespaces', 'serviceaccounts'], verbs },
    { apiGroups: [rbac], resources: ['*'], verbs },
  ];
  await kube.patch(everything, { rules: [...impersonate, ...some] }, { fieldManager: 'test' });
  await eventually(async () => expect(await mayList('limitranges')).toBe(false));
  const limits =
    'apiVersion: v1\nkind: LimitRange\nmetadata: {name: limits, namespace: default}\nspec: {limits: [{type: Pod}]}\n';
  registry.putImage('limits:v1', [{ files: { 'manifests/a.yaml': limits } }]);
  registry.putImage('plain:v1', [{ files: { 'manifests/a.yaml': configMap('plain', 'default', {}) } }]);
  const metadata = { name: 'default-installer' };
  const all = [{ apiGroups: [''], resources: ['limitranges', 'configmaps'], verbs: ['*'] }];
  await kube.apply(
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules: all } as unknown as KubeObject,
    asTest,
  );
  const account = { name: 'default', namespace: 'default' };
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const binding = { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await kube.apply(binding as unknown as KubeObject, asTest);
  for (const name of ['limits', 'plain']) {
    const object = bundleDeployment(name, { type: 'image', image: { ref: `${registry.host}/${name}:v1` } });
    const spec = { ...(object['spec'] as object), config: { serviceAccount: account } };
    await kube.create({ ...object, spec } as unknown as KubeObject, { fieldManager: 'test' });
  }
  await whenInstalled('plain', { status: 'True', reason: 'InstallationSucceeded' });
  await whenInstalled('limits', { status: 'False', reason: 'InstallFailed' });
  const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name: 'limits' });
  expect(conditionOf(found, 'Installed')?.message).toContain(
    'limitranges is forbidden: User "system:serviceaccount:rukpak-system:core-admin" cannot list resource "limitranges"',
  );
  await kube.patch(everything, { rules }, { fieldManager: 'test' });
  await whenInstalled('limits', { status: 'True', reason: 'InstallationSucceeded' });
});
