import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import { operatorPackage } from '../../../test/support/stub-operators.ts';
import {
  apiVersion,
  behaviour,
  cluster,
  condition,
  containing,
  csv,
  csvs,
  installed,
  kinds,
  main,
  manager,
  needsOar,
  ns,
  plans,
  reports,
  runSubscriptionsForEachTest,
  shop,
  start,
  stop,
  subscribe,
  subscription,
  user,
} from '../../../test/support/subscription-cluster.ts';
import type { JsonObject } from '../../base/index.ts';

runSubscriptionsForEachTest();

describe('a fresh installation', () => {
  test('C-011 C-069 the head of the channel is installed by a plan that the Subscription refers to', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await subscribe('boat', { channel: 'stable' });
    const { status, metadata } = await installed('boat', 'boat.v0.2.0');
    const [plan, ...others] = await plans();
    expect(others).toEqual([]);
    expect(plan).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^install-/) as string,
        labels: { [`operators.coreos.com/boat.${ns}`]: '' },
        ownerReferences: [
          { kind: 'Subscription', name: 'boat', uid: metadata.uid, controller: false, blockOwnerDeletion: false },
        ],
      },
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['boat.v0.2.0'], generation: 1 },
      status: { catalogSources: ['shop'] },
    });
    expect(status).toMatchObject({
      installPlanGeneration: 1,
      installPlanRef: { apiVersion, kind: 'InstallPlan', namespace: ns, name: plan?.metadata.name },
      installplan: { apiVersion, kind: 'InstallPlan', name: plan?.metadata.name, uuid: plan?.metadata.uid },
      catalogHealth: [{ healthy: true, catalogSourceRef: { kind: 'CatalogSource', name: 'shop', namespace: ns } }],
      conditions: [
        {
          type: 'CatalogSourcesUnhealthy',
          status: 'False',
          reason: 'AllCatalogSourcesHealthy',
          message: 'all available catalogsources are healthy',
        },
      ],
    });
    const { metadata: of, spec } = await csv('boat.v0.2.0');
    expect(spec.replaces).toBe('boat.v0.1.0');
    expect(of.annotations?.['operatorframework.io/properties']).toBe(
      '{"properties":[{"type":"olm.package","value":{"packageName":"boat","version":"0.2.0"}}]}',
    );
  });

  test('equal input leads to no write', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    const before = await installed('boat', 'boat.v0.1.0');
    await cluster.kube.patch({ ...kinds.CatalogSource, ...main() }, { spec: { displayName: 'Shop' } }, user);
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await cluster.kube.patch(
      { apiVersion: 'v1', kind: 'Namespace', name: ns },
      { metadata: { labels: { a: 'b' } } },
      user,
    );
    // What is subscribed to later has its status later.
    await subscribe('ghost');
    await reports('ghost', 'ResolutionFailed', { status: 'True' });
    await cluster.kube.delete({ ...kinds.Subscription, name: 'ghost', namespace: ns });
    await reports('boat', 'ResolutionFailed', undefined);
    const { status } = await subscription('boat');
    const { conditions: _set, lastUpdated: _time, ...rest } = status ?? { lastUpdated: '' };
    expect(before.status).toMatchObject(rest);
    expect(await plans()).toHaveLength(1);
  });

  test('C-013 E-042 a plan of a Manual Subscription waits for approval, one hop at a time', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await subscribe('boat', { startingCSV: 'boat.v0.1.0', installPlanApproval: 'Manual' });
    await reports('boat', 'InstallPlanPending', { status: 'True', reason: 'RequiresApproval' });
    for (const [index, expected] of ['boat.v0.1.0', 'boat.v0.2.0'].entries()) {
      const plan = await eventually(async () => {
        const found = (await plans())[index];
        expect(found?.status?.phase).toBe('RequiresApproval');
        return found;
      });
      expect(plan?.spec).toMatchObject({ approval: 'Manual', approved: false, clusterServiceVersionNames: [expected] });
      const name = plan?.metadata.name ?? '';
      await cluster.kube.patch({ ...kinds.InstallPlan, name, namespace: ns }, { spec: { approved: true } }, user);
      await eventually(async () => expect(await csvs()).toEqual([expected]));
    }
    await installed('boat', 'boat.v0.2.0');
  });

  test('E-041 a plan that is deleted before its approval is made again', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat', { installPlanApproval: 'Manual' });
    await reports('boat', 'InstallPlanPending', { reason: 'RequiresApproval' });
    const [plan] = await plans();
    await cluster.kube.delete({ ...kinds.InstallPlan, name: plan?.metadata.name ?? '', namespace: ns });
    await eventually(async () => {
      const [again] = await plans();
      expect(again?.metadata.uid).toBeDefined();
      expect(again?.metadata.uid).not.toBe(plan?.metadata.uid);
      expect((await subscription('boat')).status).toMatchObject({
        state: 'UpgradePending',
        installPlanRef: { name: again?.metadata.name },
        installPlanGeneration: again?.spec.generation,
      });
    });
  });

  test('E-036 a plan that was made before the process ended is found again', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat', { installPlanApproval: 'Manual' });
    await reports('boat', 'InstallPlanPending', { reason: 'RequiresApproval' });
    const before = await plans();
    stop.abort();
    await manager.whenStopped();
    const at = { ...kinds.Subscription, name: 'boat', namespace: ns };
    await cluster.kube.patch(at, { status: null }, { ...user, subresource: 'status' });
    const [plan] = before;
    const name = plan?.metadata.name ?? '';
    await cluster.kube.patch(
      { ...kinds.InstallPlan, name, namespace: ns },
      { status: null },
      { ...user, subresource: 'status' },
    );
    await start();
    await reports('boat', 'InstallPlanPending', { reason: 'RequiresApproval' });
    const after = await plans();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after[0]?.status?.plan).toEqual(plan?.status?.plan);
  });

  test('what a plan has installed that no Subscription could refer to, as the process had ended, is that of its Subscription', async () => {
    const boat = operatorPackage('boat', { stable: '0.1.0' }, { '0.1.0': needsOar });
    await shop.offer(main(), boat, operatorPackage('oar', { stable: '1.0.0' }));
    await subscribe('boat');
    const { status } = await installed('boat', 'boat.v0.1.0');
    stop.abort();
    await manager.whenStopped();
    const at = { ...kinds.Subscription, name: 'boat', namespace: ns };
    await cluster.kube.patch(at, { status: null }, { ...user, subresource: 'status' });
    await start();
    const found = await installed('boat', 'boat.v0.1.0');
    expect(condition(found, 'ResolutionFailed')).toBeUndefined();
    expect(found.status?.installPlanRef?.uid).toBe(status?.installPlanRef?.uid);
    expect(found.status?.installPlanGeneration).toBe(status?.installPlanGeneration);
    expect(await plans()).toHaveLength(1);
  });
});

describe('upgrades', () => {
  test('C-070 C-072 two hops lead to the head, and what is skipped is never installed', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    const drawing = '0.1.0; 0.2.0 <0.1.0; 0.3.0 <0.2.0; 0.4.0 <0.2.0 s:0.3.0';
    await shop.offer(main(), operatorPackage('boat', { stable: drawing }));
    await installed('boat', 'boat.v0.4.0');
    const names = (await plans()).map(({ spec }) => spec.clusterServiceVersionNames);
    expect(names).toEqual([['boat.v0.1.0'], ['boat.v0.2.0'], ['boat.v0.4.0']]);
    await eventually(async () => expect(await csvs()).toEqual(['boat.v0.4.0']));
    expect((await csv('boat.v0.4.0')).spec.replaces).toBe('boat.v0.2.0');
    await reports('boat', 'ResolutionFailed', undefined);
  });

  test('C-074 an update by skipRange replaces what is installed', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.3.0 R:>=0.1.0 <0.3.0' }));
    await installed('boat', 'boat.v0.3.0');
    expect((await csv('boat.v0.3.0')).spec.replaces).toBe('boat.v0.1.0');
  });

  test('an upgrade that is held up is reported, until it succeeds', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    behaviour.held.add('boat.v0.2.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await reports('boat', 'ResolutionFailed', {
      status: 'True',
      reason: 'ConstraintsNotSatisfiable',
      message: containing(
        `constraints not satisfiable: @existing/${ns}//boat.v0.1.0 and @existing/${ns}//boat.v0.2.0 originate from package boat, clusterserviceversion boat.v0.1.0 exists and is not referenced by a subscription, `,
      ),
    });
    behaviour.held.clear();
    await cluster.kube.patch(
      { ...kinds.ClusterServiceVersion, name: 'boat.v0.2.0', namespace: ns },
      { metadata: { labels: { again: 'yes' } } },
      user,
    );
    await installed('boat', 'boat.v0.2.0');
    await reports('boat', 'ResolutionFailed', undefined);
  });

  test('a failed version is left by fail-forward', async () => {
    const at = { ...kinds.OperatorGroup, name: 'group', namespace: ns };
    await cluster.kube.patch(at, { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } }, user);
    behaviour.failing.add('boat.v0.2.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await installed('boat', 'boat.v0.2.0');
    await reports('boat', 'ResolutionFailed', undefined);
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0; 0.3.0 <0.2.0' }));
    await installed('boat', 'boat.v0.3.0');
  });

  test('E-052 with fail-forward a failed plan is left for a version that skips it, not for one that replaces it', async () => {
    const at = { ...kinds.OperatorGroup, name: 'group', namespace: ns };
    await cluster.kube.patch(at, { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } }, user);
    behaviour.failingPlans.add('boat.v0.2.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await reports('boat', 'InstallPlanFailed', {
      status: 'True',
      reason: 'InstallComponentFailed',
      message: 'it broke',
    });
    await eventually(async () => expect((await subscription('boat')).status?.state).toBe('UpgradeFailed'));
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0; 0.3.0 <0.2.0' }));
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0; 0.4.0 <0.1.0 s:0.2.0 s:0.3.0' }));
    await installed('boat', 'boat.v0.4.0');
    expect((await plans()).flatMap(({ spec }) => spec.clusterServiceVersionNames)).not.toContain('boat.v0.3.0');
  });

  test('E-051 a Subscription that is switched to another package follows an update to it', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    const ship = operatorPackage('ship', { stable: '0.2.0' });
    const channels = [{ name: 'stable', entries: [{ name: 'ship.v0.2.0', replaces: 'boat.v0.1.0', skips: [] }] }];
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }), { ...ship, channels });
    await cluster.kube.patch({ ...kinds.Subscription, name: 'boat', namespace: ns }, { spec: { name: 'ship' } }, user);
    await installed('boat', 'ship.v0.2.0');
    await eventually(async () => expect(await csvs()).toEqual(['ship.v0.2.0']));
  });
});

describe('dependencies', () => {
  test('E-046 an unmet requirement is reported with its explanation, until it is met', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }, { '0.1.0': needsOar }));
    await subscribe('boat');
    await reports('boat', 'ResolutionFailed', {
      status: 'True',
      reason: 'ConstraintsNotSatisfiable',
      message: containing(
        `constraints not satisfiable: bundle boat.v0.1.0 requires an operator with package: oar and with version in range: >=1.0.0, subscription boat exists, subscription boat requires shop/${ns}/stable/boat.v0.1.0. Package boat cannot be resolved. `,
      ),
    });
    const events = await eventually(async () => {
      const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
      const found = items.filter((event) => (event['involvedObject'] as JsonObject)['name'] === ns);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(events).toMatchObject([
      { reason: 'ResolutionFailed', type: 'Warning', involvedObject: { kind: 'Namespace', name: ns } },
    ]);
    await shop.offer({ namespace: ns, name: 'other' }, operatorPackage('oar', { stable: '1.0.0' }));
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'ResolutionFailed', undefined);
    await installed(`oar-stable-other-${ns}`, 'oar.v1.0.0');
    expect((await subscription(`oar-stable-other-${ns}`)).spec).toEqual({
      name: 'oar',
      channel: 'stable',
      source: 'other',
      sourceNamespace: ns,
      startingCSV: 'oar.v1.0.0',
      installPlanApproval: 'Automatic',
    });
    expect(await plans()).toHaveLength(1);
  });

  test('E-045 a dependency comes from the catalog with the highest priority, and inherits the approval', async () => {
    await shop.offer({ namespace: ns, name: 'low' }, operatorPackage('oar', { stable: '1.0.0' }));
    await shop.offer({ namespace: 'olm', name: 'high', priority: 5 }, operatorPackage('oar', { stable: '1.1.0' }));
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }, { '0.1.0': needsOar }));
    await subscribe('boat', { installPlanApproval: 'Manual' });
    const [plan] = await eventually(async () => {
      const found = await plans();
      expect(found[0]?.status?.plan).toBeDefined();
      return found;
    });
    expect(plan?.spec.clusterServiceVersionNames.toSorted()).toEqual(['boat.v0.1.0', 'oar.v1.1.0']);
    const step = plan?.status?.plan?.find(({ resource }) => resource.kind === 'Subscription');
    expect(step?.resource.name).toBe('oar-stable-high-olm');
    expect(JSON.parse(step?.resource.manifest ?? '')).toMatchObject({ spec: { installPlanApproval: 'Manual' } });
  });

  test('a version that cannot be installed is passed over, and the Subscription reports it', async () => {
    const boat = operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }, { '0.2.0': needsOar });
    await shop.offer(main(), boat);
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'PreferredVersionPassedOver', {
      status: 'True',
      message: containing('boat 0.2.0 would be preferred, but cannot be installed: boat 0.2.0 needs package oar'),
    });
    await shop.offer(main(), boat, operatorPackage('oar', { stable: '1.0.0' }));
    await installed('boat', 'boat.v0.2.0');
    await reports('boat', 'PreferredVersionPassedOver', undefined);
  });

  test('E-047 what was installed by hand counts, and is not installed again', async () => {
    await cluster.kube.create(
      {
        ...kinds.ClusterServiceVersion,
        metadata: {
          name: 'oar.v1.0.0',
          namespace: ns,
          annotations: {
            'operatorframework.io/properties':
              '{"properties":[{"type":"olm.package","value":{"packageName":"oar","version":"1.0.0"}}]}',
          },
        },
        spec: { displayName: 'Oar', version: '1.0.0', install: { strategy: 'deployment' } },
      },
      user,
    );
    const oar = operatorPackage('oar', { stable: '1.0.0; 2.0.0 <1.0.0' });
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }, { '0.1.0': needsOar }), oar);
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    expect((await plans()).map(({ spec }) => spec.clusterServiceVersionNames)).toEqual([['boat.v0.1.0']]);
  });
});

test('Subscriptions that are created together get one plan', async () => {
  await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }), operatorPackage('oar', { stable: '1.0.0' }));
  await Promise.all([subscribe('boat'), subscribe('oar')]);
  await installed('boat', 'boat.v0.1.0');
  await installed('oar', 'oar.v1.0.0');
  const names = (await plans()).map(({ spec }) => spec.clusterServiceVersionNames.toSorted());
  expect(names).toEqual([['boat.v0.1.0', 'oar.v1.0.0']]);
});

test('a second Manual Subscription makes a plan for both, and the first keeps its own', async () => {
  await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }), operatorPackage('oar', { stable: '1.0.0' }));
  await subscribe('boat', { installPlanApproval: 'Manual' });
  await reports('boat', 'InstallPlanPending', { reason: 'RequiresApproval' });
  await subscribe('oar', { installPlanApproval: 'Manual' });
  await reports('oar', 'InstallPlanPending', { reason: 'RequiresApproval' });
  const [first, second] = await plans();
  expect(second).toMatchObject({
    metadata: { labels: { [`operators.coreos.com/oar.${ns}`]: '' } },
    spec: { clusterServiceVersionNames: ['boat.v0.1.0', 'oar.v1.0.0'], generation: 2 },
  });
  expect((await subscription('boat')).status?.installPlanRef?.name).toBe(first?.metadata.name);
  expect((await subscription('oar')).status?.installPlanRef?.name).toBe(second?.metadata.name);
});
