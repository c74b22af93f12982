import { afterAll, beforeAll, expect, test } from 'vitest';
import { crd, csv, deployment, group, installModes } from '../../../test/olm/objects.ts';
import { eventually } from '../../../test/support/index.ts';
import {
  historyOf,
  type OperatorCluster,
  operatorKinds,
  startOperatorCluster,
  stepsOf,
} from '../../../test/support/operator-world.ts';
import type { AddedController } from '../../controller/index.ts';
import { isNotFound } from '../../kube/index.ts';
import { addClusterServiceVersions } from './controller.ts';

const installed = [
  'Pending/RequirementsUnknown',
  'InstallReady/AllRequirementsMet',
  'Installing/InstallSucceeded',
  'Succeeded/InstallSucceeded',
];

let cluster: OperatorCluster;
let controller: AddedController;

beforeAll(async () => {
  cluster = await startOperatorCluster((manager) => {
    controller = addClusterServiceVersions(manager);
  });
});

afterAll(() => cluster[Symbol.asyncDispose]());

const succeeded = 'Succeeded/InstallSucceeded';

test('an operator with everything it needs passes through all phases, with few requests and none when idle', async () => {
  const at = await cluster.world('plain');
  await at.create(crd());
  await at.group();
  const before = await cluster.requests();
  await at.create(csv({ annotations: { note: 'of the CSV' } }));
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual(installed);
  expect(found.status?.requirementStatus).toMatchObject([{ kind: 'CustomResourceDefinition', status: 'Present' }]);
  expect(found.metadata.annotations).toMatchObject({ 'olm.operatorGroup': 'group', 'olm.targetNamespaces': 'plain-a' });
  expect(Object.keys(found.metadata.labels ?? {}).map((key) => key.replace(/[0-9a-f]+$/, ''))).toEqual(['olm.api.']);
  const { metadata, spec } = await at.deployment();
  expect(metadata.labels).toMatchObject({ 'olm.owner': 'boat.v0.1.0', 'olm.managed': 'true' });
  expect(spec).toMatchObject({
    template: {
      metadata: { annotations: { note: 'of the CSV', 'olm.targetNamespaces': 'plain-a' } },
      spec: { containers: [{ env: [{ name: 'OPERATOR_CONDITION_NAME', value: 'boat.v0.1.0' }] }] },
    },
  });
  const quiet = async (): Promise<number> => {
    const one = await cluster.requests();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await cluster.requests()).toBe(one);
    return one;
  };
  const used = await eventually(quiet);
  // One for metadata, one for the group, four for the status, one for the Deployment, and four Events; more while the Deployment is not ready yet.
  expect(used - before).toBeLessThanOrEqual(17);
  controller.enqueueAll();
  await eventually(async () => {
    expect((await cluster.metrics.show()).text).toMatch(
      /longshore_queue_depth\{controller="clusterserviceversion"\} 0/,
    );
  });
  expect(await quiet()).toBe(used);
});

test('operators that come at once take no more requests each than one alone', async () => {
  const at = await cluster.world('crowd');
  const names = ['boat', 'ship', 'raft', 'ferry', 'canoe', 'kayak'];
  const kindOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  await at.create(...names.map((name) => crd(kindOf(name))));
  const versions = names.map((name) => csv({ name, kind: kindOf(name), install: { deployments: [deployment(name)] } }));
  await at.create(...versions);
  for (const name of names) await at.reaches('Failed/NoOperatorGroup', name);
  const before = await cluster.requests();
  await at.group();
  for (const name of names) await at.reaches(succeeded, name);
  const { annotations } = (await cluster.kube.get({ ...operatorKinds.group, name: 'group', namespace: 'crowd-a' }))
    .metadata;
  expect(annotations?.['olm.providedAPIs']?.split(',')).toHaveLength(names.length);
  expect((await cluster.requests()) - before).toBeLessThanOrEqual(names.length * 17);
});

test('a Deployment that was deleted is created again', async () => {
  const at = await cluster.world('deleted');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const { metadata } = await at.deployment();
  await at.delete(operatorKinds.deployment, 'boat');
  await eventually(async () => expect((await at.deployment()).metadata.uid).not.toBe(metadata.uid));
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual([
    ...installed,
    'Failed/ComponentUnhealthy',
    'Pending/NeedsReinstall',
    ...installed.slice(1),
  ]);
});

test('an edited install strategy is applied in place, and what it no longer lists is deleted', async () => {
  const at = await cluster.world('edited');
  await at.create(crd());
  await at.group();
  await at.create(csv({ install: { deployments: [deployment(), deployment('oar')] } }));
  await at.reaches(succeeded);
  const deployments = [deployment('boat', 'registry.example/boat:2')];
  await at.patch(operatorKinds.csv, 'boat.v0.1.0', { spec: { install: { spec: { deployments } } } });
  await eventually(async () => {
    const { spec } = await at.deployment();
    expect(spec).toMatchObject({ template: { spec: { containers: [{ image: 'registry.example/boat:2' }] } } });
    await expect(at.deployment('oar')).rejects.toSatisfy(isNotFound);
  });
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual([...installed, 'InstallReady/ComponentUnhealthy', ...installed.slice(2)]);
});

test('the hash label and annotations of Pods are corrected, other Deployments are left alone', async () => {
  const at = await cluster.world('drift');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const annotations = { 'olm.targetNamespaces': '' };
  await at.patch(operatorKinds.deployment, 'boat', { spec: { template: { metadata: { annotations } } } });
  await eventually(async () => {
    const { spec } = await at.deployment();
    expect(spec).toMatchObject({ template: { metadata: { annotations: { 'olm.targetNamespaces': 'drift-a' } } } });
  });
  await at.patch(operatorKinds.deployment, 'boat', { metadata: { labels: { 'olm.deployment-spec-hash': 'x' } } });
  await eventually(async () =>
    expect((await at.deployment()).metadata.labels?.['olm.deployment-spec-hash']).not.toBe('x'),
  );
  await at.reaches(succeeded);
});

test('three versions that replace one another leave the last one', async () => {
  const upgrades = async (): Promise<number> =>
    Number(/^csv_upgrade_count (\d+)$/m.exec((await cluster.metrics.show()).text)?.[1] ?? 0);
  const before = await upgrades();
  const at = await cluster.world('chain');
  await at.create(crd());
  await at.group();
  await at.create(csv(), csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }));
  await at.create(csv({ name: 'boat.v0.3.0', spec: { replaces: 'boat.v0.2.0' } }));
  const found = await at.reaches(succeeded, 'boat.v0.3.0');
  await at.isDeleted('boat.v0.1.0');
  await at.isDeleted('boat.v0.2.0');
  expect(stepsOf(found)).toEqual(installed);
  const { metadata } = await at.deployment();
  expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['boat.v0.3.0']);
  expect((await upgrades()) - before).toBe(2);
});

test('an operator that may not be upgraded holds its successor', async () => {
  const at = await cluster.world('gate');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const condition = { type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'migrating' };
  await at.create({
    apiVersion: 'operators.coreos.com/v2',
    kind: 'OperatorCondition',
    metadata: { name: 'boat.v0.1.0', namespace: '$id-a' },
    spec: { overrides: [condition] },
  });
  await at.create(csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }));
  const held = await at.reaches('Pending/OperatorConditionNotUpgradeable', 'boat.v0.2.0');
  expect(held.status?.message).toBe('operator is not upgradeable: the operator is not upgradeable: migrating');
  await at.reaches('Replacing/BeingReplaced');
  await at.patch({ apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' }, 'boat.v0.1.0', {
    spec: { overrides: null },
  });
  await at.reaches(succeeded, 'boat.v0.2.0');
  await at.isDeleted('boat.v0.1.0');
});

test('what an operator reports just before its successor appears holds that', async () => {
  const at = await cluster.world('late');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const condition = {
    type: 'Upgradeable',
    status: 'False',
    reason: 'Busy',
    message: 'migrating',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  // No controller puts it into the status here.
  await at.create(
    {
      apiVersion: 'operators.coreos.com/v2',
      kind: 'OperatorCondition',
      metadata: { name: 'boat.v0.1.0', namespace: '$id-a' },
      spec: { conditions: [condition] },
    },
    csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }),
  );
  const held = await at.reaches('Pending/OperatorConditionNotUpgradeable', 'boat.v0.2.0');
  expect(held.status?.message).toBe('operator is not upgradeable: the operator is not upgradeable: migrating');
});

test('a definition that is missing is waited for, and its deletion is noticed', async () => {
  const at = await cluster.world('definition');
  await at.group();
  await at.create(csv());
  const waiting = await at.reaches('Pending/RequirementsNotMet');
  expect(waiting.status?.requirementStatus).toMatchObject([{ status: 'NotPresent', message: 'CRD is not present' }]);
  await at.create(crd());
  await at.reaches(succeeded);
  await at.delete(operatorKinds.definition, 'boats.definition.example.com', '');
  const again = await at.reaches('Pending/RequirementsNotMet');
  expect(stepsOf(again).slice(-2)).toEqual(['Failed/RequirementsNotMet', 'Pending/RequirementsNotMet']);
  await at.create(crd());
  await at.reaches(succeeded);
});

test('without a group, and with two, an operator fails; with one it is installed', async () => {
  const at = await cluster.world('groups');
  await at.create(crd(), csv());
  expect(historyOf(await at.reaches('Failed/NoOperatorGroup'))).toEqual(['Failed/NoOperatorGroup']);
  await at.group();
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual(['Failed/NoOperatorGroup', ...installed]);
  await at.group(group({ name: 'other' }));
  await at.reaches('Failed/TooManyOperatorGroups');
  await at.delete(operatorKinds.group, 'other');
  await at.reaches(succeeded);
});

test('install modes that exclude the targets are refused, until they are edited', async () => {
  const at = await cluster.world('modes');
  await at.create(crd());
  await at.group();
  await at.create(csv({ spec: { installModes: installModes('AllNamespaces') } }));
  await at.reaches('Failed/UnsupportedOperatorGroup');
  await at.patch(operatorKinds.csv, 'boat.v0.1.0', { spec: { installModes: installModes('OwnNamespace') } });
  await at.reaches(succeeded);
});

test('a group without targets installs nothing, and its annotation does not mean all namespaces', async () => {
  const at = await cluster.world('nothing');
  await at.create(crd());
  await at.group(group({ targets: [] }), []);
  await at.create(csv());
  const found = await at.reaches('Failed/NoTargetNamespaces');
  expect(found.metadata.annotations).not.toHaveProperty('olm.targetNamespaces');
});

test('of two groups with a common target, the later one may not provide the same API', async () => {
  const at = await cluster.world('conflict', 'b');
  await at.create(crd());
  await at.group(group({ namespace: 'b', targets: ['b'] }), ['b']);
  await at.create(csv({ namespace: 'b' }));
  await at.reaches(succeeded, 'boat.v0.1.0', 'b');
  await at.group(group({ targets: ['b'] }), ['b']);
  await at.create(csv());
  await at.reaches('Failed/InterOperatorGroupOwnerConflict');
  await at.delete(operatorKinds.group, 'group', 'b');
  await at.reaches(succeeded);
  await at.reaches('Failed/NoOperatorGroup', 'boat.v0.1.0', 'b');
});

test('two operators of a namespace do not own one definition, and the second fails without a loop', async () => {
  const at = await cluster.world('owner');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  await at.create(csv({ name: 'ship.v0.1.0', install: { deployments: [deployment('ship')] } }));
  const found = await at.reaches('Failed/OwnerConflict', 'ship.v0.1.0');
  expect(historyOf(found)).toEqual(['Pending/RequirementsUnknown', 'Failed/OwnerConflict']);
  await at.delete(operatorKinds.csv, 'boat.v0.1.0');
  await at.reaches(succeeded, 'ship.v0.1.0');
  await at.isDeleted('boat.v0.1.0');
});
