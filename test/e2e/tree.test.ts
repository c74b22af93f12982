import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { type Files, workload } from './contents.ts';
import { longshoreOn, type Printed } from './program.ts';
import { bundleDeployment, startWorld, type World } from './world.ts';

let world: World;
let dir = '';
let bundleName = '';

const kept: Files = {
  'manifests/20-kept.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: shop, annotations: {helm.sh/resource-policy: keep}}
`,
};

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-tree-'));
  const source = world.imageSource('shop:v1', { ...workload('shop'), ...kept });
  await world.kube.create(bundleDeployment('shop', source), { fieldManager: 'test' });
  await world.deploymentWith('shop', { type: 'Healthy', status: 'True' });
  bundleName = (await world.ownedBundles('shop'))[0]?.metadata.name ?? '';
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const tree = (args: readonly string[], kubeconfig = world.platform.kubeconfigPath): Promise<Printed> =>
  longshoreOn(kubeconfig)(['tree', ...args]);

test('a deployment is shown with its Bundle, its objects, and their dependents', async () => {
  const printed = await tree(['bd/shop']);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  const shape = printed.stdout.replaceAll(/web-[a-z0-9-]+/g, 'web-*').replaceAll(/ {2,}(?=[A-Z])/g, ' ');
  expect(shape).toBe(`BundleDeployment.core.rukpak.io shop Current (v1)
├── Bundle.core.rukpak.io ${bundleName} Current (active, v1)
├── Namespace shop Current
├── ConfigMap shop/kept Current (kept)
└── Deployment.apps shop/web Current
    └── ReplicaSet.apps shop/web-* Current
        └── Pod shop/web-* Current
`);
});

test('JSON has the same content, for every name of the kinds', async () => {
  const { stdout } = await tree(['bundledeployments.core.rukpak.io/shop', '-o', 'json']);
  const root = JSON.parse(stdout) as { kind: string; children: { kind: string; isKept: boolean }[] };
  expect(root).toMatchObject({ kind: 'BundleDeployment', name: 'shop', state: 'Current', message: '' });
  expect(root.children.map(({ kind }) => kind)).toEqual(['Bundle', 'Namespace', 'ConfigMap', 'Deployment']);
  expect(root.children.filter(({ isKept }) => isKept)).toMatchObject([{ namespace: 'shop', name: 'kept' }]);
});

test('an active Bundle has the same objects below it', async () => {
  const { code, stdout } = await tree([`bundle/${bundleName}`]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`^Bundle\\.core\\.rukpak\\.io ${bundleName} +Current \\(active, v1\\)\\n├── Namespace shop`),
  );
});

test('unhealthy objects have a reason, and failed Bundles are shown', async () => {
  const source = world.imageSource('bad:v1', { 'stray.txt': 'no manifests' });
  await world.kube.create(bundleDeployment('bad', source), { fieldManager: 'test' });
  await world.deploymentWith('bad', { type: 'HasValidBundle', status: 'False' });
  const printed = await tree(['bd/bad']);
  expect(printed.code).toBe(0);
  expect(printed.stdout).toMatch(/^BundleDeployment\.core\.rukpak\.io bad +Failed: UnpackFailed: Failed to unpack/);
  expect(printed.stdout).toMatch(/└── Bundle\.core\.rukpak\.io bad-\w+ +Failed: UnpackFailed: .*readdir manifests/);
});

test('what is still starting is distinguished from what has failed', async () => {
  const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unbound, namespace: default}
spec: {storageClassName: none-such, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;
  const source = world.imageSource('starting:v1', { 'manifests/claim.yaml': claim });
  await world.kube.create(bundleDeployment('starting', source), { fieldManager: 'test' });
  await world.deploymentWith('starting', { type: 'Healthy', status: 'False', reason: 'Unhealthy' });
  const printed = await tree(['starting']);
  expect(printed.stdout).toMatch(
    /^BundleDeployment\.core\.rukpak\.io starting +InProgress \(v1\): Unhealthy: .*unbound/,
  );
});

/** A kubeconfig of a service account that may read the deployment, and only some of what it installed. */
async function limitedKubeconfig(): Promise<string> {
  const rules = [
    { apiGroups: ['core.rukpak.io'], resources: ['*'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: ['list'] },
  ];
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'limited' } };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' };
  const subjects = [{ kind: 'ServiceAccount', name: 'limited', namespace: 'default' }];
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'limited', namespace: 'default' } };
  const objects = [
    account,
    { ...rbac, kind: 'ClusterRole', rules },
    { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects },
  ];
  for (const object of objects) await world.kube.create(object as unknown as KubeObject, { fieldManager: 'test' });
  const token = await world.tokenOf('limited');
  const text = await readFile(world.platform.kubeconfigPath, 'utf8');
  const config = parseYaml('kubeconfig', text) as { contexts: { context: { user: string } }[] };
  const contexts = config.contexts.map((entry) => ({ ...entry, context: { ...entry.context, user: 'limited' } }));
  const path = join(dir, 'limited');
  // JSON is YAML.
  await writeFile(path, JSON.stringify({ ...config, contexts, users: [{ name: 'limited', user: { token } }] }));
  return path;
}

test('kinds that the user may not read are named, and the rest is shown', async () => {
  const kubeconfig = await limitedKubeconfig();
  const printed = await eventually(async () => {
    const got = await tree(['bd/shop'], kubeconfig);
    if (!got.stdout.includes('Namespace shop')) throw new Error(JSON.stringify(got));
    return got;
  });
  expect(printed.code).toBe(1);
  expect(printed.stdout).toContain('ConfigMap shop/kept');
  expect(printed.stderr).toMatch(/^longshore: cannot be shown: Deployment\.apps: deployments\.apps is forbidden/);
});

test.each([
  { args: ['nothing'], code: 1, text: 'bundledeployments.core.rukpak.io "nothing" not found' },
  { args: ['deployment/web'], code: 2, text: 'expected bd/NAME or bundle/NAME' },
  { args: [], code: 2, text: 'bd/NAME|bundle/NAME|clusterextension/NAME is missing' },
  { args: ['bd/absent'], code: 1, text: 'bundledeployments.core.rukpak.io "absent" not found' },
  { args: ['bd/shop', '--kubeconfig', '/no/such'], code: 1, text: '/no/such: no such file; name the kubeconfig' },
])('tree $args fails with a clear message', async ({ args, code, text }) => {
  const printed = await tree(args);
  expect(printed).toMatchObject({ code, stdout: '' });
  expect(printed.stderr).toContain(text);
});
