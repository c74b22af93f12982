import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import type { Finding, Patient } from './finding.ts';
import { olmCheck } from './olm.ts';

const user = { fieldManager: 'test' };
const sources = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
  const file = 'crds/olm/operators.coreos.com_catalogsources.yaml';
  await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list(sources));
});
afterAll(() => cluster[Symbol.asyncDispose]());

function deployment(namespace: string, name: string, args: readonly string[]): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'x', args: [...args] }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec };
}

async function findings(): Promise<readonly Finding[]> {
  const { kube } = cluster;
  const signal = AbortSignal.timeout(30_000);
  const patient: Patient = { kube, systemNamespace: 'default', nowMs: Date.now(), stuckMs: 60_000, signal };
  return await olmCheck.examine(patient);
}

test('whether Operator Lifecycle Manager runs, twice, or with catalogs that are not ready', async () => {
  const { kube } = cluster;
  expect(await findings()).toEqual([]);
  const other = await kube.create(deployment('default', 'olm-operator', []), user);
  expect(await findings()).toEqual([expect.objectContaining({ level: 'ok' })]);
  await kube.create(deployment('default', 'core', ['--olm']), user);
  expect(await findings()).toEqual([
    expect.objectContaining({ level: 'fail', what: expect.stringContaining('default/olm-operator') as string }),
  ]);
  await kube.delete({ ...other, name: 'olm-operator', namespace: 'default' });
  const metadata = { name: 'broken', namespace: 'default' };
  await kube.create({ ...sources, metadata, spec: { sourceType: 'grpc', address: 'localhost:1' } }, user);
  await eventually(async () => {
    expect(await findings()).toEqual([
      expect.objectContaining({ level: 'warn', what: expect.stringContaining('default/broken') as string }),
    ]);
  });
});
