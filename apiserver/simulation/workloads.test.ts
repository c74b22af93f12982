import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { ClusterEvent } from '../core/cluster.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { simulateAnnotation, startSimulation } from './index.ts';

const as = { as: 'test' };
let cluster: MemoryCluster;
let running: AsyncDisposable;
let seen: ClusterEvent[];

beforeEach(() => {
  cluster = new MemoryCluster();
  seen = [];
  cluster.subscribe((event) => seen.push(event));
  running = startSimulation(cluster, { clock: systemClock, log: silentLogger() });
});

afterEach(async () => {
  await running[Symbol.asyncDispose]();
});

const key = { namespace: 'ns', name: 'w' };
const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'), { namespace: 'ns' });
const condition = (type: string, rest: JsonObject = {}): unknown => expect.objectContaining({ type, ...rest });
const jobs = (): ReturnType<MemoryCluster['type']> => cluster.type('jobs', 'batch');
const statusOfJob = (): unknown => cluster.get(jobs(), key)?.status;
const time = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;

function template(image = 'i:1'): JsonObject {
  return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } };
}

function workload(kind: string, spec: JsonObject, annotations: Record<string, string> = {}): KubeObject {
  const selector = { matchLabels: { app: 'a' } };
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { ...key, annotations }, spec: { selector, template: template(), ...spec } };
}

/** What happened to pods, in order: made, ready. */
function podHistory(): string[] {
  const lines = seen
    .filter(({ resource }) => resource.plural === 'pods')
    .map(({ type, object }) => {
      const { phase } = (object.status ?? {}) as JsonObject;
      return `${object.metadata.name} ${type === 'MODIFIED' && phase === 'Running' ? 'runs' : type}`;
    });
  return lines.filter((line) => line.endsWith(' ADDED') || line.endsWith(' runs'));
}

test('CTL-05 a StatefulSet makes each pod when the one before is ready, with claims that are bound', async () => {
  const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '2Gi' } } } };
  const sets = cluster.type('statefulsets', 'apps');
  await cluster.create(sets, workload('StatefulSet', { replicas: 3, volumeClaimTemplates: [claim] }), as);
  await eventually(() =>
    expect(cluster.get(sets, key)?.status).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3 }),
  );
  expect(podHistory()).toEqual(['w-0 ADDED', 'w-0 runs', 'w-1 ADDED', 'w-1 runs', 'w-2 ADDED', 'w-2 runs']);
  const claims = cluster.type('persistentvolumeclaims');
  await eventually(() =>
    expect(cluster.list(claims)).toMatchObject(
      [0, 1, 2].map((ordinal) => ({
        metadata: { name: `data-w-${ordinal}` },
        status: { phase: 'Bound', capacity: { storage: '2Gi' } },
      })),
    ),
  );
});

test('CTL-05 a StatefulSet has one revision before a change and one after it, and two while it rolls', async () => {
  const sets = cluster.type('statefulsets', 'apps');
  await cluster.create(sets, workload('StatefulSet', { replicas: 2 }), as);
  const revisions = (object: KubeObject | undefined): unknown[] => {
    const { currentRevision, updateRevision } = (object?.status ?? {}) as JsonObject;
    return [currentRevision, updateRevision];
  };
  await eventually(() =>
    expect(cluster.get(sets, key)?.status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 }),
  );
  const [before] = revisions(cluster.get(sets, key));
  expect(revisions(cluster.get(sets, key))).toEqual([before, before]);
  await cluster.patch(sets, key, { spec: { template: template('i:2') } }, as);
  await eventually(() => {
    const [current, update] = revisions(cluster.get(sets, key));
    expect(cluster.get(sets, key)?.status).toMatchObject({
      observedGeneration: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
    });
    expect(current).toBe(update);
    expect(update).not.toBe(before);
  });
  const [, after] = revisions(cluster.get(sets, key));
  const statuses = seen.filter(({ resource }) => resource.plural === 'statefulsets').map(({ object }) => object);
  expect(statuses.map((status) => revisions(status))).toContainEqual([before, after]);
});

test('a DaemonSet has a pod on each simulated Node that it selects, and on no other', async () => {
  const nodes = cluster.type('nodes');
  const node = (name: string, labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations: { [simulateAnnotation]: 'node' } },
  });
  const placed = (): readonly string[] =>
    pods()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((pod) => String((pod.spec as { nodeName?: string }).nodeName))
      .toSorted((a, b) => a.localeCompare(b));
  const withSelector = {
    ...template(),
    spec: { ...(template()['spec'] as JsonObject), nodeSelector: { os: 'linux' } },
  };
  await cluster.create(nodes, node('a', { os: 'linux' }), as);
  await cluster.create(nodes, node('windows', { os: 'windows' }), as);
  await cluster.create(cluster.type('daemonsets', 'apps'), workload('DaemonSet', { template: withSelector }), as);
  await eventually(() => expect(placed()).toEqual(['a']));
  await cluster.create(nodes, node('b', { os: 'linux' }), as);
  await eventually(() => expect(placed()).toEqual(['a', 'b']));
  await eventually(() =>
    expect(cluster.get(cluster.type('daemonsets', 'apps'), key)?.status).toMatchObject({
      desiredNumberScheduled: 2,
      numberReady: 2,
    }),
  );
  await cluster.patch(nodes, { namespace: '', name: 'a' }, { metadata: { labels: { os: 'windows' } } }, as);
  await cluster.delete(nodes, { namespace: '', name: 'b' }, as);
  await eventually(() => expect(placed()).toEqual([]));
});

test('CTL-06 a DaemonSet wants one pod on the one Node, and it is ready', async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
  await cluster.create(cluster.type('namespaces'), namespace, as);
  const sets = cluster.type('daemonsets', 'apps');
  await cluster.create(sets, workload('DaemonSet', {}), as);
  await eventually(() =>
    expect(cluster.get(sets, key)?.status).toEqual({
      currentNumberScheduled: 1,
      desiredNumberScheduled: 1,
      numberAvailable: 1,
      numberMisscheduled: 0,
      numberReady: 1,
      observedGeneration: 1,
      updatedNumberScheduled: 1,
    }),
  );
  expect(pods()).toMatchObject([{ spec: { nodeName: 'longshore' } }]);
  await eventually(() => expect(cluster.list(cluster.type('nodes'))[0]?.status).toHaveProperty('conditions'));
});

test('CTL-07 a Job whose pods succeed meets its criteria, then is complete', async () => {
  await cluster.create(jobs(), workload('Job', { completions: 3, parallelism: 2 }), as);
  const why = { status: 'True', reason: 'CompletionsReached' };
  await eventually(() =>
    expect(statusOfJob()).toEqual({
      startTime: time,
      completionTime: time,
      succeeded: 3,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [condition('SuccessCriteriaMet', why), condition('Complete', why)],
    }),
  );
});

test.each([
  [0, 1],
  [2, 3],
])('CTL-08 a Job that may try %i times again fails with its pods', async (backoffLimit, failed) => {
  const annotations = { [simulateAnnotation]: 'fail' };
  await cluster.create(jobs(), workload('Job', { backoffLimit }, annotations), as);
  const why = { status: 'True', reason: 'BackoffLimitExceeded' };
  await eventually(() =>
    expect(statusOfJob()).toEqual({
      startTime: time,
      failed,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [condition('FailureTarget', why), condition('Failed', why)],
    }),
  );
});

test('a Job annotated to fail stops soon, whatever its back-off limit', async () => {
  const annotations = { [simulateAnnotation]: 'fail' };
  await cluster.create(jobs(), workload('Job', { backoffLimit: 2_147_483_647 }, annotations), as);
  await eventually(() => expect(statusOfJob()).toMatchObject({ failed: 7 }));
});

test('a suspended Job has no pods until it may go on', async () => {
  await cluster.create(jobs(), workload('Job', { suspend: true }), as);
  await eventually(() =>
    expect(statusOfJob()).toMatchObject({
      conditions: [condition('Suspended', { status: 'True', reason: 'JobSuspended' })],
    }),
  );
  expect(pods()).toHaveLength(0);
  expect(statusOfJob()).not.toHaveProperty('startTime');
  await cluster.patch(jobs(), key, { spec: { suspend: false } }, as);
  await eventually(() =>
    expect(statusOfJob()).toMatchObject({
      succeeded: 1,
      conditions: [
        condition('Suspended', { status: 'False', reason: 'JobResumed' }),
        condition('SuccessCriteriaMet'),
        condition('Complete'),
      ],
    }),
  );
});

test('a ReplicationController has its pods ready', async () => {
  const type = cluster.type('replicationcontrollers');
  const spec = { replicas: 2, selector: { app: 'a' }, template: template() };
  await cluster.create(type, { apiVersion: 'v1', kind: 'ReplicationController', metadata: { ...key }, spec }, as);
  await eventually(() =>
    expect(cluster.get(type, key)?.status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2 }),
  );
  await cluster.patch(type, key, { spec: { replicas: 1 } }, as);
  await eventually(() => expect(pods()).toHaveLength(1));
});
