import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openOlmCluster, runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { type JsonObject, objectAt, objectsAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { addOperatorConditions } from './controller.ts';

const user = { fieldManager: 'test' };
const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const conditionKind = { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' };
const rbac = 'rbac.authorization.k8s.io/v1';
const place = { namespace: 'a', name: 'boat.v1' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openOlmCluster(['operatorconditions']);
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'a'));
  stack.use(await runControllers(cluster.kube, addOperatorConditions));
});

afterEach(() => stack.disposeAsync());

function csv(install: JsonObject, labels: Record<string, string> = {}): KubeObject {
  const deployments = [{ name: 'boat', spec: { selector: {}, template: {} } }];
  return {
    ...csvKind,
    metadata: { ...place, labels },
    spec: { displayName: 'Boat', install: { strategy: 'deployment', spec: { deployments, ...install } } },
  };
}

const conditionNow = (): Promise<KubeObject> => cluster.kube.get({ ...conditionKind, ...place });
const subjectsNow = async (): Promise<JsonObject[]> =>
  objectsAt((await cluster.kube.get({ apiVersion: rbac, kind: 'RoleBinding', ...place })) as JsonObject, 'subjects');

const upgradeable = {
  type: 'Upgradeable',
  status: 'False',
  reason: 'Busy',
  message: 'busy',
  lastTransitionTime: '2030-01-01T00:00:00Z',
};

test('each CSV has an OperatorCondition, whose accounts may write it', async () => {
  const rules: JsonObject[] = [];
  const made = await cluster.kube.create(
    csv({
      clusterPermissions: [{ serviceAccountName: 'wide', rules }],
      permissions: [
        { serviceAccountName: 'narrow', rules },
        { serviceAccountName: 'wide', rules },
      ],
    }),
    user,
  );
  await eventually(async () =>
    expect(await conditionNow()).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ClusterServiceVersion', uid: made.metadata.uid, controller: true }] },
      spec: { deployments: ['boat'], serviceAccounts: ['wide', 'narrow', 'wide'] },
    }),
  );
  await eventually(async () =>
    expect((await subjectsNow()).map(({ name }) => name)).toEqual(['wide', 'narrow', 'wide']),
  );
  const { metadata } = await conditionNow();
  expect(await cluster.kube.get({ apiVersion: rbac, kind: 'Role', ...place })).toMatchObject({
    metadata: { labels: { 'olm.managed': 'true' }, ownerReferences: [{ uid: metadata.uid, controller: true }] },
    rules: [
      {
        apiGroups: ['operators.coreos.com'],
        resources: ['operatorconditions'],
        resourceNames: ['boat.v1'],
        verbs: ['get', 'update', 'patch'],
      },
    ],
  });
});

test('an operator without permissions of its own writes as the default account; copies have no OperatorCondition', async () => {
  const copy = { ...csv({}), metadata: { namespace: 'a', name: 'copy', labels: { 'olm.copiedFrom': 'b' } } };
  await cluster.kube.create(copy, user);
  await cluster.kube.create(csv({}), user);
  await eventually(async () => expect(await subjectsNow()).toEqual([{ kind: 'ServiceAccount', name: 'default' }]));
  const { items } = await cluster.kube.list(conditionKind);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['boat.v1']);
});

test('what the operator writes is reported with the generation; overrides stay, and changes by others are corrected', async () => {
  await cluster.kube.create(csv({}), user);
  await eventually(conditionNow);
  const overrides = [{ type: 'Upgradeable', status: 'True', reason: 'Known', message: 'go on' }];
  const spec = { conditions: [upgradeable], overrides, serviceAccounts: ['other'] };
  await cluster.kube.patch({ ...conditionKind, ...place }, { spec }, user);
  await eventually(async () => {
    const live = await conditionNow();
    expect(objectAt(live as JsonObject, 'spec')).toMatchObject({ overrides, serviceAccounts: ['default'] });
    const { generation } = live.metadata;
    expect(live['status']).toEqual({ conditions: [{ ...upgradeable, observedGeneration: generation }] });
  });
  await cluster.kube.delete({ apiVersion: rbac, kind: 'RoleBinding', ...place });
  await eventually(subjectsNow);
  const { uid } = (await conditionNow()).metadata;
  await cluster.kube.delete({ ...conditionKind, ...place });
  await eventually(async () => expect((await conditionNow()).metadata.uid).not.toBe(uid));
});

test('an OperatorCondition that was there before is adopted, with its overrides', async () => {
  const overrides = [{ type: 'Upgradeable', status: 'True', reason: 'Known', message: 'go on' }];
  await cluster.kube.create({ ...conditionKind, metadata: place, spec: { overrides } }, user);
  const { metadata } = await cluster.kube.create(csv({}), user);
  await eventually(async () =>
    expect(await conditionNow()).toMatchObject({
      metadata: { ownerReferences: [{ uid: metadata.uid }] },
      spec: { overrides, serviceAccounts: ['default'] },
    }),
  );
});

test('a Role of the same name that belongs to no OperatorCondition stays as it is', async () => {
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const role = { apiVersion: rbac, kind: 'Role' };
  await cluster.kube.create({ ...role, metadata: place, rules }, user);
  await cluster.kube.create({ ...conditionKind, metadata: place, spec: { conditions: [upgradeable] } }, user);
  await eventually(async () => expect((await conditionNow())['status']).toBeDefined());
  expect(await cluster.kube.get({ ...role, ...place })).toMatchObject({ rules });
});
