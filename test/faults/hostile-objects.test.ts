import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatYaml, type JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject, refOf } from '../../src/kube/index.ts';
import { application, configMap, crd, namespace } from '../e2e/contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const admission = 'admissionregistration.k8s.io/v1';
const asTest = { fieldManager: 'test', force: true };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ref = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });
const yaml = (...objects: readonly object[]): string =>
  objects.map((object) => formatYaml(object as unknown as JsonObject)).join('---\n');

async function removed(name: string): Promise<void> {
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref(name))))).toBe(true));
}

function ignoreMissing(thrown: unknown): void {
  if (!isNotFound(thrown)) throw thrown;
}

const rules = [
  { apiGroups: ['core.rukpak.io'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] },
  { apiGroups: ['coordination.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
];

const policy = [
  {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-status' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['core.rukpak.io'],
            apiVersions: ['*'],
            operations: ['UPDATE'],
            resources: ['bundledeployments', 'bundledeployments/status', 'bundles/status'],
          },
        ],
      },
      validations: [{ expression: 'false' }],
    },
  },
  {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-status' },
    spec: { policyName: 'no-status', validationActions: ['Deny'] },
  },
];

const webhook = [
  {
    apiVersion: admission,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'locks-out' },
    webhooks: [
      {
        name: 'locks.example.com',
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
        clientConfig: { service: { name: 'missing', namespace: 'default', path: '/' } },
        rules,
      },
    ],
  },
];

test.each([
  { name: 'policy', objects: policy },
  { name: 'webhook', objects: webhook },
])('a bundle that locks our own kinds can be removed once its lock is deleted: $name', async ({ name, objects }) => {
  const locks = objects as unknown as readonly KubeObject[];
  const [lock] = locks.map(refOf);
  if (lock === undefined) throw new Error('no lock');
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, { 'manifests/all.yaml': yaml(...objects) }));
  await world.kube.apply(desired, asTest);
  await eventually(async () => expect((await world.kube.get(lock)).metadata.uid).toBeDefined());
  await eventually(async () => {
    // Drift is corrected until the BundleDeployment is being deleted, which the lock may refuse.
    for (const one of locks.toReversed()) await world.kube.delete(refOf(one)).catch(ignoreMissing);
    await world.kube.delete(ref(name));
  });
  await removed(name);
  expect(isNotFound(await errorOf(world.kube.get(lock)))).toBe(true);
});

const maps = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name });

/** All objects are there, in a namespace that stays. */
async function isWhole(name: string, count: number): Promise<void> {
  await eventually(async () => {
    const { items } = await world.kube.list(maps(name));
    expect(items.filter(({ metadata }) => metadata.name?.startsWith('part-'))).toHaveLength(count);
    expect((await world.get('Namespace', name)).metadata.deletionTimestamp).toBeUndefined();
  });
}

test('a namespace that is deleted while its objects are installed is installed again', { tags: 'long' }, async () => {
  const name = 'recreated';
  const count = 300;
  const parts = Array.from({ length: count }, (_, index) => configMap(`part-${index}`, name, {}));
  const files = { 'manifests/00.yaml': namespace(name), 'manifests/10.yaml': parts.join('---\n') };
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), asTest);
  const place = { apiVersion: 'v1', kind: 'Namespace', name };
  await eventually(async () => expect(await world.kube.get({ ...maps(name), name: 'part-20' })).toBeDefined());
  await world.kube.delete(place);
  await isWhole(name, count);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await world.kube.delete(ref(name));
  await removed(name);
  expect(isNotFound(await errorOf(world.kube.get(place)))).toBe(true);
});

test('a finalizer that is never removed does not block the next version, and the removal names its object', async () => {
  const name = 'finalized';
  const held = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, namespace: ${name}, finalizers: [example.com/never]}\n`;
  const files = { ...application(name, 1), 'manifests/20.yaml': held };
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v2`, application(name, 2))), asTest);
  const settings = { ...maps(name), name: 'settings' };
  await eventually(async () => expect(await world.kube.get(settings)).toMatchObject({ data: { version: '2' } }));
  await world.kube.delete(ref(name));
  await eventually(async () => {
    const removing = conditionOf(await world.kube.get(ref(name)), 'Removing');
    expect(removing?.message).toContain(`"held" in namespace "${name}"`);
  });
  const patch = { metadata: { finalizers: null } };
  await world.kube.patch({ ...maps(name), name: 'held' }, patch, { fieldManager: 'admin' });
  await removed(name);
});

test('a definition whose conversion webhook never answers can be removed with its bundle', async () => {
  const name = 'converting';
  const conversion = `  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: none, namespace: default}}}
`;
  const files = { 'manifests/all.yaml': crd('Tide').replace('  scope:', `${conversion}  scope:`) };
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await world.kube.delete(ref(name));
  await removed(name);
});

test('an object that a bundle names as the owner of its own is neither changed nor deleted', async () => {
  const name = 'referring';
  const metadata = { name: 'other', namespace: 'default' };
  const { uid = '' } = (await world.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, asTest)).metadata;
  const owned = (controller: boolean) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid, controller };
    const own = { name: `owned-${controller}`, namespace: 'default', ownerReferences: [owner] };
    return { 'manifests/all.yaml': yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: own }) };
  };
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, owned(false))), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v2`, owned(true))), asTest);
  await eventually(async () => {
    const message = conditionOf(await world.kube.get(ref(name)), 'Installed')?.message;
    expect(message).toContain('Only one reference can have Controller set to true');
  });
  await world.kube.delete(ref(name));
  await removed(name);
  expect((await world.get('ConfigMap', 'other', 'default')).metadata).toMatchObject({ uid });
});
