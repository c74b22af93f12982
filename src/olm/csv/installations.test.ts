import { afterAll, beforeAll, expect, test } from 'vitest';
import { crd, csv, deployment, group } from '../../../test/olm/objects.ts';
import { eventually } from '../../../test/support/index.ts';
import {
  historyOf,
  type OperatorCluster,
  operatorKinds,
  startOperatorCluster,
  type World,
} from '../../../test/support/operator-world.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import { isNotFound } from '../../kube/index.ts';
import { addClusterServiceVersions } from './controller.ts';

const rbac = 'rbac.authorization.k8s.io';
const succeeded = 'Succeeded/InstallSucceeded';
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'boat', namespace: '$id-a' } };
const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };

let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = await startOperatorCluster((manager) => addClusterServiceVersions(manager));
});

afterAll(() => cluster[Symbol.asyncDispose]());

function role(name: string, rules: readonly JsonObject[]): JsonObject[] {
  const metadata = { name, namespace: '$id-a' };
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [...rules] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name: 'boat', namespace: '$id-a' }],
    },
  ];
}

async function podOf(at: World): Promise<JsonObject> {
  return objectAt((await at.deployment()) as JsonObject, 'spec', 'template', 'spec') ?? {};
}

test('the permissions of a service account are waited for, rule by rule', async () => {
  const at = await cluster.world('rules');
  await at.create(crd());
  await at.group();
  const permissions = [{ serviceAccountName: 'boat', rules: [rule] }];
  await at.create(csv({ install: { permissions } }));
  const without = await at.reaches('Pending/RequirementsNotMet');
  expect(without.status?.requirementStatus?.[1]).toMatchObject({ message: 'Service account does not exist' });
  await at.create(account);
  await eventually(async () => {
    const { status } = await at.csv();
    expect(status?.requirementStatus?.[1]).toMatchObject({
      status: 'PresentNotSatisfied',
      message: 'Policy rule not satisfied for service account',
      dependents: [
        {
          status: 'NotSatisfied',
          message: 'namespaced rule:{"verbs":["get","list"],"apiGroups":[""],"resources":["configmaps"]}',
        },
      ],
    });
  });
  await at.create(...role('boat', [rule]));
  await at.reaches(succeeded);
});

test('an invalid rule fails the operator once, until it is corrected', async () => {
  const at = await cluster.world('invalid');
  await at.create(crd(), account, ...role('boat', [rule]));
  await at.group();
  const permissions = [{ serviceAccountName: 'boat', rules: [{ ...rule, verbs: [] }] }];
  await at.create(csv({ install: { permissions } }));
  const found = await at.reaches('Failed/InvalidInstallStrategy');
  expect(found.status?.message).toBe('install strategy invalid: rule invalid: policy rule must have at least one verb');
  const valid = [{ serviceAccountName: 'boat', rules: [rule] }];
  await at.patch(operatorKinds.csv, 'boat.v0.1.0', { spec: { install: { spec: { permissions: valid } } } });
  const after = await at.reaches(succeeded);
  expect(historyOf(after).slice(0, 3)).toEqual([
    'Pending/RequirementsUnknown',
    'Failed/InvalidInstallStrategy',
    'Pending/NeedsReinstall',
  ]);
});

test('a Deployment that the API server refuses fails the operator once, until it is corrected', async () => {
  const at = await cluster.world('refused');
  await at.create(crd());
  await at.group();
  await at.create(csv({ install: { deployments: [{ ...deployment(), name: 'Not A Name' }] } }));
  const found = await at.reaches('Failed/InstallComponentFailed');
  expect(found.status?.message).toMatch(/^install strategy failed: Deployment\.apps "Not A Name" is invalid/);
  await at.patch(operatorKinds.csv, 'boat.v0.1.0', { spec: { install: { spec: { deployments: [deployment()] } } } });
  const after = await at.reaches(succeeded);
  expect(historyOf(after).filter((entry) => entry === 'Failed/InstallComponentFailed')).toHaveLength(1);
});

test('the configuration of the Subscription is in the first version of the Deployment, and changes are applied', async () => {
  const at = await cluster.world('config');
  await at.create(crd());
  await at.group();
  const spec = { name: 'boat', source: 'shop', sourceNamespace: '$id-a' };
  const config = { env: [{ name: 'LOG', value: 'debug' }], nodeSelector: { disk: 'ssd' } };
  const node = { apiVersion: 'v1', kind: 'Node', name: 'longshore' };
  await cluster.kube.patch(node, { metadata: { labels: { disk: 'ssd' } } }, { fieldManager: 'test' });
  const metadata = { name: 'boat', namespace: '$id-a' };
  await at.create({ ...operatorKinds.subscription, metadata, spec: { ...spec, config } });
  const status = { currentCSV: 'boat.v0.1.0', lastUpdated: '2026-01-01T00:00:00Z' };
  const ref = { ...operatorKinds.subscription, name: 'boat', namespace: at.place() };
  await cluster.kube.patch(ref, { status }, { fieldManager: 'test', subresource: 'status' });
  await at.create(csv());
  await at.reaches(succeeded);
  expect((await at.deployment()).metadata.generation).toBe(1);
  expect(await podOf(at)).toMatchObject({
    nodeSelector: { disk: 'ssd' },
    containers: [{ env: [{ name: 'LOG', value: 'debug' }, { name: 'OPERATOR_CONDITION_NAME' }] }],
  });
  await at.patch(operatorKinds.subscription, 'boat', { spec: { config: { nodeSelector: null } } });
  await eventually(async () => expect(await podOf(at)).not.toHaveProperty('nodeSelector'));
  await at.reaches(succeeded);
});

test('the service account of the group installs: it must exist, and have the permission', async () => {
  const at = await cluster.world('scoped');
  await at.create(crd());
  await at.group(group({ spec: { serviceAccountName: 'boat' } }));
  await at.create(csv());
  const missing = await at.reaches('Failed/InstallComponentFailed');
  expect(missing.status?.message).toBe(
    'install strategy failed: please make sure the service account exists. sa=boat operatorgroup=scoped-a/group',
  );
  await at.create(account);
  const forbidden = await at.reaches('Failed/InstallComponentFailedNoRetry');
  expect(forbidden.status?.message).toMatch(/^install strategy failed: deployments\.apps is forbidden: User "system:/);
  await expect(at.deployment()).rejects.toSatisfy(isNotFound);
  const verbs = ['get', 'create', 'update', 'delete'];
  await at.create(...role('boat', [{ apiGroups: ['apps'], resources: ['deployments'], verbs }]));
  const found = await at.reaches(succeeded);
  expect(historyOf(found)).toContain('Pending/DetectedClusterChange');
  expect(historyOf(found).filter((entry) => entry === 'Failed/InstallComponentFailedNoRetry')).toHaveLength(1);
});

test('a Deployment of another operator is not taken over', async () => {
  const at = await cluster.world('foreign');
  await at.create(crd(), crd('Dock'));
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  await at.create(csv({ name: 'dock.v0.1.0', kind: 'Dock' }));
  const found = await at.reaches('Failed/InstallComponentFailed', 'dock.v0.1.0');
  expect(found.status?.message).toMatch(/belongs to ClusterServiceVersion "boat\.v0\.1\.0"/);
  const { metadata } = await at.deployment();
  expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['boat.v0.1.0']);
  await at.delete(operatorKinds.csv, 'boat.v0.1.0');
  await at.reaches(succeeded, 'dock.v0.1.0');
});

test('with the operator its cluster-wide permissions are deleted, and its definitions are not', async () => {
  const at = await cluster.world('cleanup');
  const other = await cluster.world('cleanup-b');
  await other.create(csv());
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const labels = {
    'olm.owner': 'boat.v0.1.0',
    'olm.owner.namespace': '$id-a',
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  const kind = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole' };
  await at.create({ ...kind, metadata: { name: '$id-own', labels }, rules: [] });
  await at.create({
    ...kind,
    metadata: { name: '$id-other', labels: { ...labels, 'olm.owner.namespace': 'cleanup-b-a' } },
  });
  await at.delete(operatorKinds.csv, 'boat.v0.1.0');
  await at.isDeleted('boat.v0.1.0');
  await expect(cluster.kube.get({ ...kind, name: 'cleanup-own' })).rejects.toSatisfy(isNotFound);
  await cluster.kube.get({ ...kind, name: 'cleanup-other' });
  await cluster.kube.get({ ...operatorKinds.definition, name: 'boats.cleanup.example.com' });
  await eventually(() => expect(at.deployment()).rejects.toSatisfy(isNotFound));
});

test('a failed operator is replaced only where the group allows it', async () => {
  const at = await cluster.world('forward');
  await at.create(crd());
  await at.group();
  await at.create(csv({ install: { deployments: [{ ...deployment(), name: 'Not A Name' }] } }));
  await at.reaches('Failed/InstallComponentFailed');
  await at.create(csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }));
  await at.reaches('Pending/RequirementsUnknown', 'boat.v0.2.0');
  await at.patch(operatorKinds.group, 'group', { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } });
  await at.reaches(succeeded, 'boat.v0.2.0');
  await at.isDeleted('boat.v0.1.0');
});

test('the metrics name each operator and what is wrong with it', async () => {
  const at = await cluster.world('metrics');
  await at.create(crd());
  await at.create(csv());
  await at.reaches('Failed/NoOperatorGroup');
  const labels = 'namespace="metrics-a",name="boat.v0.1.0",version="0.1.0"';
  const abnormal = `csv_abnormal{${labels},phase="Failed",reason="NoOperatorGroup"} 1`;
  await eventually(async () => {
    const lines = (await cluster.metrics.show()).text.split('\n');
    expect(lines).toEqual(expect.arrayContaining([abnormal, `csv_succeeded{${labels}} 0`]));
  });
  await at.group();
  await at.reaches(succeeded);
  await eventually(async () => {
    const { text } = await cluster.metrics.show();
    expect(text).not.toContain('csv_abnormal{namespace="metrics-a"');
    expect(text).toContain(`csv_succeeded{${labels}} 1`);
  });
});
