import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformOperatorResource } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import type { Finding } from './finding.ts';
import { platformCheck } from './platforms.ts';

const user = { fieldManager: 'test' };
const { apiVersion, kind } = platformOperatorResource;
const spec = { package: { name: 'tide' } };
const stuckMs = 60_000;

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function findings(afterMs = 0): Promise<readonly Finding[]> {
  const signal = AbortSignal.timeout(30_000);
  const { kube } = cluster;
  return await platformCheck.examine({
    kube,
    systemNamespace: 'default',
    nowMs: Date.now() + afterMs,
    stuckMs,
    signal,
  });
}

const condition = (type: string, [status, reason, message]: readonly [string, string, string]): JsonObject => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: new Date().toISOString(),
});

/** The findings about one PlatformOperator with these conditions. */
async function findingsFor(conditions: readonly JsonObject[], afterMs = 0): Promise<readonly Finding[]> {
  const { kube } = cluster;
  const ref = { apiVersion, kind, name: 'tide' };
  await kube.create({ apiVersion, kind, metadata: { name: 'tide' }, spec }, user);
  await kube.patch(ref, { status: { conditions: [...conditions] } }, { ...user, subresource: 'status' });
  const found = await findings(afterMs);
  await kube.delete(ref);
  return found;
}

const installed = condition('Installed', ['True', 'InstallSuccessful', 'applied']);

test('a cluster without the kind is left to the check of kinds', async () => {
  expect(await findings()).toEqual([]);
  for (const crd of await readCrds()) await cluster.kube.apply(crd as never, user);
  expect(await findings()).toEqual([{ level: 'ok', what: '0 PlatformOperators: none is stuck or deprecated' }]);
});

test.each([
  {
    conditions: [condition('Installed', ['False', 'SourceFailed', 'no package "tide" found'])],
    what: 'PlatformOperator tide: SourceFailed: no package "tide" found',
    advice: 'add a ClusterCatalog that has the package',
  },
  {
    conditions: [condition('Installed', ['False', 'InstallFailed', 'the account may not create it'])],
    what: 'PlatformOperator tide: InstallFailed: the account may not create it',
    advice: 'kubectl describe platformoperator tide',
  },
  {
    conditions: [installed, condition('UpToDate', ['False', 'UpdateBlocked', 'tide.v2 requires wave'])],
    what: 'PlatformOperator tide: its update is blocked: tide.v2 requires wave',
    advice: 'spec.upgradePolicy None',
  },
  {
    conditions: [installed, condition('Deprecated', ['True', 'Deprecated', 'use wave'])],
    what: 'PlatformOperator tide: deprecated: use wave',
    advice: 'follow the message',
  },
])('a problem is reported with advice: $what', async ({ conditions, what, advice }) => {
  const found = await findingsFor(conditions);
  expect(found).toEqual([{ level: 'warn', what, advice: expect.stringContaining(advice) as string }]);
});

test('an update that is available, or waits, is no problem', async () => {
  const available = condition('UpToDate', ['False', 'UpdateAvailable', 'tide.v2 is available']);
  expect(await findingsFor([installed, available])).toEqual([expect.objectContaining({ level: 'ok' })]);
});

test('an installation is no problem before it takes long', async () => {
  const conditions = [condition('Installed', ['False', 'InstallPending', 'waiting for Pods'])];
  expect(await findingsFor(conditions)).toEqual([expect.objectContaining({ level: 'ok' })]);
  expect(await findingsFor(conditions, 2 * stuckMs)).toEqual([
    expect.objectContaining({
      what: expect.stringMatching(/^PlatformOperator tide: InstallPending for .*: waiting for Pods$/) as string,
    }),
  ]);
});

test('one that is not reconciled is reported', async () => {
  expect(await findingsFor([])).toEqual([expect.objectContaining({ level: 'ok' })]);
  expect(await findingsFor([], 2 * stuckMs)).toEqual([
    expect.objectContaining({ level: 'fail', what: 'PlatformOperator tide: not reconciled yet' }),
  ]);
});

test('one that is held while it is deleted is reported with what holds it', async () => {
  const metadata = { name: 'held', finalizers: ['example.com/forever'] };
  await cluster.kube.create({ apiVersion, kind, metadata, spec }, user);
  await cluster.kube.delete({ apiVersion, kind, name: 'held' });
  const [found, ...others] = await findings(2 * stuckMs);
  expect(others).toEqual([]);
  expect(found?.what).toMatch(/^PlatformOperator held: deleted .* ago, held by example\.com\/forever$/);
  expect(found?.advice).toContain('kubectl edit platformoperator held');
});
