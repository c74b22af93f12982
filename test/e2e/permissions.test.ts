import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually, installModes } from '../support/index.ts';
import { application, configMap, crd, type Files } from './contents.ts';
import { longshoreOn, writeFolder } from './program.ts';
import { operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';
const asTest = { fieldManager: 'test', force: true };

let world: World;
let folder = '';
let longshore: ReturnType<typeof longshoreOn>;
beforeAll(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), 'longshore-permissions-'));
  longshore = longshoreOn(world.platform.kubeconfigPath);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await world[Symbol.asyncDispose]();
});

async function deploy(name: string, files: Files): Promise<void> {
  const account = { namespace: 'accounts', name };
  await world.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'accounts' } }, asTest);
  await world.kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, asTest);
  const object = bundleDeployment(name, world.imageSource(`${name}:v1`, files));
  const spec = { ...(object['spec'] as object), config: { serviceAccount: account } };
  await world.kube.create({ ...object, spec } as unknown as KubeObject, asTest);
}

/** What the command prints on standard error. */
async function notesOn(name: string): Promise<string> {
  const { code, stderr } = await longshore(['permissions', `bd/${name}`, '-o', 'table']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stderr;
}

const everyKind = (place: string): Files => ({
  ...application(place, 1),
  'manifests/20-crd.yaml': crd('Crate', `${place}.example.com`),
  'manifests/21-crate.yaml': `apiVersion: ${place}.example.com/v1alpha1\nkind: Crate\nmetadata: {name: one, namespace: ${place}}\n`,
  'manifests/30-account.yaml': `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: crates, namespace: ${place}}\n`,
  'manifests/31-role.yaml': `apiVersion: ${rbac}/v1
kind: ClusterRole
metadata: {name: ${place}-crates}
rules:
  - {apiGroups: ["${place}.example.com"], resources: [crates, crates/status], verbs: [get, update]}
  - {nonResourceURLs: [/metrics], verbs: [get]}
`,
  'manifests/32-binding.yaml': `apiVersion: ${rbac}/v1
kind: ClusterRoleBinding
metadata: {name: ${place}-crates}
roleRef: {apiGroup: ${rbac}, kind: ClusterRole, name: ${place}-crates}
subjects: [{kind: ServiceAccount, name: crates, namespace: ${place}}]
`,
  'manifests/33-binding.yaml': `apiVersion: ${rbac}/v1
kind: RoleBinding
metadata: {name: crates, namespace: ${place}}
roleRef: {apiGroup: ${rbac}, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: crates, namespace: ${place}}]
`,
});

test('Q15 the printed permissions suffice to install, to upgrade and to remove', async () => {
  await deploy('printed', everyKind('printed'));
  await world.deploymentWith('printed', { type: 'Installed', status: 'False', reason: 'PermissionsMissing' });
  expect(await notesOn('printed')).toContain('serviceaccount "accounts/printed" lacks:');
  const { code, stdout } = await longshore(['permissions', 'bd/printed']);
  expect(code).toBe(0);
  const roles = parseYamlDocuments('printed', stdout) as unknown as KubeObject[];
  const names = roles.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`);
  expect(names).toEqual(['ClusterRole longshore-install-printed', 'ClusterRoleBinding longshore-install-printed']);
  expect(stdout).not.toContain('*');
  for (const role of roles) await world.kube.apply(role, asTest);
  await world.deploymentWith('printed', { type: 'Installed', status: 'True' });
  expect(await notesOn('printed')).toContain('serviceaccount "accounts/printed" has all of it');

  const { image } = world.imageSource('printed:v2', application('printed', 2));
  const next = { spec: { template: { spec: { source: { type: 'image', image } } } } };
  const ref = { apiVersion, kind: 'BundleDeployment', name: 'printed' };
  await world.kube.patch(ref, next, { fieldManager: 'test' });
  const gone = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name: 'printed-crates' };
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(gone)))).toBe(true));
  await world.kube.delete(ref);
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true));
});

test('Q15 an operator with a webhook is installed with the printed permissions, its certificate included', async () => {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const webhook = {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'vguard.acme.example',
    deploymentName: 'acme-widget-controller-manager',
    containerPort: 443,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    webhookPath: '/validate',
    rules,
  };
  const csv = acmeCsv({ installModes: installModes('A'), webhookdefinitions: [webhook] }, { name: 'guard.v1' });
  const account = { namespace: 'accounts', name: 'guard' };
  await world.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'accounts' } }, asTest);
  await world.kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, asTest);
  const source = world.imageSource('guard:v1', operator([csv]));
  const object = bundleDeployment('guard', source, { templateClassName: 'core-rukpak-io-registry' });
  const spec = { ...(object['spec'] as object), config: { serviceAccount: account } };
  await world.kube.create({ ...object, spec } as unknown as KubeObject, { fieldManager: 'test' });
  const lacking = await world.deploymentWith('guard', {
    type: 'Installed',
    status: 'False',
    reason: 'PermissionsMissing',
  });
  expect(conditionOf(lacking, 'Installed')?.message).toContain('secrets');
  const { stdout } = await longshore(['permissions', 'bd/guard']);
  for (const role of parseYamlDocuments('guard', stdout)) await world.kube.apply(role as unknown as KubeObject, asTest);
  await world.deploymentWith('guard', { type: 'Installed', status: 'True' });
  await world.deploymentWith('guard', { type: 'Healthy', status: 'True' });
  await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'guard' });
  await eventually(async () => {
    const gone = await errorOf(world.kube.get({ apiVersion, kind: 'BundleDeployment', name: 'guard' }));
    expect(isNotFound(gone)).toBe(true);
  });
});

test('Q15 a Role is printed for an existing namespace', async () => {
  await deploy('placed', { 'manifests/a.yaml': configMap('first', 'accounts', {}) });
  await world.deploymentWith('placed', { type: 'Installed', status: 'False', reason: 'PermissionsMissing' });
  const { stdout } = await longshore(['permissions', 'bd/placed', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({
    grants: [
      {
        namespace: 'accounts',
        rules: [
          {
            verbs: ['get', 'create', 'patch', 'delete'],
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['first'],
          },
        ],
      },
    ],
    missing: ['get, create, patch, delete configmaps "first" in namespace "accounts"'],
  });
  const { stdout: yaml } = await longshore(['permissions', 'bd/placed']);
  const roles = parseYamlDocuments('placed', yaml) as unknown as KubeObject[];
  for (const role of roles) await world.kube.apply(role, asTest);
  await world.deploymentWith('placed', { type: 'Installed', status: 'True' });
});

test('the permissions for a folder are printed without a cluster', async () => {
  const path = await writeFolder(join(folder, 'plain'), everyKind('plain'));
  const env = { KUBECONFIG: join(folder, 'none') };
  const printed = await longshore(['permissions', path, '-o', 'table'], { env });
  expect(printed).toMatchObject({ code: 0 });
  expect(printed.stdout).toMatch(/^\* +get,create,patch,delete +configmaps +settings,kept,legacy$/m);
  expect(printed.stdout).toMatch(/^\* +bind +clusterroles\.rbac\.authorization\.k8s\.io +view$/m);
  expect(printed.stdout).toMatch(/^\* +get +\/metrics +\*$/m);
  const bound = await longshore(['permissions', path, '--service-account', 'shop/installer'], { env });
  expect(bound.stdout).toContain('kind: ServiceAccount\n    namespace: shop\n    name: installer\n');
});

test.each([
  {
    name: 'an unknown kind',
    files: { 'manifests/a.yaml': 'apiVersion: acme.example/v1\nkind: Widget\nmetadata: {name: x}\n' },
    text: 'Widget of acme.example/v1: neither Kubernetes nor the bundle has that kind',
  },
  { name: 'no bundle', files: { 'readme.txt': '' }, text: 'readdir manifests: file does not exist' },
])('$name is reported', async ({ name, files, text }) => {
  const path = await writeFolder(join(folder, name), files);
  const printed = await longshore(['permissions', path]);
  expect(printed).toMatchObject({ code: 1, stdout: '' });
  expect(printed.stderr).toContain(text);
});

test('an invalid account is refused', async () => {
  const printed = await longshore(['permissions', 'bd/placed', '--service-account', 'shop']);
  expect(printed).toMatchObject({ code: 2, stdout: '' });
  expect(printed.stderr).toContain('--service-account: expected NAMESPACE/NAME, found "shop"');
});
