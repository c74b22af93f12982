import { expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { simulateAnnotation, startSimulation } from './index.ts';

const as = { as: 'test' };
const status = { ...as, subresource: 'status' } as const;
const key = { namespace: 'ns', name: 'p' };
let cluster: MemoryCluster;

runForEachTest((world) => {
  ({ cluster } = world);
  return startSimulation(cluster, { clock: systemClock, log: silentLogger() });
});

async function createPod(spec: JsonObject): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...key }, spec: { containers, ...spec } };
  await cluster.create(cluster.type('pods'), pod, as);
}

const conditions = (): JsonObject[] =>
  ((cluster.get(cluster.type('pods'), key)?.status as JsonObject | undefined)?.['conditions'] ?? []) as JsonObject[];
const condition = (type: string): JsonObject | undefined => conditions().find((one) => one['type'] === type);

async function setCondition(type: string, value: string): Promise<void> {
  const others = conditions().filter((one) => one['type'] !== type);
  const set = [...others, { type, status: value }];
  await cluster.patch(cluster.type('pods'), key, { status: { conditions: set } }, status);
}

test('the kubelet leaves conditions alone that another controller set', async () => {
  await createPod({});
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
  await setCondition('example.com/checked', 'True');
  await cluster.patch(cluster.type('pods'), key, { metadata: { labels: { seen: 'yes' } } }, as);
  // The kubelet sees this last write only after those before it.
  await setCondition('Initialized', 'False');
  await eventually(() => expect(condition('Initialized')).toMatchObject({ status: 'True' }));
  expect(condition('example.com/checked')).toMatchObject({ status: 'True' });
});

test('a pod with readiness gates is ready once their conditions are True', async () => {
  await createPod({ readinessGates: [{ conditionType: 'example.com/gate' }] });
  const refused = { status: 'False', reason: 'ReadinessGatesNotReady' };
  await eventually(() => {
    expect(condition('ContainersReady')).toMatchObject({ status: 'True' });
    expect(condition('Ready')).toMatchObject({
      ...refused,
      message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
    });
  });
  await setCondition('example.com/gate', 'False');
  const message = 'the status of pod readiness gate "example.com/gate" is not "True", but False';
  await eventually(() => expect(condition('Ready')).toMatchObject({ ...refused, message }));
  await setCondition('example.com/gate', 'True');
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
});

async function createNode(name: string, labels: Record<string, string>, spec: JsonObject = {}): Promise<void> {
  const metadata = { name, labels, annotations: { [simulateAnnotation]: 'node' } };
  await cluster.create(cluster.type('nodes'), { apiVersion: 'v1', kind: 'Node', metadata, spec }, as);
}

const placedOn = (): unknown =>
  (cluster.get(cluster.type('pods'), key)?.['spec'] as JsonObject | undefined)?.['nodeName'];

test('a pod waits for a Node that its selector and required affinity select, and reports why it waits', async () => {
  await createNode('other', { disk: 'ssd' });
  const matchExpressions = [{ key: 'cores', operator: 'Gt', values: ['4'] }];
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  await createPod({ nodeSelector: { disk: 'ssd' }, affinity });
  const message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
  const refused = { status: 'False', reason: 'Unschedulable', message };
  await eventually(() => expect(condition('PodScheduled')).toMatchObject(refused));
  await eventually(() =>
    expect(cluster.list(cluster.type('events'))).toEqual([
      expect.objectContaining({ type: 'Warning', reason: 'FailedScheduling', message }),
    ]),
  );
  expect(cluster.get(cluster.type('pods'), key)?.['status']).toMatchObject({ phase: 'Pending' });
  await cluster.patch(
    cluster.type('nodes'),
    { namespace: '', name: 'other' },
    { metadata: { labels: { cores: '8' } } },
    as,
  );
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
  expect(placedOn()).toBe('other');
  expect(condition('PodScheduled')).toMatchObject({ status: 'True' });
  // Labels that change later do not matter to a pod that runs.
  await cluster.patch(
    cluster.type('nodes'),
    { namespace: '', name: 'other' },
    { metadata: { labels: { cores: '2' } } },
    as,
  );
  expect(condition('Ready')).toMatchObject({ status: 'True' });
});

test.each(['control-plane', 'master', 'worker'])(
  'the Node that there always is runs pods for Nodes of the role %s',
  async (role) => {
    await createPod({ nodeSelector: { [`node-role.kubernetes.io/${role}`]: '' } });
    await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
    expect(placedOn()).toBe('longshore');
  },
);

test('the Node that there always is leaves pods to another one that has the role, until that is deleted', async () => {
  const role = 'node-role.kubernetes.io/worker';
  await createNode('worker', { [role]: '' }, { unschedulable: true });
  await createPod({ nodeSelector: { [role]: '' } });
  const message =
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable.";
  await eventually(() => expect(condition('PodScheduled')).toMatchObject({ reason: 'Unschedulable', message }));
  await cluster.delete(cluster.type('nodes'), { namespace: '', name: 'worker' }, as);
  await eventually(() => expect(placedOn()).toBe('longshore'));
});

test('a pod that names its Node and tolerates that it is cordoned runs there; one that does not tolerate it waits', async () => {
  await createNode('cordoned', {}, { unschedulable: true });
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['cordoned'] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  await createPod({ affinity });
  const message =
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable.";
  await eventually(() => expect(condition('PodScheduled')).toMatchObject({ reason: 'Unschedulable', message }));
  await cluster.delete(cluster.type('pods'), key, { ...as, gracePeriodSeconds: 0 });
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }];
  await createPod({ affinity, tolerations });
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
  expect(placedOn()).toBe('cordoned');
});
