import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterExtensionResource } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { extensionCheck } from './extensions.ts';
import type { Finding, Patient } from './finding.ts';

const user = { fieldManager: 'test' };
const { apiVersion, kind } = clusterExtensionResource;
const stuckMs = 60_000;

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function findings(afterMs = 0): Promise<readonly Finding[]> {
  const signal = AbortSignal.timeout(30_000);
  const nowMs = Date.now() + afterMs;
  const patient: Patient = { kube: cluster.kube, systemNamespace: 'default', nowMs, stuckMs, signal };
  return await extensionCheck.examine(patient);
}

const condition = (type: string, [status, reason, message]: readonly [string, string, string]): JsonObject => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: new Date().toISOString(),
});

/** The findings about one ClusterExtension with these conditions. */
async function findingsFor(conditions: readonly JsonObject[], afterMs = 0): Promise<readonly Finding[]> {
  const source = { sourceType: 'Catalog', catalog: { packageName: 'tide' } };
  const metadata = { name: 'tide' };
  const { kube } = cluster;
  await kube.create({ apiVersion, kind, metadata, spec: { namespace: 'default', source } }, user);
  await kube.patch(
    { apiVersion, kind, name: 'tide' },
    { status: { conditions: [...conditions] } },
    { ...user, subresource: 'status' },
  );
  const found = await findings(afterMs);
  await kube.delete({ apiVersion, kind, name: 'tide' });
  return found;
}

const done = condition('Progressing', ['True', 'Succeeded', 'Desired state reached']);

test('a cluster without the kind is left to the check of kinds', async () => {
  expect(await findings()).toEqual([]);
  for (const crd of await readCrds()) await cluster.kube.apply(crd as never, user);
  expect(await findings()).toEqual([{ level: 'ok', what: '0 ClusterExtensions: none is stuck or deprecated' }]);
});

test.each([
  {
    conditions: [condition('Progressing', ['False', 'Blocked', 'spec is wrong'])],
    what: 'ClusterExtension tide: Blocked: spec is wrong',
    advice: 'correct its spec',
  },
  {
    conditions: [condition('Progressing', ['True', 'Retrying', 'no package "tide" found'])],
    what: 'ClusterExtension tide: Retrying: no package "tide" found',
    advice: 'kubectl describe clusterextension tide',
  },
  {
    conditions: [condition('Progressing', ['True', 'Retrying', 'serviceaccount "a/b" lacks permissions: x'])],
    what: 'ClusterExtension tide: Retrying: serviceaccount "a/b" lacks permissions: x',
    advice: 'longshore permissions clusterextension/tide',
  },
  {
    conditions: [done, condition('Deprecated', ['True', 'Deprecated', 'use wave'])],
    what: 'ClusterExtension tide: deprecated: use wave',
    advice: 'spec.source.catalog',
  },
])('a problem is reported with advice: $what', async ({ conditions, what, advice }) => {
  const found = await findingsFor(conditions);
  expect(found).toEqual([{ level: 'warn', what, advice: expect.stringContaining(advice) as string }]);
});

test('a rollout is no problem before it takes long', async () => {
  const conditions = [condition('Progressing', ['True', 'RollingOut', 'waiting for Pods'])];
  expect(await findingsFor(conditions)).toEqual([expect.objectContaining({ level: 'ok' })]);
  expect(await findingsFor(conditions, 2 * stuckMs)).toEqual([
    expect.objectContaining({ what: 'ClusterExtension tide: RollingOut for 2 minutes: waiting for Pods' }),
  ]);
});

test('one that is not reconciled is reported', async () => {
  expect(await findingsFor([])).toEqual([expect.objectContaining({ level: 'ok' })]);
  expect(await findingsFor([], 2 * stuckMs)).toEqual([
    expect.objectContaining({ level: 'fail', what: 'ClusterExtension tide: not reconciled yet' }),
  ]);
});

test('one that is held while it is deleted is reported with what holds it', async () => {
  const { kube } = cluster;
  const source = { sourceType: 'Catalog', catalog: { packageName: 'tide' } };
  const metadata = { name: 'held', finalizers: ['example.com/forever'] };
  await kube.create({ apiVersion, kind, metadata, spec: { namespace: 'default', source } }, user);
  await kube.delete({ apiVersion, kind, name: 'held' });
  const [found, ...others] = await findings(2 * stuckMs);
  expect(others).toEqual([]);
  expect(found?.what).toMatch(/^ClusterExtension held: deleted .* ago, held by example\.com\/forever$/);
  expect(found?.advice).toContain('kubectl edit clusterextension held');
});
