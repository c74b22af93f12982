import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import {
  clusterVersion,
  conditionText,
  openReleaseCluster,
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
import { formatTimestamp, type JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});
afterEach(() => stack.disposeAsync());

const get = (name: string): Promise<KubeObject> =>
  cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
const valueOf = async (name: string): Promise<unknown> => ((await get(name))['data'] as JsonObject)['value'];
const update = (version: string): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage(version) } });

async function twoReleases(of: (version: string) => Record<string, JsonObject>): Promise<Record<string, string>> {
  return {
    '1.0.0': await smallRelease(cluster, '1.0.0', of('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', of('1.1.0')),
  };
}

/** What the operator of nodes reports while they are updated: its version is new, and it is progressing. */
async function reportUpdatingNodes(version: string): Promise<void> {
  const lastTransitionTime = formatTimestamp(Date.now());
  const states = { Available: 'True', Progressing: 'True', Degraded: 'False' };
  const conditions = Object.entries(states).map(([type, status]) => ({ type, status, lastTransitionTime }));
  const ref = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', name: 'machine-config' };
  const status = { conditions, versions: [{ name: 'operator', version }] };
  await cluster.kube.patch(ref, { status }, { fieldManager: 'nodes', subresource: 'status' });
}

test('CV-35: the files of a component are applied one after another, in the order of their names', async () => {
  const names = ['01', '02', '03', '04'];
  const releases = await twoReleases((version) =>
    Object.fromEntries(names.map((name) => [`0000_10_a_${name}_x.yaml`, settings(`x-${name}`, version)])),
  );
  stack.use(await installed(cluster, { releases, first: '1.0.0' }));
  const order = async (): Promise<readonly string[]> => {
    const found = await Promise.all(names.map(async (name) => ({ name, object: await get(`x-${name}`) })));
    const revision = ({ object }: (typeof found)[number]): number => Number(object.metadata.resourceVersion);
    return found.toSorted((a, b) => revision(a) - revision(b)).map(({ name }) => name);
  };
  expect(await order()).toEqual(names);
  await update('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect(await valueOf('x-04')).toBe('1.1.0');
  expect(await order()).toEqual(names);
});

test('CV-29, CV-30: nodes are updated last, and the update is complete while they still are', async () => {
  const releases = await twoReleases((version) => ({
    ...operatorAt('30', 'quay', version),
    '0000_80_machine-config_10_pool.yaml': settings('pool', version),
    ...operatorAt('80', 'machine-config', version),
  }));
  const operators = ['quay', 'machine-config'];
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators }));
  await update('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on quay$/);
  expect(await valueOf('pool')).toBe('1.0.0');
  await reportOperator(cluster.kube, 'quay', { version: '1.1.0' });
  await untilCondition(cluster, 'Progressing', /waiting on machine-config$/);
  expect(await valueOf('pool')).toBe('1.1.0');
  await reportUpdatingNodes('1.1.0');
  await untilAt(cluster, '1.1.0');
  const [newest] = (await clusterVersion(cluster.kube)).status?.history ?? [];
  expect(newest).toMatchObject({ state: 'Completed', version: '1.1.0' });
});

test('CV-27: a new process continues the update that has replaced the Deployment of the old one', async () => {
  const releases = await twoReleases((version) => ({
    '0000_00_engine_03_deployment.yaml': settings('engine', version),
    ...operatorAt('10', 'quay', version),
  }));
  const before = await installed(cluster, { releases, first: '1.0.0', operators: ['quay'] });
  await update('1.1.0');
  await eventually(async () => expect(await valueOf('engine')).toBe('1.1.0'));
  await untilCondition(cluster, 'Progressing', /waiting on quay$/);
  await before[Symbol.asyncDispose]();
  // The new process is started from the new release.
  stack.use(await runEngine(cluster, { releases, first: '1.1.0' }));
  await reportOperator(cluster.kube, 'quay', { version: '1.1.0' });
  await untilAt(cluster, '1.1.0');
  const current = await clusterVersion(cluster.kube);
  expect((current.status?.history ?? []).map(({ state, version }) => `${state} ${version}`)).toEqual([
    'Completed 1.1.0',
    'Completed 1.0.0',
  ]);
  expect(conditionText(current, 'Failing')).toBe('False');
});
