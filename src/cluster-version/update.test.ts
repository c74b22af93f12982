import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import {
  clusterVersion,
  conditionText,
  createClusterVersion,
  openReleaseCluster,
  operatorManifest,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  reportOperator,
  runEngine,
} from '../../test/support/release-cluster.ts';
import {
  installed,
  operatorAt,
  settings,
  smallRelease,
  untilAt,
  untilCondition,
} from '../../test/support/small-release.ts';
import type { JsonObject } from '../base/index.ts';
import { findObject, type KubeClient, type KubeObject } from '../kube/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});

afterEach(() => stack.disposeAsync());

const user = { fieldManager: 'someone' };
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
const valueOf = async (name: string): Promise<string | undefined> => {
  const found = await findObject(cluster.kube, configMap(name));
  return (found as { data: { value: string } } | undefined)?.data.value;
};
const request = (version: string): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage(version) } });
const historyNow = async (): Promise<string[]> =>
  ((await clusterVersion(cluster.kube)).status?.history ?? []).map(({ state, version }) => `${state} ${version ?? ''}`);

/** A component at level 10, one at level 20, each with an operator. */
const twoLevels = (version: string): Record<string, JsonObject> => ({
  '0000_10_alpha_10_settings.yaml': settings('alpha', version),
  ...operatorAt('10', 'alpha', version),
  '0000_20_beta_10_settings.yaml': settings('beta', version),
  ...operatorAt('20', 'beta', version),
});

test('CV-04, CV-26, CV-28, CV-33, CV-39, CV-84: a level begins when the operators of the one before it are done', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', twoLevels('1.1.0')),
  };
  // Only a change of an operator leads to the next round in time.
  const intervals = { minimumMs: 10 * 60_000, random: () => 0 };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'], intervals }));
  await request('1.1.0');
  await untilCondition(
    cluster,
    'Progressing',
    'True ClusterOperatorUpdating Working towards 1.1.0: 2 of 5 done (40% complete), waiting on alpha',
  );
  expect([await valueOf('alpha'), await valueOf('beta')]).toEqual(['1.1.0', '1.0.0']);
  expect(conditionText(await clusterVersion(cluster.kube), 'Failing')).toBe('False');
  await reportOperator(cluster.kube, 'alpha', { version: '1.1.0' });
  await untilCondition(cluster, 'Progressing', /waiting on beta$/);
  expect(await valueOf('beta')).toBe('1.1.0');
  await reportOperator(cluster.kube, 'beta', { version: '1.1.0' });
  await untilAt(cluster, '1.1.0');
  expect(await historyNow()).toEqual(['Completed 1.1.0', 'Completed 1.0.0']);
});

test('CV-25: desired release and history entry are written at once, when the release is accepted', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', twoLevels('1.1.0')),
  };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'] }));
  await request('1.1.0');
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.desired.version).toBe('1.1.0'));
  const { status } = await clusterVersion(cluster.kube);
  expect(status?.history?.[0]).toMatchObject({ state: 'Partial', version: '1.1.0', completionTime: null });
  expect(conditionText(await clusterVersion(cluster.kube), 'ReleaseAccepted')).toMatch(/^True PayloadLoaded /);
});

test('CV-01, CV-02: what another writer changes or deletes is corrected, though no round is due', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', { '0000_10_a_10_x.yaml': settings('a', 'right') }) };
  const intervals = { minimumMs: 10 * 60_000, random: () => 0 };
  stack.use(await installed(cluster, { releases, first: '1.0.0', intervals }));
  await cluster.kube.patch(configMap('a'), { data: { value: 'wrong' } }, user);
  await eventually(async () => expect(await valueOf('a')).toBe('right'));
  await cluster.kube.delete(configMap('a'));
  await eventually(async () => expect(await valueOf('a')).toBe('right'));
  expect(conditionText(await clusterVersion(cluster.kube), 'Failing')).toBe('False');
  expect(conditionText(await clusterVersion(cluster.kube), 'Progressing')).toBe('False Cluster version is 1.0.0');
});

test('CV-03: the spec is never written', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', {}) };
  stack.use(await installed(cluster, { releases, first: '1.0.0' }));
  const { metadata, spec } = await cluster.kube.get({
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    name: 'version',
  });
  expect(metadata.generation).toBe(1);
  expect(Object.keys(spec as JsonObject)).toEqual(['clusterID']);
});

test('CV-34: a component of the same level goes on while another one waits', async () => {
  const manifests = (version: string): Record<string, JsonObject> => ({
    ...operatorAt('20', 'alpha', version),
    '0000_20_beta_10_settings.yaml': settings('beta', version),
  });
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', manifests('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', manifests('1.1.0')),
  };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['alpha'] }));
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on alpha$/);
  await eventually(async () => expect(await valueOf('beta')).toBe('1.1.0'));
});

test('CV-49: an installation applies all levels at once, and a degraded operator is only reported', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')) };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await eventually(() => reportOperator(cluster.kube, 'alpha', { version: '1.0.0', isDegraded: true }));
  await eventually(() => reportOperator(cluster.kube, 'beta', { version: '1.0.0' }));
  await untilCondition(cluster, 'Failing', 'True ClusterOperatorDegraded Cluster operator alpha is degraded');
  expect(await valueOf('beta')).toBe('1.0.0');
  expect(await historyNow()).toEqual(['Partial 1.0.0']);
  await reportOperator(cluster.kube, 'alpha', { version: '1.0.0' });
  await untilAt(cluster, '1.0.0');
});

test('CV-51: a restarted engine goes on reconciling', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')) };
  const engine = await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'] });
  await engine[Symbol.asyncDispose]();
  const before = (await clusterVersion(cluster.kube)).status;
  await cluster.kube.delete(configMap('alpha'));
  stack.use(await runEngine(cluster, { releases }));
  await eventually(async () => expect(await valueOf('alpha')).toBe('1.0.0'));
  const after = (await clusterVersion(cluster.kube)).status;
  expect(after?.history).toEqual(before?.history);
  expect(after?.conditions?.find(({ type }) => type === 'Progressing')).toEqual(
    before?.conditions?.find(({ type }) => type === 'Progressing'),
  );
});

test('CV-52, CV-109: an engine restarted in the middle of an update goes on, with its counter and times', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', twoLevels('1.1.0')),
  };
  const engine = await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'] });
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /2 of 5 done .* waiting on alpha$/);
  await eventually(async () =>
    expect((await clusterVersion(cluster.kube)).status?.progress?.waitingFor).toMatchObject([
      { object: 'clusteroperator/alpha', reason: 'ClusterOperatorUpdating' },
    ]),
  );
  await engine[Symbol.asyncDispose]();
  const before = (await clusterVersion(cluster.kube)).status;
  expect(before?.progress?.levels).toEqual([
    { level: '05', components: ['quay'], done: 1, total: 1 },
    { level: '10', components: ['alpha'], done: 1, total: 2 },
    { level: '20', components: ['beta'], done: 0, total: 2 },
  ]);
  stack.use(await runEngine(cluster, { releases }));
  await eventually(() => reportOperator(cluster.kube, 'alpha', { version: '1.1.0' }));
  const seen: number[] = [];
  await eventually(async () => {
    const { status } = await clusterVersion(cluster.kube);
    seen.push(status?.progress?.done ?? 0);
    expect(conditionText(await clusterVersion(cluster.kube), 'Progressing')).toMatch(/waiting on beta$/);
  });
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(2);
  const after = (await clusterVersion(cluster.kube)).status;
  expect(after?.progress?.levels?.map(({ done, total }) => `${done}/${total}`)).toEqual(['1/1', '2/2', '1/2']);
  expect(after?.history).toEqual(before?.history);
  await reportOperator(cluster.kube, 'beta', { version: '1.1.0' });
  await untilAt(cluster, '1.1.0');
  expect((await clusterVersion(cluster.kube)).status?.progress?.levels).toBeUndefined();
  expect(await historyNow()).toEqual(['Completed 1.1.0', 'Completed 1.0.0']);
});

test('CV-53: a failure while reconciling is reported, and clears', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', operatorAt('10', 'alpha', '1.0.0')) };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['alpha'] }));
  await reportOperator(cluster.kube, 'alpha', { version: '1.0.0', isAvailable: false });
  await untilCondition(
    cluster,
    'Progressing',
    'False ClusterOperatorNotAvailable Error while reconciling 1.0.0: the cluster operator alpha is not available',
  );
  await untilCondition(cluster, 'Failing', 'True ClusterOperatorNotAvailable Cluster operator alpha is not available');
  await reportOperator(cluster.kube, 'alpha', { version: '1.0.0' });
  await untilCondition(cluster, 'Failing', 'False');
  await untilAt(cluster, '1.0.0');
});

test('CV-63: while a release is installed, another version waits, and overrides count at once', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')),
    '1.0.1': await smallRelease(cluster, '1.0.1', twoLevels('1.0.1')),
  };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await untilCondition(cluster, 'Failing', /^True .*not available$/s);
  const override = { kind: 'ConfigMap', group: '', namespace: 'quay', name: 'beta', unmanaged: true };
  await patchSpec(cluster.kube, { overrides: [override], desiredUpdate: { image: releaseImage('1.0.1') } });
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.observedGeneration).toBe(2));
  await cluster.kube.delete(configMap('beta'));
  for (const name of ['alpha', 'beta']) await reportOperator(cluster.kube, name, { version: '1.0.0' });
  await eventually(async () => expect((await historyNow()).at(-1)).toBe('Completed 1.0.0'));
  expect(await valueOf('beta')).toBeUndefined();
  for (const name of ['alpha', 'beta']) await reportOperator(cluster.kube, name, { version: '1.0.1' });
  await untilAt(cluster, '1.0.1');
  expect(await valueOf('beta')).toBeUndefined();
});

test('clearing the request in the middle of an update goes back to the release of before', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', twoLevels('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', twoLevels('1.1.0')),
  };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'] }));
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on alpha$/);
  await patchSpec(cluster.kube, { desiredUpdate: null });
  await untilAt(cluster, '1.0.0');
  expect(await historyNow()).toEqual(['Completed 1.0.0', 'Partial 1.1.0', 'Completed 1.0.0']);
  expect(await valueOf('alpha')).toBe('1.0.0');
});

test('CV-83: operators that are missing are created first, with what they relate to and without conditions', async () => {
  const related = { group: '', resource: 'namespaces', name: 'quay' };
  // As real manifests have it.
  const unnamed = { group: 'example.com', resource: 'quays' };
  const operator = operatorManifest('alpha', '1.0.0', { relatedObjects: [related, unnamed] });
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', { '0000_10_alpha_90_operator.yaml': operator }) };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await eventually(async () => {
    const object: KubeObject = await cluster.kube.get({
      apiVersion: 'config.openshift.io/v1',
      kind: 'ClusterOperator',
      name: 'alpha',
    });
    expect(object['status']).toEqual({ relatedObjects: [related, { ...unnamed, name: '' }] });
  });
});

test('CV-108: an invalid spec is reported, left aside, and the report goes once it is valid', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', {}) };
  stack.use(await installed(cluster, { releases, first: '1.0.0' }));
  await patchSpec(cluster.kube, { desiredUpdate: { version: '9.9.9' } });
  await untilCondition(cluster, 'Invalid', /^True InvalidClusterVersion The cluster version is invalid: spec\.desired/);
  await untilCondition(
    cluster,
    'Progressing',
    'False InvalidClusterVersion Stopped at 1.0.0: the cluster version is invalid',
  );
  await patchSpec(cluster.kube, { desiredUpdate: null });
  await untilAt(cluster, '1.0.0');
  expect(conditionText(await clusterVersion(cluster.kube), 'Invalid')).toBeUndefined();
});

test('a ClusterVersion of another name is left alone', async () => {
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', {}) };
  stack.use(await installed(cluster, { releases, first: '1.0.0' }));
  const { apiVersion, kind } = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion' };
  const spec = { clusterID: '', desiredUpdate: { image: releaseImage('1.1.0') } };
  await cluster.kube.create({ apiVersion, kind, metadata: { name: 'other' }, spec }, user);
  await cluster.kube.delete(configMap('kube-root-ca.crt')).catch(() => undefined);
  await patchSpec(cluster.kube, { channel: 'stable' });
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.observedGeneration).toBe(2));
  expect((await cluster.kube.get({ apiVersion, kind, name: 'other' }))['status']).toBeUndefined();
});

/** A client that notes writes of objects that are no Events, and how often a round has begun. */
function noting(kube: KubeClient): {
  readonly client: KubeClient;
  readonly writes: string[];
  readonly rounds: () => number;
} {
  const writes: string[] = [];
  let rounds = 0;
  const note = (verb: string, { kind, metadata: { name = '' } }: KubeObject): void => {
    if (kind !== 'Event') writes.push(`${verb} ${kind} ${name}`);
  };
  const client: KubeClient = {
    ...kube,
    apply: (object, options) => {
      note('apply', object);
      return kube.apply(object, options);
    },
    create: (object, options) => {
      note('create', object);
      return kube.create(object, options);
    },
    get: (ref, options) => {
      // Each round reads the proxy once.
      if (ref.kind === 'Proxy') rounds += 1;
      return kube.get(ref, options);
    },
  };
  return { client, writes, rounds: () => rounds };
}

test('an update writes what the next release changes, and a round without changes writes nothing', async () => {
  const content = (version: string): Record<string, JsonObject> => ({
    '0000_10_alpha_10_kept.yaml': settings('kept', 'same'),
    '0000_10_alpha_20_changed.yaml': settings('changed', version),
    '0000_10_alpha_30_once.yaml': settings('once', 'x', {
      annotations: { 'release.openshift.io/create-only': 'true' },
    }),
    ...operatorAt('10', 'alpha', version),
  });
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', content('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', content('1.1.0')),
  };
  const { client, writes, rounds } = noting(cluster.kube);
  stack.use(await installed({ ...cluster, kube: client }, { releases, first: '1.0.0', operators: ['alpha'] }));
  expect(writes).toContain('create ConfigMap once');
  writes.length = 0;
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on alpha$/);
  await reportOperator(cluster.kube, 'alpha', { version: '1.1.0' });
  await untilAt(cluster, '1.1.0');
  expect(writes).toEqual(['apply ConfigMap changed']);
  writes.length = 0;
  const before = rounds();
  await eventually(() => expect(rounds()).toBeGreaterThan(before + 2));
  expect(writes).toEqual([]);
  await cluster.kube.delete(configMap('kept'));
  await eventually(async () => expect(await valueOf('kept')).toBe('same'));
});
