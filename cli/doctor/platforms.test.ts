import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { platformOperatorResource } from '../../src/api/index.ts';
import {
  type BareCluster,
  eventually,
  examined,
  examinedCondition,
  openBareCluster,
} from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { platformCheck } from './platforms.ts';

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const spec = { package: { name: 'tide' } };
const { stuckMs, findings, findingsFor, findingsWhileHeld } = examined(() => cluster, platformCheck, {
  ...platformOperatorResource,
  spec,
});

const installed = examinedCondition('Installed', ['True', 'InstallSuccessful', 'applied']);

describe('PlatformOperators that are examined', { shuffle: false }, () => {
  test('a cluster without the kind is left to the check of kinds', async () => {
    expect(await findings()).toEqual([]);
    for (const crd of await readCrds()) await cluster.kube.apply(crd as never, { fieldManager: 'test' });
    const none = { level: 'ok', what: '0 PlatformOperators: none is stuck or deprecated' };
    await eventually(async () => expect(await findings()).toEqual([none]));
  });

  test.each([
    {
      conditions: [examinedCondition('Installed', ['False', 'SourceFailed', 'no package "tide" found'])],
      what: 'PlatformOperator tide: SourceFailed: no package "tide" found',
      advice: 'add a ClusterCatalog that has the package',
    },
    {
      conditions: [examinedCondition('Installed', ['False', 'InstallFailed', 'the account may not create it'])],
      what: 'PlatformOperator tide: InstallFailed: the account may not create it',
      advice: 'kubectl describe platformoperator tide',
    },
    {
      conditions: [installed, examinedCondition('UpToDate', ['False', 'UpdateBlocked', 'tide.v2 requires wave'])],
      what: 'PlatformOperator tide: its update is blocked: tide.v2 requires wave',
      advice: 'spec.upgradePolicy None',
    },
    {
      conditions: [installed, examinedCondition('Deprecated', ['True', 'Deprecated', 'use wave'])],
      what: 'PlatformOperator tide: deprecated: use wave',
      advice: 'follow the message',
    },
  ])('a problem is reported with advice: $what', async ({ conditions, what, advice }) => {
    const found = await findingsFor(conditions);
    expect(found).toEqual([{ level: 'warn', what, advice: expect.stringContaining(advice) as string }]);
  });

  test('an update that is available, or waits, is no problem', async () => {
    const available = examinedCondition('UpToDate', ['False', 'UpdateAvailable', 'tide.v2 is available']);
    expect(await findingsFor([installed, available])).toEqual([expect.objectContaining({ level: 'ok' })]);
  });

  test('an installation is no problem before it takes long', async () => {
    const conditions = [examinedCondition('Installed', ['False', 'InstallPending', 'waiting for Pods'])];
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
    const [found, ...others] = await findingsWhileHeld(2 * stuckMs);
    expect(others).toEqual([]);
    expect(found?.what).toMatch(/^PlatformOperator held: deleted .* ago, held by example\.com\/forever$/);
    expect(found?.advice).toContain('kubectl edit platformoperator held');
  });
});
