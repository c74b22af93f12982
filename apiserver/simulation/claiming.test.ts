import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { Cluster, ClusterEvent } from '../core/index.ts';
import type { KubeObject, ObjectMeta } from '../core/kube-object.ts';
import { claimChildren, keysOfClaims } from './claiming.ts';
import { startSimulation } from './index.ts';

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'w' };
const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
let cluster: MemoryCluster;

runForEachTest((world) => {
  ({ cluster } = world);
  return startSimulation(cluster, { clock: systemClock, log: silentLogger() });
});

const workloads = [
  { kind: 'ReplicaSet', plural: 'replicasets', group: 'apps', selector: { matchLabels: labels } },
  { kind: 'ReplicationController', plural: 'replicationcontrollers', group: '', selector: labels },
  { kind: 'StatefulSet', plural: 'statefulsets', group: 'apps', selector: { matchLabels: labels } },
  { kind: 'DaemonSet', plural: 'daemonsets', group: 'apps', selector: { matchLabels: labels } },
] as const;
type Workload = (typeof workloads)[number];

async function createWorkload({ kind, plural, group, selector }: Workload): Promise<KubeObject> {
  const spec = {
    selector,
    template,
    ...(kind === 'DaemonSet' ? { updateStrategy: { type: 'OnDelete' } } : { replicas: 1 }),
  };
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  return await cluster.create(cluster.type(plural, group), { apiVersion, kind, metadata: { ...key }, spec }, as);
}

async function createPod(name: string, metadata: Partial<ObjectMeta> = {}): Promise<KubeObject> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name, labels, ...metadata } };
  return await cluster.create(cluster.type('pods'), { ...pod, spec: template.spec }, as);
}

const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'), { namespace: 'ns' });
const pod = (name: string): KubeObject | undefined => cluster.get(cluster.type('pods'), { namespace: 'ns', name });
const ownersOf = (object: KubeObject | undefined): unknown[] =>
  (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);

test.each(workloads)('a $kind adopts a pod that its selector selects and that has no owner', async (workload) => {
  await createPod('w-0');
  const { metadata } = await createWorkload(workload);
  await eventually(() => {
    expect(ownersOf(pod('w-0'))).toEqual([metadata.uid]);
    expect(cluster.get(cluster.type(workload.plural, workload.group), key)?.status).toMatchObject({
      observedGeneration: 1,
    });
  });
  expect(pods().filter((one) => ownersOf(one).includes(metadata.uid))).toHaveLength(1);
});

test.each(workloads)('a $kind releases a pod whose labels no longer match, and replaces it', async (workload) => {
  const { metadata } = await createWorkload(workload);
  await eventually(() => expect(pods()).toHaveLength(1));
  const name = pods()[0]?.metadata.name ?? '';
  await cluster.patch(cluster.type('pods'), { namespace: 'ns', name }, { metadata: { labels: { app: 'b' } } }, as);
  await eventually(() => expect(ownersOf(pod(name))).toEqual([]));
  if (workload.kind === 'StatefulSet') return; // the name of its pod is taken
  await eventually(() => expect(pods().filter((one) => ownersOf(one).includes(metadata.uid))).toHaveLength(1));
  expect(pod(name)).toBeDefined();
});

test('a pod of another owner is left to it, and one that is being deleted is not adopted', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'other', controller: true };
  await createPod('owned', { ownerReferences: [owner] });
  await createPod('ending', { finalizers: ['example.com/hold'] });
  await cluster.delete(cluster.type('pods'), { namespace: 'ns', name: 'ending' }, as);
  const [replicaSet] = workloads;
  await createWorkload(replicaSet);
  await eventually(() =>
    expect(cluster.get(cluster.type('replicasets', 'apps'), key)?.status).toMatchObject({ readyReplicas: 1 }),
  );
  expect(ownersOf(pod('owned'))).toEqual(['other']);
  expect(ownersOf(pod('ending'))).toEqual([]);
});

test('what an orphaning deletion has released is not adopted again for an owner as it was read before', async () => {
  const [replicaSet] = workloads;
  const type = cluster.type(replicaSet.plural, replicaSet.group);
  const owner = await createWorkload(replicaSet);
  await eventually(() => expect(pods()).toHaveLength(1));
  await cluster.patch(type, key, { metadata: { finalizers: ['example.com/hold'] } }, as);
  const claim = { cluster, type: cluster.type('pods'), owner, as: 'test' };
  await cluster.delete(type, key, as);
  await createPod('w-0');
  await claimChildren(claim);
  expect(ownersOf(pod('w-0'))).toEqual([]);
  await cluster.patch(type, key, { metadata: { finalizers: null } }, as);
  expect(cluster.get(type, key)).toBeUndefined();
  await claimChildren(claim);
  expect(ownersOf(pod('w-0'))).toEqual([]);
});

test('a Deployment adopts a ReplicaSet with its template under any name, and releases one that it no longer selects', async () => {
  const selector = { matchLabels: labels };
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { namespace: 'ns', name: 'mine', labels } };
  const sets = cluster.type('replicasets', 'apps');
  await cluster.create(sets, { ...set, spec: { replicas: 1, selector, template } }, as);
  const { metadata } = await cluster.create(
    cluster.type('deployments', 'apps'),
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...key }, spec: { replicas: 1, selector, template } },
    as,
  );
  const mine = { namespace: 'ns', name: 'mine' };
  await eventually(() => expect(ownersOf(cluster.get(sets, mine))).toEqual([metadata.uid]));
  await eventually(() =>
    expect(cluster.get(cluster.type('deployments', 'apps'), key)?.status).toMatchObject({ availableReplicas: 1 }),
  );
  expect(cluster.list(sets)).toHaveLength(1);
  await cluster.patch(sets, mine, { metadata: { labels: { app: 'b' } } }, as);
  await eventually(() => expect(ownersOf(cluster.get(sets, mine))).toEqual([]));
  await eventually(() => expect(cluster.list(sets)).toHaveLength(2));
});

test('orphans lead to their namespace once, and no workload is read for each of them', () => {
  const type = cluster.type('replicasets', 'apps');
  // Reads nothing: whatever it is asked for fails.
  const { keysOf } = keysOfClaims({} as Cluster, type, ['pods']);
  const eventOf = (name: string): ClusterEvent => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', name, labels: { app: name } } };
    return { type: 'ADDED', resource: cluster.type('pods'), object: object as KubeObject, previous: undefined };
  };
  const keys = ['p1', 'p2', 'p3'].flatMap((name) => [...keysOf(eventOf(name))]);
  expect(new Set(keys)).toEqual(new Set(['a/']));
});
