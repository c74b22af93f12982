import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import { operatorPackage } from '../../../test/support/stub-operators.ts';
import {
  cluster,
  containing,
  contents,
  csvs,
  group,
  inNamespace,
  installed,
  kinds,
  main,
  metrics,
  needsOar,
  ns,
  plans,
  reports,
  runSubscriptionsForEachTest,
  shop,
  slow,
  subscribe,
  subscription,
  user,
} from '../../../test/support/subscription-cluster.ts';

runSubscriptionsForEachTest();

describe('what stands in the way', () => {
  test('E-043 catalogs that are missing or cannot be read are reported, until they can', async () => {
    await subscribe('boat');
    await reports('boat', 'CatalogSourcesUnhealthy', {
      status: 'True',
      reason: 'NoCatalogSourcesFound',
      message: 'dependency resolution requires at least one catalogsource',
    });
    await reports('boat', 'ResolutionFailed', {
      reason: 'ConstraintsNotSatisfiable',
      message: containing(
        `constraints not satisfiable: no operators found from catalog shop in namespace ${ns} referenced by subscription boat, subscription boat exists`,
      ),
    });
    await shop.offer({ namespace: 'olm', name: 'world' }, operatorPackage('oar', { stable: '1.0.0' }));
    await reports('boat', 'CatalogSourcesUnhealthy', {
      reason: 'UnhealthyCatalogSourceFound',
      message: `targeted catalogsource ${ns}/shop missing`,
    });
    await shop.fail(main(), 'failed to list bundles: connection refused');
    await reports('boat', 'CatalogSourcesUnhealthy', { message: `targeted catalogsource ${ns}/shop unhealthy` });
    await reports('boat', 'ResolutionFailed', {
      reason: 'ErrorPreventedResolution',
      message: containing(`error using catalogsource ${ns}/shop: failed to list bundles: connection refused`),
    });
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'CatalogSourcesUnhealthy', { status: 'False' });
    await shop.remove(main());
    await reports('boat', 'ResolutionFailed', { reason: 'ConstraintsNotSatisfiable' });
    expect(await csvs()).toEqual(['boat.v0.1.0']);
  });

  test('E-063 a broken global catalog does not matter where those are excluded', async () => {
    const at = { ...kinds.OperatorGroup, name: 'group', namespace: ns };
    await shop.fail({ namespace: 'olm', name: 'world' }, 'failed to list bundles: connection refused');
    const boat = operatorPackage('boat', { stable: '0.1.0' }, { '0.1.0': needsOar });
    await shop.offer(main(), boat, operatorPackage('oar', { stable: '1.0.0' }));
    await subscribe('boat');
    await reports('boat', 'ResolutionFailed', { reason: 'ErrorPreventedResolution' });
    const annotations = { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' };
    await cluster.kube.patch(at, { metadata: { annotations } }, user);
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'ResolutionFailed', undefined);
  });

  test('a catalog that cannot be read holds up only what it could change', async () => {
    await shop.fail({ namespace: ns, name: 'broken' }, 'failed to list bundles: connection refused');
    const boat = operatorPackage('boat', { stable: '0.1.0' });
    const ship = operatorPackage('ship', { stable: '0.1.0' }, { '0.1.0': needsOar });
    await shop.offer(main(), boat, ship, operatorPackage('oar', { stable: '1.0.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await subscribe('ship');
    await reports('ship', 'ResolutionFailed', {
      reason: 'ErrorPreventedResolution',
      message: containing(`error using catalogsource ${ns}/broken: failed to list bundles: connection refused`),
    });
    await shop.remove({ namespace: ns, name: 'broken' });
    await installed('ship', 'ship.v0.1.0');
  });

  test('E-037 without one OperatorGroup nothing is installed', async () => {
    await cluster.kube.delete({ ...kinds.OperatorGroup, name: 'group', namespace: ns });
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await reports('boat', 'ResolutionFailed', {
      reason: 'ErrorPreventedResolution',
      message: containing('found 0 operatorGroups, expected 1. Create an OperatorGroup'),
    });
    await group();
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'ResolutionFailed', undefined);
    await group('second');
    await reports('boat', 'ResolutionFailed', {
      reason: 'ErrorPreventedResolution',
      message: 'found 2 operatorGroups, expected 1. Delete all but one of them: group, second.',
    });
    await cluster.kube.delete({ ...kinds.OperatorGroup, name: 'second', namespace: ns });
    await reports('boat', 'ResolutionFailed', undefined);
  });

  test('content that is being fetched, or cannot be used, is reported', async () => {
    contents.unpacking.add('boat.v0.1.0');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await reports('boat', 'BundleUnpacking', { status: 'True', reason: 'UnpackingInProgress' });
    contents.unpacking.clear();
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'BundleUnpacking', undefined);
    contents.broken.set('boat.v0.2.0', 'bundle CSV boat.v0.2.0 missing APIVersion');
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.2.0 <0.1.0' }));
    await reports('boat', 'BundleUnpackFailed', {
      status: 'True',
      reason: 'ErrorPreventedUnpacking',
      message: 'bundle CSV boat.v0.2.0 missing APIVersion',
    });
    expect(await plans()).toHaveLength(1);
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0; 0.3.0 <0.1.0 s:0.2.0' }));
    await installed('boat', 'boat.v0.3.0');
    await reports('boat', 'BundleUnpackFailed', undefined);
  });

  test('a deleted ClusterServiceVersion is not installed again, which the Subscription reports', async () => {
    await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
    await subscribe('boat');
    await installed('boat', 'boat.v0.1.0');
    await cluster.kube.delete({ ...kinds.ClusterServiceVersion, name: 'boat.v0.1.0', namespace: ns });
    const [plan] = await plans();
    const name = plan?.metadata.name ?? '';
    await reports('boat', 'InstalledCSVMissing', {
      status: 'True',
      reason: 'InstalledCSVDeleted',
      message: containing(`delete InstallPlan ${name} to have it installed again`),
    });
    expect((await subscription('boat')).status).toMatchObject({
      state: 'UpgradePending',
      installedCSV: 'boat.v0.1.0',
    });
    await cluster.kube.delete({ ...kinds.InstallPlan, name, namespace: ns });
    await installed('boat', 'boat.v0.1.0');
    await reports('boat', 'InstalledCSVMissing', undefined);
  });
});

test('E-050 deprecations of what is installed come and go', async () => {
  const boat = operatorPackage('boat', { stable: '0.1.0' });
  await shop.offer(main(), boat);
  await subscribe('boat', { channel: 'stable' });
  await installed('boat', 'boat.v0.1.0');
  const bundles = new Map([...boat.bundles].map(([name, one]) => [name, { ...one, deprecation: 'leaks' }]));
  await shop.offer(main(), { ...boat, bundles, deprecation: 'use ship' });
  await reports('boat', 'PackageDeprecated', { status: 'True', message: 'olm.package/boat: use ship' });
  await reports('boat', 'BundleDeprecated', { status: 'True', message: 'olm.bundle/boat.v0.1.0: leaks' });
  await reports('boat', 'Deprecated', {
    status: 'True',
    message: 'olm.package/boat: use ship; olm.bundle/boat.v0.1.0: leaks',
  });
  const channels = boat.channels.map((one) => ({ ...one, deprecation: 'use fast' }));
  await shop.offer(main(), { ...boat, channels });
  await reports('boat', 'ChannelDeprecated', { status: 'True', message: 'olm.channel/stable: use fast' });
  await reports('boat', 'PackageDeprecated', undefined);
  await shop.offer(main(), boat);
  await reports('boat', 'Deprecated', undefined);
  await reports('boat', 'ChannelDeprecated', undefined);
});

test('C-067 E-069 the metrics of OLM follow', async () => {
  await shop.offer(main(), operatorPackage('boat', { stable: '0.1.0' }));
  await subscribe('boat', { channel: 'stable' });
  await installed('boat', 'boat.v0.1.0');
  const { text } = await metrics.show();
  expect(text).toContain('subscription_count 1\n');
  expect(text).toMatch(
    /subscription_sync_total\{name="boat",installed="boat\.v0\.1\.0",channel="stable",package="boat",approval=""\} \d/,
  );
  expect(text).toMatch(/olm_resolution_duration_seconds_count\{outcome="succeeded"\} \d/);
  await cluster.kube.delete({ ...kinds.Subscription, name: 'boat', namespace: ns });
  await eventually(async () => {
    const { text: later } = await metrics.show();
    expect(later).toContain('subscription_count 0\n');
    expect(later).not.toContain('name="boat"');
  });
});

test('namespaces whose catalogs take long to resolve do not hold up others, however many', async () => {
  const [own, boat] = [ns, operatorPackage('boat', { stable: '0.1.0' })];
  for (let index = 0; index < 5; index += 1) {
    inNamespace(`slow-${own}-${index}`);
    slow.set(ns, 0);
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }, user);
    await group();
    await shop.offer(main(), boat);
    await subscribe('boat');
  }
  await eventually(() => expect([...slow.values()].filter((begun) => begun > 0)).toHaveLength(2));
  inNamespace(own);
  await shop.offer(main(), boat);
  await subscribe('boat');
  await installed('boat', 'boat.v0.1.0');
  await eventually(() => expect([...slow.values()].every((begun) => begun > 0)).toBe(true), { timeoutMs: 60_000 });
});
