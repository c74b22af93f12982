import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterExtensionResource } from '../../src/api/index.ts';
import {
  type BareCluster,
  eventually,
  examined,
  examinedCondition,
  openBareCluster,
} from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { extensionCheck } from './extensions.ts';

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const spec = { namespace: 'default', source: { sourceType: 'Catalog', catalog: { packageName: 'tide' } } };
const { stuckMs, findings, findingsFor, findingsWhileHeld } = examined(() => cluster, extensionCheck, {
  ...clusterExtensionResource,
  spec,
});

const done = examinedCondition('Progressing', ['True', 'Succeeded', 'Desired state reached']);

describe('ClusterExtensions that are examined', { shuffle: false }, () => {
  test('a cluster without the kind is left to the check of kinds', async () => {
    expect(await findings()).toEqual([]);
    for (const crd of await readCrds()) await cluster.kube.apply(crd as never, { fieldManager: 'test' });
    const none = { level: 'ok', what: '0 ClusterExtensions: none is stuck or deprecated' };
    await eventually(async () => expect(await findings()).toEqual([none]));
  });

  test.each([
    {
      conditions: [examinedCondition('Progressing', ['False', 'Blocked', 'spec is wrong'])],
      what: 'ClusterExtension tide: Blocked: spec is wrong',
      advice: 'correct its spec',
    },
    {
      conditions: [examinedCondition('Progressing', ['True', 'Retrying', 'no package "tide" found'])],
      what: 'ClusterExtension tide: Retrying: no package "tide" found',
      advice: 'kubectl describe clusterextension tide',
    },
    {
      conditions: [examinedCondition('Progressing', ['True', 'Retrying', 'serviceaccount "a/b" lacks permissions: x'])],
      what: 'ClusterExtension tide: Retrying: serviceaccount "a/b" lacks permissions: x',
      advice: 'longshore permissions clusterextension/tide',
    },
    {
      conditions: [
        examinedCondition('Progressing', [
          'True',
          'Retrying',
          'lacks permissions (longshore permissions bd/tide-wave prints them), (longshore permissions clusterextension/tide prints them)',
        ]),
      ],
      what: 'ClusterExtension tide: Retrying: lacks permissions (longshore permissions bd/tide-wave prints them), (longshore permissions clusterextension/tide prints them)',
      advice: 'printed by: longshore permissions bd/tide-wave, longshore permissions clusterextension/tide',
    },
    {
      conditions: [done, examinedCondition('Deprecated', ['True', 'Deprecated', 'use wave'])],
      what: 'ClusterExtension tide: deprecated: use wave',
      advice: 'spec.source.catalog',
    },
  ])('a problem is reported with advice: $what', async ({ conditions, what, advice }) => {
    const found = await findingsFor(conditions);
    expect(found).toEqual([{ level: 'warn', what, advice: expect.stringContaining(advice) as string }]);
  });

  test('a rollout is no problem before it takes long', async () => {
    const conditions = [examinedCondition('Progressing', ['True', 'RollingOut', 'waiting for Pods'])];
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
    const [found, ...others] = await findingsWhileHeld(2 * stuckMs);
    expect(others).toEqual([]);
    expect(found?.what).toMatch(/^ClusterExtension held: deleted .* ago, held by example\.com\/forever$/);
    expect(found?.advice).toContain('kubectl edit clusterextension held');
  });
});
