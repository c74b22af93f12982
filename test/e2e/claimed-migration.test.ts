/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { findObject, type KubeClient, type KubeObject, serviceAccountUser } from '../../src/kube/index.ts';
import { configMap } from './contents.ts';
import { csvKind, deploymentKind, subscriptionKind } from './migration.ts';
import { longshoreOn, type Printed } from './program.ts';
import { startWorld, type World } from './world.ts';

const user = { fieldManager: 'test' };
const namespace = 'harbour';
const rbac = 'rbac.authorization.k8s.io';
const csvName = 'tide-gauge.v0.1.0';

let world: World;
let registry: Registry;

const longshore = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 180_000 });

const make = async (object: unknown): Promise<KubeObject> => await world.kube.create(object as KubeObject, user);

/** Who may install ConfigMaps in a namespace of its own, by BundleDeployments with its account. */
async function tenant(): Promise<KubeClient> {
  const account = { namespace: 'tenant', name: 'installer' };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const bound = async (scope: 'Role' | 'ClusterRole', rules: unknown): Promise<void> => {
    const metadata = { name: 'tenant', ...(scope === 'Role' && { namespace: 'tenant' }) };
    const kind = { apiVersion: `${rbac}/v1`, metadata };
    await make({ ...kind, kind: scope, rules });
    await make({
      ...kind,
      kind: `${scope}Binding`,
      subjects,
      roleRef: { apiGroup: rbac, kind: scope, name: 'tenant' },
    });
  };
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tenant' } });
  await make({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await bound('Role', [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['installer'], verbs: ['impersonate'] },
  ]);
  await bound('ClusterRole', [{ apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['create'] }]);
  return world.kube.actingAs(serviceAccountUser(account));
}

async function standing(): Promise<unknown> {
  const kinds = [
    subscriptionKind,
    csvKind,
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: `${rbac}/v1`, kind: 'Role' },
    { apiVersion: `${rbac}/v1`, kind: 'RoleBinding' },
  ];
  const all = await Promise.all(kinds.map((kind) => world.kube.list({ ...kind, namespace })));
  return all.map(({ items }) => items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
  const push = ['--push-to', `${registry.host}/run`];
  const run = await longshore('operator', 'run', 'examples/tide-gauge/v0.1.0', '-n', namespace, ...push);
  expect(run).toMatchObject({ code: 0 });
}, 180_000);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

test('a BundleDeployment that claims to continue an operator of others takes nothing from it', async () => {
  const kube = await tenant();
  const claim = { namespace, subscription: 'tide-gauge', package: 'tide-gauge', clusterServiceVersion: csvName };
  const source = world.imageSource('claim:v1', { 'manifests/a.yaml': configMap('a', 'tenant', { a: 'b' }) });
  const annotations = { 'olm.longshore.dev/migrated-from': JSON.stringify(claim) };
  const template = { spec: { provisionerClassName: 'core-rukpak-io-plain', source } };
  const config = { serviceAccount: { namespace: 'tenant', name: 'installer' } };
  await kube.create(
    {
      ...deploymentKind,
      metadata: { name: 'claim', annotations },
      spec: { provisionerClassName: 'core-rukpak-io-plain', config, template },
    } as unknown as KubeObject,
    user,
  );
  await world.deploymentWith('claim', { type: 'Installed', status: 'True' });
  const before = await standing();
  const migrated = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes');
  expect(await standing()).toEqual(before);
  expect(migrated.code).toBe(1);
  expect(migrated.stderr).toContain('BundleDeployment "claim" has not adopted');
  const extended = await longshore('operator', 'migrate', 'tide-gauge', '--to', 'ClusterExtension', '--yes');
  expect(extended.code).toBe(1);
  expect(await standing()).toEqual(before);
  expect(await findObject(world.kube, { ...deploymentKind, name: 'tide-gauge' })).toBeUndefined();
});
