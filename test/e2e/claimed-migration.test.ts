/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { findObject, type KubeClient, type KubeObject, serviceAccountUser } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
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

const account = { namespace: 'tenant', name: 'installer' };
let tenant: KubeClient;

/** Who may install ConfigMaps in a namespace of its own, by BundleDeployments with its account. */
async function makeTenant(): Promise<void> {
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
  tenant = world.kube.actingAs(serviceAccountUser(account));
}

/** A BundleDeployment of the tenant that claims to continue a ClusterServiceVersion, and has installed a ConfigMap. */
async function claims(name: string, clusterServiceVersion: string, place: string): Promise<void> {
  const claim = { namespace, subscription: 'tide-gauge', package: 'tide-gauge', clusterServiceVersion };
  const source = world.imageSource(`${name}:v1`, { 'manifests/a.yaml': configMap('a', place, { a: 'b' }) });
  const annotations = { 'olm.longshore.dev/migrated-from': JSON.stringify(claim) };
  const template = { spec: { provisionerClassName: 'core-rukpak-io-plain', source } };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', config: { serviceAccount: account }, template };
  const object = { ...deploymentKind, metadata: { name, annotations }, spec };
  await tenant.create(object as unknown as KubeObject, user);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
}

async function unclaim(name: string): Promise<void> {
  await world.kube.delete({ ...deploymentKind, name });
  await eventually(async () => expect(await findObject(world.kube, { ...deploymentKind, name })).toBeUndefined());
}

/** A Role in the namespace of the operator, and its binding. */
async function makeRole(name: string, rule: { resources: string[]; verbs: string[] }, subject: object): Promise<void> {
  const named = { apiVersion: `${rbac}/v1`, metadata: { name, namespace } };
  await make({ ...named, kind: 'Role', rules: [{ apiGroups: [''], ...rule }] });
  const roleRef = { apiGroup: rbac, kind: 'Role', name };
  await make({ ...named, kind: 'RoleBinding', roleRef, subjects: [subject] });
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
  await makeTenant();
}, 180_000);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

test('a BundleDeployment that claims to continue an operator of others takes nothing from it', async () => {
  await claims('claim', csvName, 'tenant');
  const before = await standing();
  const migrated = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes');
  expect(await standing()).toEqual(before);
  expect(migrated.code).toBe(1);
  expect(migrated.stderr).toContain('BundleDeployment "claim" has not adopted');
  const extended = await longshore('operator', 'migrate', 'tide-gauge', '--to', 'ClusterExtension', '--yes');
  expect(extended.code).toBe(1);
  expect(await standing()).toEqual(before);
  expect(await findObject(world.kube, { ...deploymentKind, name: 'tide-gauge' })).toBeUndefined();
  await unclaim('claim');
});

test('a BundleDeployment that claims to continue what does not exist deletes nothing that has its name', async () => {
  await makeRole(
    'admins',
    { resources: ['secrets'], verbs: ['get'] },
    { apiGroup: rbac, kind: 'Group', name: 'admins' },
  );
  await makeRole('shared', { resources: ['configmaps'], verbs: ['*'] }, { kind: 'ServiceAccount', ...account });
  await claims('misnamed', 'admins', namespace);
  const before = await standing();
  const migrated = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes');
  expect(await standing()).toEqual(before);
  expect(migrated.code).toBe(1);
  expect(migrated.stderr).toContain('"misnamed" has not adopted what Subscription "tide-gauge" has installed');
  const ref = { ...subscriptionKind, namespace, name: 'tide-gauge' };
  const { metadata, spec } = await world.kube.get(ref);
  await world.kube.delete(ref, { uid: metadata.uid });
  const left = await standing();
  await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes');
  expect(await standing()).toEqual(left);
  await unclaim('misnamed');
  await make({ ...subscriptionKind, metadata: { namespace, name: 'tide-gauge' }, spec });
});

test('a Subscription that claims to continue a BundleDeployment deletes no roles of other namespaces', async () => {
  const [place, name] = ['pier', `${csvName}-manager`];
  const push = ['--push-to', `${registry.host}/pier`];
  const run = await longshore('operator', 'run', 'examples/tide-gauge/v0.1.0', '-n', place, ...push);
  expect(run).toMatchObject({ code: 0 });
  const annotations = { 'olm.longshore.dev/continues': JSON.stringify({ name: 'gauge', uid: 'x' }) };
  const subscription = { ...subscriptionKind, namespace: place, name: 'tide-gauge' };
  await world.kube.patch(subscription, { metadata: { annotations } }, user);
  // As a BundleDeployment has left it that was deleted without its objects.
  const released = { 'core.rukpak.io/released-from': 'gauge' };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'quay', name: 'manager' }];
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } });
  const standingRefs = ['Role', 'ClusterRole'].flatMap((kind) => {
    const at = kind === 'Role' ? { namespace: 'quay', name } : { name };
    return [kind, `${kind}Binding`].map((one) => ({ apiVersion: `${rbac}/v1`, kind: one, ...at }));
  });
  for (const { kind, apiVersion, ...at } of standingRefs) {
    const roleRef = { apiGroup: rbac, kind: kind.replace('Binding', ''), name };
    const content = kind.endsWith('Binding') ? { roleRef, subjects } : { rules: [] };
    await make({ apiVersion, kind, metadata: { ...at, annotations: released }, ...content });
  }
  const migrated = await longshore('operator', 'migrate', 'tide-gauge', '--to', 'Subscription', '--yes');
  expect(migrated).toMatchObject({ code: 0 });
  for (const ref of standingRefs) expect([ref, await findObject(world.kube, ref)]).not.toEqual([ref, undefined]);
});
