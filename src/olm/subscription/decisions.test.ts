import { describe, expect, test } from 'vitest';
import { csvOf, groupOf, planOf, sourceOf, subscriptionOf } from '../../../test/support/olm-situation.ts';
import { operatorPackage } from '../../../test/support/stub-operators.ts';
import type { ClusterServiceVersion, InstallPlan, OperatorGroup, Subscription } from '../../api/index.ts';
import { createCatalogView } from '../../catalog/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import { answerNamespace, type NamespaceAnswer, type Selected } from './answer.ts';
import { Newcomers } from './newcomers.ts';
import { packagesOf, presentBundle } from './present.ts';
import { followProgress } from './progress.ts';
import { approvalOf, dependencyStep, planObject, propose, unreferencedPlan } from './proposal.ts';
import { questionOf } from './question.ts';
import { reportCatalogs } from './report-catalogs.ts';
import { reportDeprecations } from './report-deprecations.ts';
import { reportPlan } from './report-plan.ts';
import { type Situation, upgradeState } from './situation.ts';

const now = '2026-02-01T00:00:00Z';

function situation(parts: {
  readonly subscriptions?: readonly Subscription[];
  readonly csvs?: readonly ClusterServiceVersion[];
  readonly plans?: readonly InstallPlan[];
  readonly groups?: readonly OperatorGroup[];
  readonly sources?: Situation['sources'];
}): Situation {
  const { subscriptions = [], csvs = [], plans = [], groups = [groupOf()], sources = [sourceOf('shop')] } = parts;
  return {
    namespace: 'ns',
    subscriptions,
    csvs,
    csvUids: new Set(csvs.map(({ metadata }) => metadata.uid ?? '')),
    csvNames: new Set(csvs.map(({ metadata }) => metadata.name)),
    plans: new Map(plans.map((plan) => [plan.metadata.name, plan])),
    groups,
    sources,
  };
}

const pendingOf = (name: string) => ({ installPlanRef: { name, uid: `uid-${name}` } });
const failForward = groupOf({ upgradeStrategy: 'TechPreviewUnsafeFailForward' });

describe('the state of a Subscription', () => {
  const follow = (of: Subscription, parts: Parameters<typeof situation>[0] = {}) =>
    followProgress(of, situation({ subscriptions: [of], ...parts }), now);

  test('nothing is known of one that was never resolved', () => {
    expect(follow(subscriptionOf('boat'))).toEqual({ lastUpdated: now });
  });

  test('a ClusterServiceVersion that exists is installed, in whatever phase', () => {
    const boat = subscriptionOf('boat', { status: { currentCSV: 'boat.v1', ...pendingOf('p') } });
    const csvs = [csvOf('boat.v1', { phase: 'Failed' })];
    expect(follow(boat, { csvs, plans: [planOf('p')] })).toMatchObject({
      state: 'AtLatestKnown',
      installedCSV: 'boat.v1',
    });
  });

  test.each([
    { group: groupOf(), phase: 'Failed', state: 'UpgradePending' },
    { group: failForward, phase: 'Failed', state: 'UpgradeFailed' },
    { group: failForward, phase: 'Installing', state: 'UpgradePending' },
  ])('one that does not exist yet is $state ($group.spec.upgradeStrategy, $phase)', ({ group, phase, state }) => {
    const boat = subscriptionOf('boat', { status: { currentCSV: 'boat.v1', ...pendingOf('p') } });
    expect(follow(boat, { plans: [planOf('p', { phase })], groups: [group] })).toMatchObject({ state });
  });

  test('a Subscription that a plan created follows that plan', () => {
    const oar = subscriptionOf('oar', { spec: { startingCSV: 'oar.v1' }, annotations: { 'olm.generated-by': 'p' } });
    expect(follow(oar, { plans: [planOf('p', { csvs: ['boat.v1', 'oar.v1'], generation: 7 })] })).toMatchObject({
      state: 'UpgradePending',
      currentCSV: 'oar.v1',
      installPlanRef: { name: 'p', uid: 'uid-p' },
    });
  });

  test.each([
    { name: 'does not exist', plans: [] },
    { name: 'installs something else', plans: [planOf('p', { csvs: ['boat.v1'] })] },
  ])('an annotation about a plan that $name is ignored', ({ plans }) => {
    const oar = subscriptionOf('oar', { spec: { startingCSV: 'oar.v1' }, annotations: { 'olm.generated-by': 'p' } });
    expect(follow(oar, { plans })).toEqual({ lastUpdated: now });
  });

  describe('a plan that the Subscription does not refer to', () => {
    const properties = '{"properties":[{"type":"olm.package","value":{"packageName":"boat","version":"1.0.0"}}]}';
    const boat = subscriptionOf('boat', { status: { installPlanGeneration: 2, currentCSV: 'boat.v0' } });
    const key = 'operators.coreos.com/boat.ns';
    const csv = csvOf('boat.v1', { annotations: { 'operatorframework.io/properties': properties } });
    const made = (more: { readonly uid?: string; readonly label?: string; readonly generation?: number } = {}) => {
      const { uid = boat.metadata.uid ?? '', label = key, generation = 3 } = more;
      const plan = planOf('p', { csvs: ['oar.v1', 'boat.v1'], generation });
      const owner = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'boat', uid };
      return { ...plan, metadata: { ...plan.metadata, labels: { [label]: '' }, ownerReferences: [owner] } };
    };

    test('and that has installed its ClusterServiceVersion is its plan', () => {
      expect(follow(boat, { csvs: [csv], plans: [made()] })).toMatchObject({
        state: 'AtLatestKnown',
        installedCSV: 'boat.v1',
        installPlanRef: { name: 'p' },
        installPlanGeneration: 3,
      });
    });

    test.each([
      { why: 'has installed nothing yet', plan: made(), csvs: [] },
      { why: 'was made for another object of its name', plan: made({ uid: 'another' }), csvs: [csv] },
      { why: 'was made for another package', plan: made({ label: 'operators.coreos.com/oar.ns' }), csvs: [csv] },
      { why: 'is older than its own', plan: made({ generation: 2 }), csvs: [csv] },
      { why: 'has installed another package', plan: made(), csvs: [csvOf('boat.v1')] },
    ])('and that $why is not', ({ plan, csvs }) => {
      expect(follow(boat, { csvs, plans: [plan] })).toMatchObject({ currentCSV: 'boat.v0', installPlanGeneration: 2 });
    });
  });

  test('P11 the reference to a deleted plan is removed while nothing is installed', () => {
    const status = { currentCSV: 'boat.v2', installedCSV: 'boat.v1', installPlanGeneration: 3, ...pendingOf('p') };
    const boat = subscriptionOf('boat', { status });
    const plans = [{ ...planOf('p'), metadata: { ...planOf('p').metadata, uid: 'another' } }];
    expect(follow(boat, { csvs: [csvOf('boat.v1')], plans })).toEqual({
      lastUpdated: '2026-01-01T00:00:00Z',
      installedCSV: 'boat.v1',
      installPlanGeneration: 3,
    });
  });
});

describe('the conditions', () => {
  const report = (plans: readonly InstallPlan[]) =>
    reportPlan({ lastUpdated: now, ...pendingOf('p') }, situation({ plans }), now).conditions;

  test.each([
    { phase: undefined, expected: { type: 'InstallPlanPending', reason: 'InstallPlanNotYetReconciled' } },
    { phase: 'RequiresApproval', expected: { type: 'InstallPlanPending', reason: 'RequiresApproval' } },
    { phase: 'Installing', expected: { type: 'InstallPlanPending', reason: 'Installing' } },
    { phase: 'Failed', expected: { type: 'InstallPlanFailed', reason: 'InstallPlanFailed' } },
  ])('a plan that is $phase is reported', ({ phase, expected }) => {
    const plan = planOf('p', phase === undefined ? {} : { phase });
    expect(report([plan])).toEqual([{ ...expected, status: 'True', lastTransitionTime: now }]);
  });

  test('a complete plan has no condition, a missing one has', () => {
    expect(report([planOf('p', { phase: 'Complete' })])).toBeUndefined();
    expect(report([])).toMatchObject([{ type: 'InstallPlanMissing', reason: 'ReferencedInstallPlanNotFound' }]);
  });

  test('the health of catalogs is written again only when it changes', () => {
    const subscription = subscriptionOf('boat');
    const held = { catalogs: [createCatalogView({ name: 'shop', namespace: 'ns' }, new Map())] };
    const about = { subscription, situation: situation({}), held, now };
    const first = reportCatalogs({ lastUpdated: now }, about);
    const source = sourceOf('shop');
    const sources = [{ ...source, metadata: { ...source.metadata, resourceVersion: '2' } }];
    const later = { ...about, situation: situation({ sources }), now: '2026-02-02T00:00:00Z' };
    expect(reportCatalogs(first, later)).toEqual(first);
    expect(reportCatalogs(first, { ...later, held: { catalogs: [] } })).toMatchObject({
      catalogHealth: [{ healthy: false, lastUpdated: '2026-02-02T00:00:00Z' }],
      conditions: [{ type: 'CatalogSourcesUnhealthy', status: 'True', reason: 'UnhealthyCatalogSourceFound' }],
    });
  });

  test('a deprecated channel counts where the Subscription names it', () => {
    const found = { channel: 'old' };
    const status = { lastUpdated: now, installedCSV: 'boat.v1' };
    const unnamed = reportDeprecations(status, { subscription: subscriptionOf('boat'), found, now });
    expect(unnamed.conditions ?? []).toEqual([]);
    const subscription = subscriptionOf('boat', { spec: { channel: 'stable' } });
    const named = reportDeprecations(status, { subscription, found, now });
    expect(named.conditions).toMatchObject([
      { type: 'ChannelDeprecated', message: 'olm.channel/stable: old' },
      { type: 'Deprecated', message: 'olm.channel/stable: old' },
    ]);
    expect(reportDeprecations(named, { subscription, found: undefined, now })).toBe(named);
    expect(reportDeprecations(named, { subscription, found: {}, now }).conditions).toEqual([]);
  });
});

describe('an upgrade', () => {
  const next = (phase: string, reason?: string) => {
    const csv = csvOf('boat.v2', { phase, spec: { replaces: 'boat.v1' } });
    return reason === undefined ? csv : { ...csv, status: { phase: 'Pending', lastTransitionTime: reason } };
  };
  const stateOf = (csv: ClusterServiceVersion, plans: readonly InstallPlan[] = []) =>
    upgradeState(situation({ csvs: [csvOf('boat.v1', { phase: 'Replacing' }), csv], plans }), Date.parse(now));

  test.each(['', 'InstallReady', 'Installing', 'Succeeded'])('in phase "%s" is under way', (phase) => {
    expect(stateOf(next(phase))).toBe('busy');
  });

  test('that is pending is held up once its plan is applied and some time has passed', () => {
    const csvs = ['boat.v2'];
    expect(stateOf(next('Pending'), [planOf('p', { csvs, phase: 'Installing' })])).toBe('busy');
    expect(stateOf(next('Pending', now), [planOf('p', { csvs, phase: 'Complete' })])).toBe('settling');
    expect(stateOf(next('Pending', '2026-01-01T00:00:00Z'))).toBe('none');
    // From a time when the clock was ahead.
    expect(stateOf(next('Pending', '2028-01-01T00:00:00Z'))).toBe('none');
    expect(stateOf(next('Failed'))).toBe('none');
  });

  test('that goes in a circle is not waited for', () => {
    const circle = [csvOf('a', { spec: { replaces: 'b' } }), csvOf('b', { spec: { replaces: 'a' } })];
    expect(upgradeState(situation({ csvs: circle }), 0)).toBe('none');
  });
});

test('Subscriptions without a plan are waited for, each for a while', () => {
  const newcomers = new Newcomers();
  const [boat, oar] = [subscriptionOf('boat'), subscriptionOf('oar')];
  expect(newcomers.waitMs([boat], 0)).toBe(200);
  expect(newcomers.waitMs([boat, oar], 150)).toBe(200);
  expect(newcomers.waitMs([boat, oar], 250)).toBe(100);
  expect(newcomers.waitMs([boat, oar], 350)).toBe(0);
  expect(newcomers.waitMs([subscriptionOf('ship', { status: pendingOf('p') })], 400)).toBe(0);
  newcomers.forgetOld(100_000);
  expect(newcomers.waitMs([boat], 100_000)).toBe(200);
});

describe('what is installed', () => {
  const owned = [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }];
  const apis = { customresourcedefinitions: { owned } };

  test('has the APIs that it names, and the recorded properties', () => {
    const annotations = {
      'operatorframework.io/properties': '{"properties":[{"type":"olm.package","value":{"packageName":"boat"}}]}',
    };
    expect(presentBundle(csvOf('boat.v1.0.0', { spec: apis, annotations }), 'other')).toMatchObject({
      name: 'boat.v1.0.0',
      packageName: 'boat',
      properties: [{ type: 'olm.gvk', value: { group: 'example.com', version: 'v1', kind: 'Boat' } }, {}],
    });
  });

  test.each(['{', '[]', '{"properties":[1,{}]}'])('a record that cannot be read (%s) has no properties', (text) => {
    const annotations = { 'operatorframework.io/properties': text };
    expect(presentBundle(csvOf('boat.v1.0.0', { annotations }), 'boat').properties).toEqual([]);
  });

  test('E-047 without a record the package is that of its Subscriptions, if they agree', () => {
    const status = { installedCSV: 'boat.v1.0.0' };
    const one = subscriptionOf('a', { spec: { name: 'boat' }, status });
    const other = subscriptionOf('b', { spec: { name: 'ship' }, status });
    const packageOf = (...of: Subscription[]) =>
      presentBundle(csvOf('boat.v1.0.0'), packagesOf(of).get('boat.v1.0.0')).packageName;
    expect(packageOf(one)).toBe('boat');
    expect(packageOf(one, { ...one, metadata: { ...one.metadata, name: 'c' } })).toBe('boat');
    expect(packageOf(one, other)).toBeUndefined();
  });
});

describe('a plan', () => {
  const bundle = (name: string, subscriptions: readonly string[]): Selected => ({
    name,
    packageName: name.split('.')[0] ?? '',
    channel: 'stable',
    catalog: { name: 'shop', namespace: 'olm' },
    properties: [],
    subscriptions,
  });
  const boat = subscriptionOf('boat');
  const selected = [bundle('oar.v1', []), bundle('boat.v1', ['boat'])];

  test('moves the Subscriptions whose ClusterServiceVersion changes', () => {
    const before = situation({ subscriptions: [boat] });
    expect(propose(selected, before)).toEqual({ bundles: selected, moves: new Map([['boat', 'boat.v1']]) });
  });

  test('what a Subscription waits for is part of the plan of another one', () => {
    const pending = subscriptionOf('boat', { status: { currentCSV: 'boat.v1' } });
    const both = [...selected.slice(1), bundle('ship.v1', ['ship'])];
    const { bundles, moves } = propose(both, situation({ subscriptions: [pending, subscriptionOf('ship')] }));
    expect(bundles.map(({ name }) => name)).toEqual(['boat.v1', 'ship.v1']);
    expect([...moves.keys()]).toEqual(['ship']);
    const exists = situation({ subscriptions: [pending, subscriptionOf('ship')], csvs: [csvOf('boat.v1')] });
    expect(propose(both, exists).bundles.map(({ name }) => name)).toEqual(['ship.v1']);
  });

  test('is numbered after all plans, and Manual if one Subscription is', () => {
    const manual = subscriptionOf('ship', {
      spec: { installPlanApproval: 'Manual' },
      status: { installPlanGeneration: 4 },
    });
    const with4 = situation({ subscriptions: [boat, manual], plans: [planOf('p', { generation: 6 })] });
    expect(planObject(propose(selected, with4), with4)).toMatchObject({
      metadata: {
        generateName: 'install-',
        labels: { 'operators.coreos.com/boat.ns': '' },
        ownerReferences: [{ name: 'boat' }, { name: 'ship' }],
      },
      spec: { approval: 'Manual', approved: false, generation: 7, clusterServiceVersionNames: ['oar.v1', 'boat.v1'] },
    });
    expect(approvalOf([boat])).toBe('Automatic');
  });

  test.each([
    { name: 'one for the same', plan: { csvs: ['boat.v1', 'oar.v1'], owners: ['boat'], generation: 5 }, isFound: true },
    {
      name: 'one that is referred to',
      plan: { csvs: ['boat.v1', 'oar.v1'], owners: ['boat'], generation: 4 },
      isFound: false,
    },
    { name: 'one of others', plan: { csvs: ['boat.v1', 'oar.v1'], owners: ['ship'], generation: 5 }, isFound: false },
    { name: 'one for something else', plan: { csvs: ['boat.v1'], owners: ['boat'], generation: 5 }, isFound: false },
  ])('that nothing refers to is used again: $name', ({ plan, isFound }) => {
    const subscriptions = [subscriptionOf('boat', { status: { installPlanGeneration: 4 } })];
    const before = situation({ subscriptions, plans: [planOf('p', plan)] });
    expect(unreferencedPlan(propose(selected, before), before) !== undefined).toBe(isFound);
  });

  test('names Subscriptions of dependencies as objects can be named', () => {
    const nameOf = (channel: string, packageName = 'oar') =>
      dependencyStep({ ...bundle('oar.v1', []), channel, packageName }, { namespace: 'ns', approval: 'Manual' })
        .resource.name;
    expect(nameOf('stable')).toBe('oar-stable-shop-olm');
    expect(nameOf('Stable_1')).toMatch(/^oar-stable-1-shop-olm-[0-9a-f]{8}$/);
    expect(nameOf('stable', 'o'.repeat(300))).toMatch(/^o{200,}-?[0-9a-f]{8}$/);
  });
});

describe('resolution', () => {
  function ask(parts: Parameters<typeof situation>[0], held: Partial<HeldSources>): NamespaceAnswer {
    const whole = {
      catalogs: [],
      unavailable: [],
      manifestsOf: () => Promise.resolve(undefined),
      [Symbol.dispose]: () => undefined,
      ...held,
    };
    return answerNamespace(questionOf(situation(parts), whole, true), whole.catalogs);
  }
  const shop = createCatalogView(
    { name: 'shop', namespace: 'ns' },
    new Map([['boat', operatorPackage('boat', { stable: '1.0.0; 2.0.0 <1.0.0' })]]),
  );

  test('starts with startingCSV only while nothing is installed', () => {
    const spec = { startingCSV: 'boat.v1.0.0' };
    const fresh = ask({ subscriptions: [subscriptionOf('boat', { spec })] }, { catalogs: [shop] });
    expect(fresh.resolution).toMatchObject({ bundles: [{ name: 'boat.v1.0.0' }] });
    const subscriptions = [subscriptionOf('boat', { spec, status: { installedCSV: 'boat.v1.0.0' } })];
    const installed = ask({ subscriptions, csvs: [csvOf('boat.v1.0.0')] }, { catalogs: [shop] });
    expect(installed.resolution).toMatchObject({ bundles: [{ name: 'boat.v2.0.0', replaces: 'boat.v1.0.0' }] });
  });

  test('what is missing is explained behind the sentence of OLM', () => {
    const { resolution } = ask({ subscriptions: [subscriptionOf('boaat')] }, { catalogs: [shop] });
    expect(resolution).toEqual({
      outcome: 'conflict',
      reason: 'ConstraintsNotSatisfiable',
      message: expect.stringMatching(
        /^constraints not satisfiable: no operators found in package boaat in the catalog referenced by subscription boaat, subscription boaat exists\. Package boaat cannot be resolved\. .*boat/,
      ) as string,
    });
  });

  test('a CatalogSource that was never read is unavailable, other than where global ones are excluded', () => {
    const sources = [sourceOf('shop'), sourceOf('world', 'olm')];
    const subscriptions = [subscriptionOf('boat', { spec: { source: 'world', sourceNamespace: 'olm' } })];
    expect(ask({ subscriptions, sources }, { catalogs: [shop] }).resolution).toMatchObject({
      reason: 'ErrorPreventedResolution',
      message: expect.stringMatching(
        /^error using catalogsource olm\/world: no registry client established for catalogsource olm\/world\. /,
      ) as string,
    });
    const group = groupOf();
    const annotations = { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' };
    const groups = [{ ...group, metadata: { ...group.metadata, annotations } }];
    expect(ask({ subscriptions, sources, groups }, { catalogs: [shop] }).resolution).toMatchObject({
      reason: 'ConstraintsNotSatisfiable',
    });
  });

  test('a failed replacement leaves the view only by fail-forward', () => {
    const subscriptions = [subscriptionOf('boat', { status: { installedCSV: 'boat.v2.0.0' } })];
    const csvs = [
      csvOf('boat.v1.0.0', { phase: 'Replacing' }),
      csvOf('boat.v2.0.0', { phase: 'Failed', spec: { replaces: 'boat.v1.0.0' } }),
    ];
    const names = (groups: readonly OperatorGroup[]) =>
      questionOf(
        situation({ subscriptions, csvs, groups }),
        {
          catalogs: [shop],
          unavailable: [],
          manifestsOf: () => Promise.resolve(undefined),
          [Symbol.dispose]: () => undefined,
        },
        true,
      ).resolution?.installed.map(({ name }) => name);
    expect(names([groupOf()])).toEqual(['boat.v1.0.0', 'boat.v2.0.0']);
    expect(names([failForward])).toEqual(['boat.v2.0.0']);
  });
});
