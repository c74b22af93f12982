import { afterAll, beforeAll, expect, test } from 'vitest';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { type BareCluster } from '../../test/support/index.ts';
import { openOlmCluster } from '../../test/support/olm-cluster.ts';
import { prepare, undo } from './install.ts';

const user = { fieldManager: 'test' };
const namespaceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });
const groupRef = (namespace: string) => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  namespace,
  name: 'boat',
});

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openOlmCluster(['subscriptions', 'installplans', 'catalogsources']);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const request = (namespace: string, packageName = 'boat') => ({
  namespace,
  packageName,
  channel: 'stable',
  catalog: { namespace: 'olm', name: 'shop' },
  startingCsv: undefined,
  approval: 'Manual' as const,
  targetNamespaces: [],
  areTargetsNamed: false,
  installModes: [],
});

async function isThere(ref: Parameters<typeof findObject>[1]): Promise<boolean> {
  const found = await findObject(cluster.kube, ref);
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

test('an installation that is not confirmed leaves nothing', async () => {
  const { created } = await prepare(cluster.kube, request('unconfirmed'));
  await undo(cluster.kube, created);
  expect(await isThere(groupRef('unconfirmed'))).toBe(false);
  expect(await isThere(namespaceRef('unconfirmed'))).toBe(false);
});

test('what another installation has in the namespace meanwhile stays, with its namespace and group', async () => {
  const { created } = await prepare(cluster.kube, request('shared'));
  const other = await prepare(cluster.kube, request('shared', 'ferry'));
  await undo(cluster.kube, created);
  expect(await isThere(namespaceRef('shared'))).toBe(true);
  expect(await isThere(groupRef('shared'))).toBe(true);
  const { apiVersion, kind } = other.subscription as unknown as KubeObject;
  expect(await isThere({ apiVersion, kind, namespace: 'shared', name: 'ferry' })).toBe(true);
  expect(await isThere({ apiVersion, kind, namespace: 'shared', name: 'boat' })).toBe(false);
});

test('what users have made in the namespace meanwhile stays with it', async () => {
  const { created } = await prepare(cluster.kube, request('used'));
  const metadata = { namespace: 'used', name: 'data' };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } }, user);
  await undo(cluster.kube, created);
  expect(await isThere({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata })).toBe(true);
  expect(await isThere(namespaceRef('used'))).toBe(true);
});
