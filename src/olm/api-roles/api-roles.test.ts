import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { createNamespace, openOlmCluster, runControllers } from '../../../test/support/olm-cluster.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject, type KubeObject } from '../../kube/index.ts';
import { addApiRoles, apiRolesController } from './controller.ts';

const user = { fieldManager: 'test' };
const versionKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const roleKind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const namespace = 'operators';

let cluster: BareCluster;
let running: AsyncDisposable;

beforeAll(async () => {
  cluster = await openOlmCluster();
  await createNamespace(cluster.kube, namespace);
  running = await runControllers(cluster.kube, (manager) => addApiRoles(manager), [apiRolesController]);
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

function definitionOf(kind: string): KubeObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

async function createOperator(name: string, spec: JsonObject, status: JsonObject): Promise<void> {
  const object = {
    ...versionKind,
    metadata: { namespace, name },
    spec: { displayName: name, install: { strategy: 'deployment' }, ...spec },
  };
  await cluster.kube.create(object, user);
  await setStatus(name, status);
}

async function setStatus(name: string, status: JsonObject): Promise<void> {
  await cluster.kube.patch({ ...versionKind, namespace, name }, { status }, { ...user, subresource: 'status' });
}

const owning = (kind: string): JsonObject => ({
  customresourcedefinitions: { owned: [{ name: `${kind.toLowerCase()}s.example.com`, version: 'v1', kind }] },
});

const role = (name: string): Promise<KubeObject | undefined> => findObject(cluster.kube, { ...roleKind, name });

const succeeded = { phase: 'Succeeded', reason: 'InstallSucceeded' };

test('a definition gets four ClusterRoles once its operator has succeeded, which are corrected and go with the definition', async () => {
  const { metadata } = await cluster.kube.create(definitionOf('Boat'), user);
  await createOperator('boat', owning('Boat'), { phase: 'Installing', reason: 'InstallSucceeded' });
  expect(await role('boats.example.com-v1-admin')).toBeUndefined();
  await setStatus('boat', succeeded);
  const verbs = { admin: ['*'], edit: ['create', 'update', 'patch', 'delete'], view: ['get', 'list', 'watch'] };
  for (const [suffix, expected] of Object.entries(verbs)) {
    await eventually(async () => {
      const found = await role(`boats.example.com-v1-${suffix}`);
      expect(found?.['rules']).toEqual([{ apiGroups: ['example.com'], resources: ['boats'], verbs: expected }]);
      expect(found?.metadata.labels).toMatchObject({
        'olm.managed': 'true',
        [`rbac.authorization.k8s.io/aggregate-to-${suffix}`]: 'true',
      });
      expect(found?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    });
  }
  const view = { ...roleKind, name: 'boats.example.com-v1-crdview' };
  await eventually(async () => {
    const rule = { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] };
    expect((await role(view.name))?.['rules']).toEqual([{ ...rule, resourceNames: ['boats.example.com'] }]);
  });
  await cluster.kube.patch(view, { rules: [] }, user);
  await eventually(async () => expect((await role(view.name))?.['rules']).toHaveLength(1));
  await cluster.kube.delete(view);
  await eventually(async () => expect(await role(view.name)).toBeDefined());
  await cluster.kube.delete({ ...definitionOf('Boat'), name: 'boats.example.com' });
  await eventually(async () => expect(await role(view.name)).toBeUndefined());
});

test('a ClusterRole of another owner is not overwritten, which is reported', async () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const name = 'oars.example.com-v1-admin';
  await cluster.kube.create({ ...roleKind, metadata: { name, labels: { 'olm.managed': 'true' } }, rules }, user);
  await cluster.kube.create(definitionOf('Oar'), user);
  await createOperator('oar', owning('Oar'), succeeded);
  await eventually(async () => expect(await role('oars.example.com-v1-crdview')).toBeDefined());
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace });
    expect(items.find((event) => event['reason'] === 'ClusterRoleNotOwned')?.['message']).toContain(name);
  });
  expect((await role(name))?.['rules']).toEqual(rules);
  await cluster.kube.delete({ ...roleKind, name });
  await eventually(async () => expect((await role(name))?.['rules']).toMatchObject([{ verbs: ['*'] }]));
});

test('an operator that claims an APIService of the cluster opens nothing', async () => {
  const owned = [
    { group: '', version: 'v1', kind: 'Secret', name: 'secrets' },
    { group: 'apps', version: 'v1', kind: 'Deployment', name: 'deployments' },
  ];
  await cluster.kube.create(definitionOf('Rope'), user);
  await createOperator('claim', { ...owning('Rope'), apiservicedefinitions: { owned } }, succeeded);
  await eventually(async () => expect(await role('ropes.example.com-v1-crdview')).toBeDefined());
  const { items } = await cluster.kube.list({ ...roleKind, labelSelector: 'olm.managed=true' });
  expect(items.filter(({ metadata }) => /^(?:secrets|deployments)/.test(metadata.name ?? ''))).toEqual([]);
});

test('an APIService of the operator gets ClusterRoles that are qualified by its group', async () => {
  const labels = { 'olm.owner': 'sail', 'olm.owner.namespace': namespace, 'olm.owner.kind': 'ClusterServiceVersion' };
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.sails.example.com', labels },
    spec: {
      group: 'sails.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace, name: 'sail' },
      insecureSkipTLSVerify: true,
    },
  };
  await cluster.kube.create(service, user);
  const owned = [{ group: 'sails.example.com', version: 'v1', kind: 'Sail', name: 'sails' }];
  await createOperator('sail', { apiservicedefinitions: { owned } }, succeeded);
  await eventually(async () => expect(await role('sails.sails.example.com-v1-view')).toBeDefined());
  expect(await role('sails.sails.example.com-v1-crdview')).toBeUndefined();
});

test('an API that an operator adds to a group of Kubernetes, or of the platform, opens none of their resources to users', async () => {
  const [group, version, name] = ['rbac.authorization.k8s.io', 'v9', 'anchor'];
  const labels = { 'olm.owner': name, 'olm.owner.namespace': namespace, 'olm.owner.kind': 'ClusterServiceVersion' };
  const spec = { group, version, groupPriorityMinimum: 2000, versionPriority: 15, insecureSkipTLSVerify: true };
  await cluster.kube.create(
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}`, labels },
      spec: { ...spec, service: { namespace, name } },
    },
    user,
  );
  await cluster.kube.create(definitionOf('Anchor'), user);
  const groups = { name: 'operatorgroups.operators.coreos.com', version: 'v1', kind: 'OperatorGroup' };
  const definitions = owning('Anchor')['customresourcedefinitions'] as { owned: JsonObject[] };
  await createOperator(
    name,
    {
      customresourcedefinitions: { owned: [groups, ...definitions.owned] },
      apiservicedefinitions: { owned: [{ group, version, kind: 'RoleBinding', name: 'rolebindings' }] },
    },
    succeeded,
  );
  await eventually(async () => expect(await role('anchors.example.com-v1-crdview')).toBeDefined());
  const { items } = await cluster.kube.list({ ...roleKind, labelSelector: 'olm.managed=true' });
  expect(items.filter(({ metadata }) => /^(?:rolebindings|operatorgroups)/.test(metadata.name ?? ''))).toEqual([]);
});
