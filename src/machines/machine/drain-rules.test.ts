import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  joinNode,
  MemoryProvider,
  machineObject,
  machinePlace,
  openMachineCluster,
  openMachineNamespace,
  readMachine,
  runPod,
  stopPod,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { drainRuleResource, machineLabels, nodeUpdateAnnotations } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject } from '../../kube/index.ts';
import { addNodeDrains, nodeDrainController } from '../node-drain/controller.ts';
import { addMachines, machineController } from './controller.ts';

const user = { fieldManager: 'test' };
const definitions = [machineController, nodeDrainController];

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = await openMachineNamespace(cluster.kube);
  stack.defer(async () => {
    const { items } = await cluster.kube.list(drainRuleResource);
    for (const { metadata } of items) await cluster.kube.delete({ ...drainRuleResource, name: metadata.name ?? '' });
  });
});

afterEach(() => stack.disposeAsync());

async function createRule(name: string, spec: JsonObject): Promise<void> {
  const { apiVersion, kind } = drainRuleResource;
  await cluster.kube.create({ apiVersion, kind, metadata: { name }, spec }, user);
}

const app = (name: string): JsonObject => ({ matchLabels: { app: name } });

/** A running machine whose Node has a pod of each name. */
async function runMachine(pods: readonly string[]): Promise<string> {
  const labels = { [machineLabels.cluster]: 'test', tier: 'data' };
  await cluster.kube.create(machineObject('a', { labels }), user);
  const node = await joinNode(cluster.kube, 'a');
  for (const name of pods) await runPod(cluster.kube, node, { name, labels: { app: name } });
  return node;
}

async function deleteMachine(): Promise<void> {
  const provider = new MemoryProvider();
  stack.use(await runControllers(cluster.kube, (manager) => addMachines(manager, { actuator: provider }), definitions));
  await eventually(async () =>
    expect((await cluster.kube.get({ ...machinePlace, name: 'a' })).metadata.finalizers).toHaveLength(1),
  );
  await cluster.kube.delete({ ...machinePlace, name: 'a' });
}

const podOf = (name: string) =>
  findObject(cluster.kube, { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name });
const isLeaving = async (name: string): Promise<boolean> => {
  const pod = await podOf(name);
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
};

async function expectBlocking(pod: string, cause: string): Promise<void> {
  await eventually(async () =>
    expect((await readMachine(cluster.kube, 'a')).status?.drain?.blocking).toEqual([{ pod: `machines/${pod}`, cause }]),
  );
}

test('ML-59: pods that a DrainRule of order -10 selects are gone before those of order 10 start', async () => {
  await createRule('late', { podSelector: app('late'), order: 10 });
  await createRule('early', { podSelector: app('early'), order: -10 });
  await runMachine(['late', 'early']);
  await deleteMachine();
  await expectBlocking('early', 'Terminating');
  expect(await isLeaving('late')).toBe(false);
  await stopPod(cluster.kube, 'early');
  await expectBlocking('late', 'Terminating');
  await stopPod(cluster.kube, 'late');
  await eventually(async () => expect(await findObject(cluster.kube, { ...machinePlace, name: 'a' })).toBeUndefined());
});

test('ML-60: a pod that a DrainRule waits for is not evicted; without the rule it is', async () => {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'machines' } };
  await createRule('jobs', { podSelector: app('job'), namespaceSelector, behavior: 'WaitCompleted' });
  await runMachine(['job']);
  await deleteMachine();
  await expectBlocking('job', 'WaitCompleted by DrainRule jobs');
  expect(await isLeaving('job')).toBe(false);
  const { conditions = [] } = (await readMachine(cluster.kube, 'a')).status ?? {};
  expect(conditions.find(({ type }) => type === 'Drained')).toMatchObject({
    status: 'False',
    reason: 'PodsAwaited',
    message:
      'Node drain waits until pods have completed: machines/job (WaitCompleted by DrainRule jobs). To evict machines/job instead, change DrainRule jobs',
  });
  await cluster.kube.delete({ ...drainRuleResource, name: 'jobs' });
  await expectBlocking('job', 'Terminating');
});

test('a DrainRule with a machineSelector is for nodes of such machines, also where a pool drains them', async () => {
  await createRule('other', { machineSelector: { matchLabels: { tier: 'web' } }, behavior: 'Skip' });
  await createRule('this', {
    podSelector: app('kept'),
    machineSelector: { matchLabels: { tier: 'data' } },
    behavior: 'Skip',
  });
  const node = await runMachine(['kept', 'going']);
  stack.use(await runControllers(cluster.kube, (manager) => addNodeDrains(manager), definitions));
  const { desiredDrain, lastAppliedDrain } = nodeUpdateAnnotations;
  const ref = { apiVersion: 'v1', kind: 'Node', name: node };
  await cluster.kube.patch(ref, { metadata: { annotations: { [desiredDrain]: 'drain-b' } } }, user);
  await stopPod(cluster.kube, 'going');
  await eventually(async () =>
    expect((await cluster.kube.get(ref)).metadata.annotations?.[lastAppliedDrain]).toBe('drain-b'),
  );
  expect(await isLeaving('kept')).toBe(false);
});

test('a DrainRule that the watch has not shown yet keeps its pod', async () => {
  const node = await runMachine(['kept', 'going']);
  using held = holdWatch(cluster.kube, 'DrainRule');
  stack.use(await runControllers(held.kube, (manager) => addNodeDrains(manager)));
  await createRule('new', { podSelector: app('kept'), behavior: 'Skip' });
  const ref = { apiVersion: 'v1', kind: 'Node', name: node };
  const { desiredDrain, lastAppliedDrain } = nodeUpdateAnnotations;
  await cluster.kube.patch(ref, { metadata: { annotations: { [desiredDrain]: 'drain-b' } } }, user);
  await stopPod(cluster.kube, 'going');
  await eventually(async () =>
    expect((await cluster.kube.get(ref)).metadata.annotations?.[lastAppliedDrain]).toBe('drain-b'),
  );
  expect(await isLeaving('kept')).toBe(false);
});

test.each([
  [{ behavior: 'Delete' }, /spec\.behavior/],
  [{ order: 2 ** 31 }, /spec\.order/],
  [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }, /In and NotIn need values/],
  [{ machineSelector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } }, /operator/],
])('the DrainRule %j is refused', async (spec, message) => {
  await expect(createRule('bad', spec)).rejects.toThrow(message);
});
