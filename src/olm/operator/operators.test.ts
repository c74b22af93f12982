import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openOlmCluster, runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { findObject, type KubeObject } from '../../kube/index.ts';
import { componentKey, installedAlongside, operatorName, operatorsOf } from '../../operators/index.ts';
import { addOperators } from './controller.ts';

const user = { fieldManager: 'test' };
const olm = 'operators.coreos.com';
const csvKind = { apiVersion: `${olm}/v1alpha1`, kind: 'ClusterServiceVersion' };
const subscriptionKind = { apiVersion: `${olm}/v1alpha1`, kind: 'Subscription' };
const planKind = { apiVersion: `${olm}/v1alpha1`, kind: 'InstallPlan' };
const operatorKind = { apiVersion: `${olm}/v1`, kind: 'Operator' };
const rbac = 'rbac.authorization.k8s.io/v1';
const key = 'operators.coreos.com/boat.a';
const managed = { 'olm.managed': 'true' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openOlmCluster(['subscriptions', 'installplans', 'operatorconditions', 'operators']);
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  for (const name of ['a', 'b']) stack.use(await temporaryNamespace(cluster.kube, name));
  stack.use(await runControllers(cluster.kube, addOperators));
});

afterEach(async () => {
  const { kube } = cluster;
  await kube.delete({ apiVersion: rbac, kind: 'ClusterRole', name: 'boat' }).catch(() => undefined);
  await stack.disposeAsync();
  for (const { metadata } of (await kube.list(operatorKind)).items) {
    await kube.delete({ ...operatorKind, name: metadata.name ?? '' });
  }
});

async function createVersion(
  name = 'boat.v1',
  labels: Record<string, string> = {},
  more: JsonObject = {},
): Promise<KubeObject> {
  const install = { strategy: 'deployment', spec: { deployments: [] } };
  const spec = { displayName: 'Boat', install, ...more };
  return await cluster.kube.create({ ...csvKind, metadata: { name, namespace: 'a', labels }, spec }, user);
}

async function subscribe(installedCSV: string, plan: string): Promise<void> {
  const spec = { name: 'boat', source: 'shop', sourceNamespace: 'olm' };
  const ref = { ...subscriptionKind, namespace: 'a', name: 'sub' };
  if ((await findObject(cluster.kube, ref)) === undefined) {
    await cluster.kube.create({ ...subscriptionKind, metadata: { name: 'sub', namespace: 'a' }, spec }, user);
  }
  const installPlanRef = { ...planKind, name: plan, namespace: 'a' };
  const status = { installedCSV, installPlanRef, lastUpdated: '2030-01-01T00:00:00Z' };
  await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

async function createPlan(name: string): Promise<void> {
  const spec = { clusterServiceVersionNames: ['boat.v1'], approval: 'Automatic', approved: true };
  await cluster.kube.create({ ...planKind, metadata: { name, namespace: 'a' }, spec }, user);
}

async function refsOf(name = 'boat.a'): Promise<JsonObject[]> {
  const operator = await cluster.kube.get({ ...operatorKind, name });
  return objectsAt(objectAt(operator as JsonObject, 'status', 'components'), 'refs');
}

async function has(...expected: readonly string[]): Promise<void> {
  await eventually(async () => {
    const refs = await refsOf();
    expect(refs.map((ref) => `${textAt(ref, 'kind')} ${textAt(ref, 'name')}`)).toEqual(expected);
  });
}

test('E-070 an Operator is created for a Subscription, and lists what it has installed', async () => {
  const { metadata } = await createVersion();
  const owner = { ...csvKind, name: 'boat.v1', uid: metadata.uid ?? '' };
  const owned = { name: 'boat', namespace: 'a', labels: managed, ownerReferences: [owner] };
  await cluster.kube.create(
    { apiVersion: 'v1', kind: 'Service', metadata: owned, spec: { ports: [{ port: 1 }] } },
    user,
  );
  const labels = {
    ...managed,
    'olm.owner': 'boat.v1',
    'olm.owner.namespace': 'a',
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  await cluster.kube.create(
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'boat', labels }, rules: [] },
    user,
  );
  await createPlan('first');
  await createPlan('second');
  await subscribe('boat.v1', 'first');
  await has(
    'ClusterRole boat',
    'ClusterServiceVersion boat.v1',
    'InstallPlan first',
    'Service boat',
    'Subscription sub',
  );
  await subscribe('boat.v1', 'second');
  await has(
    'ClusterRole boat',
    'ClusterServiceVersion boat.v1',
    'InstallPlan second',
    'Service boat',
    'Subscription sub',
  );

  const status = { phase: 'Succeeded', reason: 'InstallSucceeded', message: 'fine' };
  await cluster.kube.patch(
    { ...csvKind, namespace: 'a', name: 'boat.v1' },
    { status },
    { ...user, subresource: 'status' },
  );
  await eventually(async () => {
    const refs = await refsOf();
    expect(refs.find(({ kind }) => kind === 'ClusterServiceVersion')).toEqual({
      ...csvKind,
      namespace: 'a',
      name: 'boat.v1',
      conditions: [{ type: 'Succeeded', status: 'True', reason: 'InstallSucceeded', message: 'fine' }],
    });
  });
  const live = await cluster.kube.get({ ...operatorKind, name: 'boat.a' });
  expect(objectAt(live as JsonObject, 'status', 'components')).toMatchObject({
    labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
  });
});

test('an Operator that is deleted is created again as long as it has components', async () => {
  await createVersion('boat.v1', { [key]: '' });
  const { uid } = await eventually(async () => (await cluster.kube.get({ ...operatorKind, name: 'boat.a' })).metadata);
  await cluster.kube.delete({ ...operatorKind, name: 'boat.a' });
  await eventually(async () => {
    expect((await cluster.kube.get({ ...operatorKind, name: 'boat.a' })).metadata.uid).not.toBe(uid);
  });
  await has('ClusterServiceVersion boat.v1');
  await cluster.kube.delete({ ...csvKind, namespace: 'a', name: 'boat.v1' });
  await has();
  await cluster.kube.delete({ ...operatorKind, name: 'boat.a' });
  await createVersion('other', { 'operators.coreos.com/other.a': '' });
  await eventually(() => cluster.kube.get({ ...operatorKind, name: 'other.a' }));
  expect(await findObject(cluster.kube, { ...operatorKind, name: 'boat.a' })).toBeUndefined();
});

async function createDefinitions(): Promise<void> {
  const apiVersion = 'apiextensions.k8s.io/v1';
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  for (const [plural, kind] of [['boats', 'Boat'] as const, ['docks', 'Dock'] as const]) {
    const name = `${plural}.example.com`;
    const [annotation, value] = installedAlongside({ namespace: 'a', name: kind === 'Boat' ? 'boat.v1' : 'other' });
    const spec = { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions };
    const metadata = { name, annotations: { [annotation]: value } };
    await cluster.kube.create({ apiVersion, kind: 'CustomResourceDefinition', metadata, spec }, user);
    stack.defer(async () => {
      await cluster.kube.delete({ apiVersion, kind: 'CustomResourceDefinition', name });
    });
  }
}

const owned = ['Boat', 'Dock'].map((kind) => ({ name: `${kind.toLowerCase()}s.example.com`, version: 'v1', kind }));

test('a CustomResourceDefinition that a plan applied for a ClusterServiceVersion is a component before that is installed', async () => {
  await createDefinitions();
  await createVersion('boat.v1', { [key]: '' }, { customresourcedefinitions: { owned } });
  await has('ClusterServiceVersion boat.v1', 'CustomResourceDefinition boats.example.com');
});

test('a CustomResourceDefinition that appears later than the ClusterServiceVersion that claims it is a component', async () => {
  await createVersion('boat.v1', { [key]: '' }, { customresourcedefinitions: { owned } });
  await has('ClusterServiceVersion boat.v1');
  await createDefinitions();
  await has('ClusterServiceVersion boat.v1', 'CustomResourceDefinition boats.example.com');
});

test('what another namespace labels, and copies, are no components', async () => {
  const metadata = { name: 'x', namespace: 'b', labels: { ...managed, [key]: '', 'operators.coreos.com/more.b': '' } };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, user);
  await createVersion('copy', { [key]: '', 'olm.copiedFrom': 'b' });
  await eventually(() => cluster.kube.get({ ...operatorKind, name: 'more.b' }));
  expect(await findObject(cluster.kube, { ...operatorKind, name: 'boat.a' })).toBeUndefined();
});

test.each([
  { name: 'boat', namespace: 'a', expected: 'boat.a' },
  { name: 'p'.repeat(60), namespace: 'ab', expected: `${'p'.repeat(60)}.ab` },
  { name: 'p'.repeat(60), namespace: 'a-c', expected: `${'p'.repeat(60)}.a` },
  { name: 'p'.repeat(62), namespace: 'a', expected: 'p'.repeat(62) },
])(
  'the name of the Operator of $name in $namespace is cut to the length of a label',
  ({ name, namespace, expected }) => {
    const operator = operatorName(name, namespace);
    expect(operator).toBe(expected);
    expect(operatorsOf({ metadata: { namespace, labels: { [componentKey(operator)]: '' } } })).toEqual([operator]);
  },
);

test('of very many labels the first count', () => {
  const labels = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [componentKey(`p${index + 10}.a`), '']));
  expect(operatorsOf({ metadata: { namespace: 'a', labels } })).toHaveLength(10);
});
