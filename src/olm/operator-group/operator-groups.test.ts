import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { createNamespace, expectObject, openOlmCluster, runControllers } from '../../../test/support/olm-cluster.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../kube/index.ts';
import { apiLabelHash } from '../../operators/index.ts';
import { addOperatorGroups, operatorGroupController } from './controller.ts';

const user = { fieldManager: 'test' };
const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const versionKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const roleKind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const provided = 'olm.providedAPIs';

let cluster: BareCluster;
let running: AsyncDisposable;
let count = 0;

const run = async (): Promise<void> => {
  running = await runControllers(cluster.kube, (manager) => addOperatorGroups(manager), [operatorGroupController]);
};

beforeAll(async () => {
  cluster = await openOlmCluster();
  await run();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Namespaces of one test. */
async function namespaces(...labels: readonly JsonObject[]): Promise<readonly string[]> {
  count += 1;
  const names = labels.map((_, index) => `t${count}-${index}`);
  for (const [index, name] of names.entries()) await createNamespace(cluster.kube, name, labels[index]);
  return names;
}

interface Group {
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly annotations?: Record<string, string>;
}

async function createGroup(
  namespace: string,
  { name = 'group', spec = {}, annotations = {} }: Group = {},
): Promise<KubeObject> {
  return await cluster.kube.create({ ...groupKind, metadata: { namespace, name, annotations }, spec }, user);
}

const groupRef = (namespace: string, name = 'group'): ObjectRef => ({ ...groupKind, namespace, name });
const statusOf = (object: KubeObject): JsonObject => (object['status'] ?? {}) as JsonObject;

async function expectTargets(namespace: string, targets: readonly string[] | undefined, name = 'group'): Promise<void> {
  await expectObject(cluster.kube, groupRef(namespace, name), (object) => {
    expect(statusOf(object)['lastUpdated']).toBeDefined();
    expect(statusOf(object)['namespaces']).toEqual(targets);
  });
}

async function expectConditions(namespace: string, expected: readonly JsonObject[], name = 'group'): Promise<void> {
  await expectObject(cluster.kube, groupRef(namespace, name), (object) => {
    expect(statusOf(object)['lastUpdated']).toBeDefined();
    expect(statusOf(object)['conditions'] ?? []).toEqual(
      expected.map((condition): unknown => expect.objectContaining(condition)),
    );
  });
}

async function labelled(namespace: string): Promise<readonly string[]> {
  const { metadata } = await cluster.kube.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  return Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('olm.operatorgroup.uid/'));
}

async function rolesOf(namespace: string, name = 'group'): Promise<readonly KubeObject[]> {
  const labelSelector = `olm.owner=${name},olm.owner.namespace=${namespace},olm.owner.kind=OperatorGroup,olm.managed=true`;
  return (await cluster.kube.list({ ...roleKind, labelSelector })).items;
}

async function createVersion(namespace: string, kind: string, status: JsonObject): Promise<void> {
  const owned = [{ name: `${kind.toLowerCase()}s.example.com`, version: 'v1', kind }];
  const object = {
    ...versionKind,
    metadata: { namespace, name: kind.toLowerCase() },
    spec: { displayName: kind, install: { strategy: 'deployment' }, customresourcedefinitions: { owned } },
  };
  await cluster.kube.create(object, user);
  await setStatus(namespace, kind, status);
}

async function setStatus(namespace: string, kind: string, status: JsonObject): Promise<void> {
  const ref = { ...versionKind, namespace, name: kind.toLowerCase() };
  await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

const succeeded = { phase: 'Succeeded', reason: 'InstallSucceeded' };

test('listed targets are resolved and labelled, whether they exist or not, and the labels follow the list', async () => {
  const [own = '', other = ''] = await namespaces({}, {});
  const { metadata } = await createGroup(own, { spec: { targetNamespaces: ['absent', other, own] } });
  const label = `olm.operatorgroup.uid/${metadata.uid}`;
  await expectTargets(own, ['absent', own, other].toSorted());
  await eventually(async () => expect([await labelled(own), await labelled(other)]).toEqual([[label], [label]]));
  await cluster.kube.patch(groupRef(own), { spec: { targetNamespaces: [own] } }, user);
  await expectTargets(own, [own]);
  await eventually(async () => expect([await labelled(own), await labelled(other)]).toEqual([[label], []]));
  await cluster.kube.delete(groupRef(own));
  await eventually(async () => expect(await labelled(own)).toEqual([]));
});

test('a selector follows the labels of Namespaces, and one that matches nothing targets nothing', async () => {
  const [own = '', first = ''] = await namespaces({}, { of: 'select' });
  await createGroup(own, { spec: { selector: { matchLabels: { of: 'select' } } } });
  await expectTargets(own, [first]);
  const [second = ''] = await namespaces({ of: 'select' });
  await expectTargets(own, [first, second].toSorted());
  for (const name of [first, second]) {
    await cluster.kube.patch(
      { apiVersion: 'v1', kind: 'Namespace', name },
      { metadata: { labels: { of: null } } },
      user,
    );
  }
  await expectTargets(own, undefined);
  await eventually(async () => expect(await labelled(first)).toEqual([]));
});

test('without targets and selector a group is global and labels no Namespace', async () => {
  const [own = ''] = await namespaces({});
  await createGroup(own);
  await expectTargets(own, ['']);
  await eventually(async () => expect(await rolesOf(own)).toHaveLength(3));
  expect(await labelled(own)).toEqual([]);
});

test.each([
  { name: 'NamespaceAll among the targets', spec: { targetNamespaces: ['', 'x'] }, reason: 'InvalidTargetNamespaces' },
  {
    name: 'a selector with an unknown operator',
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } },
    reason: 'InvalidSelector',
  },
])('a group with $name targets nothing and reports why', async ({ spec, reason }) => {
  const [own = ''] = await namespaces({});
  await createGroup(own, { spec });
  await expectConditions(own, [{ type: 'OperatorGroupTargets', status: 'True', reason }]);
  await expectTargets(own, undefined);
  await cluster.kube.patch(groupRef(own), { spec: { targetNamespaces: [own], selector: null } }, user);
  await expectConditions(own, []);
  await expectTargets(own, [own]);
});

test('all groups of a namespace have a condition as long as there are several', async () => {
  const [own = ''] = await namespaces({});
  const several = {
    type: 'MultipleOperatorGroup',
    status: 'True',
    reason: 'MultipleOperatorGroupsFound',
    message: 'Multiple OperatorGroup found in the same namespace',
  };
  await createGroup(own, { spec: { targetNamespaces: [own] } });
  await expectConditions(own, []);
  await createGroup(own, { name: 'second', spec: { targetNamespaces: [own] } });
  await expectConditions(own, [several]);
  await expectConditions(own, [several], 'second');
  await cluster.kube.delete(groupRef(own, 'second'));
  await expectConditions(own, []);
});

test('a missing ServiceAccount is reported until it is created, and the targets are resolved meanwhile', async () => {
  const [own = ''] = await namespaces({});
  await createGroup(own, { spec: { targetNamespaces: [own], serviceAccountName: 'scoped' } });
  const message = 'ServiceAccount scoped not found';
  await expectConditions(own, [{ type: 'OperatorGroupServiceAccount', reason: 'ServiceAccountNotFound', message }]);
  await expectTargets(own, [own]);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: own, name: 'scoped' } };
  const { metadata } = await cluster.kube.create(account, user);
  await expectConditions(own, []);
  await expectObject(cluster.kube, groupRef(own), (object) => {
    const reference = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: own, name: 'scoped', uid: metadata.uid };
    expect(statusOf(object)['serviceAccountRef']).toEqual(reference);
  });
  const { metadata: labelledAccount } = await cluster.kube.get({ ...account, namespace: own, name: 'scoped' });
  expect(labelledAccount.labels).toEqual({ 'olm.managed': 'true' });
});

test('the ClusterRoles of a group aggregate what its members provide, and go with the group', async () => {
  const [own = ''] = await namespaces({});
  await createGroup(own, { spec: { targetNamespaces: [own] } });
  await eventually(async () => expect(await rolesOf(own)).toHaveLength(3));
  expect((await rolesOf(own)).map((role) => role['aggregationRule'])).toEqual([undefined, undefined, undefined]);
  await createVersion(own, 'Sail', succeeded);
  const hash = apiLabelHash({ group: 'example.com', version: 'v1', kind: 'Sail' });
  await eventually(async () => {
    const [admin] = await rolesOf(own);
    expect(admin?.metadata.name).toMatch(/^olm\.og\.group\.admin-[0-9A-Za-z]+$/);
    expect(admin?.['aggregationRule']).toEqual({
      clusterRoleSelectors: [{ matchLabels: { [`olm.opgroup.permissions/aggregate-to-${hash}-admin`]: 'true' } }],
    });
  });
  await cluster.kube.delete(groupRef(own));
  await eventually(async () => expect(await rolesOf(own)).toEqual([]));
});

test('ClusterRoles of a group that was deleted while no process ran are deleted', async () => {
  const [own = ''] = await namespaces({});
  const { metadata } = await createGroup(own, { spec: { targetNamespaces: [own] } });
  await eventually(async () => expect(await rolesOf(own)).toHaveLength(3));
  await eventually(async () => expect(await labelled(own)).toEqual([`olm.operatorgroup.uid/${metadata.uid}`]));
  await running[Symbol.asyncDispose]();
  await cluster.kube.delete(groupRef(own));
  await run();
  await eventually(async () => expect(await rolesOf(own)).toEqual([]));
  await eventually(async () => expect(await labelled(own)).toEqual([]));
});

test('a ClusterRole of another owner with the name of one of a group stays as it is', async () => {
  const [own = '', twin = ''] = await namespaces({}, {});
  await createGroup(own, { name: 'cluster', spec: { targetNamespaces: [own] } });
  await eventually(async () => expect(await rolesOf(own, 'cluster')).toHaveLength(3));
  const [role] = await rolesOf(own, 'cluster');
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const name = role?.metadata.name ?? '';
  await cluster.kube.patch(
    { ...roleKind, name },
    { metadata: { labels: { 'olm.owner': 'other', 'olm.managed': null } }, rules },
    user,
  );
  await createGroup(twin, { name: 'cluster', spec: { targetNamespaces: [twin] } });
  await eventually(async () => expect(await rolesOf(twin, 'cluster')).toHaveLength(3));
  await createVersion(own, 'Mast', succeeded);
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: own });
    expect(items.map((event) => event['reason'])).toContain('ClusterRoleNotOwned');
  });
  expect(await findObject(cluster.kube, { ...roleKind, name })).toMatchObject({
    rules,
    metadata: { labels: { 'olm.owner': 'other' } },
  });
  await cluster.kube.delete(groupRef(own, 'cluster'));
  await eventually(async () => expect(await rolesOf(own, 'cluster')).toEqual([]));
  expect(await findObject(cluster.kube, { ...roleKind, name })).toBeDefined();
});

test('APIs that no member provides leave the annotation, unless it is static', async () => {
  const [own = ''] = await namespaces({});
  const annotations = { [provided]: 'Dock.v1.example.com,Sail.v1.example.com' };
  await createGroup(own, { spec: { targetNamespaces: [own], staticProvidedAPIs: true }, annotations });
  await createVersion(own, 'Sail', succeeded);
  const expectProvided = async (text: string): Promise<void> => {
    await expectObject(cluster.kube, groupRef(own), ({ metadata }) =>
      expect(metadata.annotations?.[provided]).toBe(text),
    );
  };
  await expectTargets(own, [own]);
  await expectProvided(annotations[provided]);
  await cluster.kube.patch(groupRef(own), { spec: { staticProvidedAPIs: false } }, user);
  await expectProvided('Sail.v1.example.com');
  await cluster.kube.delete({ ...versionKind, namespace: own, name: 'sail' });
  await expectProvided('');
});

test('a group whose list of targets grows to those of another gives up its APIs, one whose selector finds more does not', async () => {
  const [other = '', listing = '', selecting = ''] = await namespaces({}, {}, {});
  const annotations = { [provided]: 'Sail.v1.example.com' };
  await createGroup(other, { spec: { targetNamespaces: [other], staticProvidedAPIs: true }, annotations });
  await expectTargets(other, [other]);
  for (const namespace of [listing, selecting]) await createVersion(namespace, 'Sail', succeeded);
  const selector = { matchLabels: { watched: selecting } };
  await createGroup(selecting, { spec: { selector }, annotations });
  await createGroup(listing, { spec: { targetNamespaces: [listing] }, annotations });
  await expectTargets(listing, [listing]);
  const labels = { watched: selecting };
  await cluster.kube.patch({ apiVersion: 'v1', kind: 'Namespace', name: other }, { metadata: { labels } }, user);
  await expectTargets(selecting, [other]);
  await cluster.kube.patch(groupRef(listing), { spec: { targetNamespaces: [listing, other] } }, user);
  await expectObject(cluster.kube, groupRef(listing), ({ metadata }) =>
    expect(metadata.annotations?.[provided]).toBe(''),
  );
  const { metadata } = await cluster.kube.get(groupRef(selecting));
  expect(metadata.annotations?.[provided]).toBe('Sail.v1.example.com');
});

test('a group whose name cannot be the value of a label has no ClusterRoles, and reports why', async () => {
  const [own = ''] = await namespaces({});
  const name = 'x'.repeat(64);
  await createGroup(own, { name, spec: { targetNamespaces: [own] } });
  await expectTargets(own, [own], name);
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: own });
    expect(items.map((event) => event['reason'])).toEqual(['NameTooLong']);
  });
});
