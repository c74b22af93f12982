import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { createNamespace, openOlmCluster, runControllers } from '../../../test/support/olm-cluster.ts';
import type { JsonObject } from '../../base/index.ts';
import { conditionsOf } from '../../kube/index.ts';
import { addOlmConfig } from './controller.ts';

const user = { fieldManager: 'test' };
const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const configKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig' };

let cluster: BareCluster;
let controllers: AsyncDisposable;

beforeAll(async () => {
  cluster = await openOlmCluster();
  controllers = await runControllers(cluster.kube, (manager) =>
    addOlmConfig(manager, { protectedNamespaces: ['web'] }),
  );
});

afterAll(async () => {
  await controllers[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function createVersion(namespace: string, labels: Record<string, string> = {}): Promise<void> {
  const annotations = {
    'olm.operatorGroup': 'global',
    'olm.operatorNamespace': 'operators',
    'olm.targetNamespaces': '',
  };
  const install = { strategy: 'deployment', spec: { deployments: [] } };
  const installModes = [{ type: 'AllNamespaces', supported: true }];
  const metadata = { name: 'boat.v1', namespace, labels, annotations };
  await cluster.kube.create({ ...csvKind, metadata, spec: { displayName: 'Boat', install, installModes } }, user);
  const status = { phase: 'Succeeded', reason: labels['olm.copiedFrom'] === undefined ? 'InstallSucceeded' : 'Copied' };
  const ref = { ...csvKind, namespace, name: 'boat.v1' };
  await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

const copyTo = (namespace: string): Promise<void> => createVersion(namespace, { 'olm.copiedFrom': 'operators' });
const deleteCopy = (namespace: string) => cluster.kube.delete({ ...csvKind, namespace, name: 'boat.v1' });

async function reports(status: string, reason: string, message: string): Promise<void> {
  await eventually(async () => {
    const [condition, ...others] = conditionsOf(await cluster.kube.get({ ...configKind, name: 'cluster' }));
    expect(others).toEqual([]);
    expect(condition).toMatchObject({ type: 'DisabledCopiedCSVs', status, reason, message });
    expect(condition).not.toHaveProperty('observedGeneration');
  });
}

const setFeatures = (features: JsonObject) =>
  cluster.kube.patch({ ...configKind, name: 'cluster' }, { spec: { features } }, user);

test('E-064 the condition follows the copies of operators for all namespaces', { tags: 'long' }, async () => {
  for (const name of ['operators', 'web', 'shop']) await createNamespace(cluster.kube, name);
  await cluster.kube.create({ ...configKind, metadata: { name: 'cluster' } }, user);
  await cluster.kube.create({ ...configKind, metadata: { name: 'other' } }, user);
  await reports('False', 'CopiedCSVsEnabled', 'Copied CSVs are enabled and present across the cluster');

  await cluster.kube.create({ ...groupKind, metadata: { name: 'global', namespace: 'operators' }, spec: {} }, user);
  const status = { lastUpdated: '2030-01-01T00:00:00Z', namespaces: [''] };
  const group = { ...groupKind, namespace: 'operators', name: 'global' };
  await cluster.kube.patch(group, { status }, { ...user, subresource: 'status' });
  await createVersion('operators');
  const missing = 'Copied CSVs are enabled and at least one copied CSVs is missing';
  await reports('False', 'CopiedCSVsEnabled', missing);
  const namespaces = (await cluster.kube.list({ apiVersion: 'v1', kind: 'Namespace' })).items;
  const others = namespaces.map(({ metadata }) => metadata.name ?? '').filter((name) => name !== 'operators');
  for (const name of others) await copyTo(name);
  await reports('False', 'CopiedCSVsEnabled', 'Copied CSVs are enabled and present across the cluster');
  await deleteCopy('shop');
  await reports('False', 'CopiedCSVsEnabled', missing);
  // An operator of its own has the name there: there can be no copy.
  await createVersion('shop');
  await reports('False', 'CopiedCSVsEnabled', 'Copied CSVs are enabled and present across the cluster');
  await deleteCopy('shop');

  await setFeatures({ disableCopiedCSVs: true });
  const left = 'at least one unexpected copied CSV was found for an operator installed in AllNamespace mode';
  await reports('False', 'CopiedCSVsDisabled', `Copied CSVs are disabled and ${left}`);
  for (const name of others.filter((one) => one !== 'shop' && one !== 'web')) await deleteCopy(name);
  const clean = 'no unexpected copied CSVs were found for operators installed in AllNamespace mode';
  await reports('True', 'CopiedCSVsDisabled', `Copied CSVs are disabled and ${clean}`);

  await copyTo('shop');
  await reports('False', 'CopiedCSVsDisabled', `Copied CSVs are disabled and ${left}`);
  await deleteCopy('shop');
  await reports('True', 'CopiedCSVsDisabled', `Copied CSVs are disabled and ${clean}`);
  expect((await cluster.kube.get({ ...configKind, name: 'other' }))['status']).toBeUndefined();
});
