import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster, openMachineNamespace, runPod } from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { PoolActions, poolCondition } from '../../../test/support/pool-actions.ts';
import { poolRef } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { QuorumMember } from '../quorum/decide.ts';
import type { QuorumProvider } from '../quorum/provider.ts';
import { addMachineConfigPools, machineConfigPoolController } from './controller.ts';
import { etcdProblem } from './etcd-gate.ts';

const user = { fieldManager: 'test' };
const budgets = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'machines' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let pools: PoolActions;
let running: AsyncDisposable;
/** What etcd answers. */
let members: readonly QuorumMember[] | Error;

const etcd: QuorumProvider = {
  members: () => (members instanceof Error ? Promise.reject(members) : Promise.resolve(members)),
  addLearner: () => Promise.reject(new Error('not here')),
  promote: () => Promise.reject(new Error('not here')),
  remove: () => Promise.reject(new Error('not here')),
};

function member(address: string, isHealthy = true, isVoter = true): QuorumMember {
  return { id: `id-${address}`, addresses: [address], isVoter, isHealthy, isSynced: isHealthy };
}

const startController = (): Promise<AsyncDisposable> =>
  runControllers(cluster.kube, (manager) => addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20, etcd }), [
    machineConfigPoolController,
  ]);

beforeAll(async () => {
  cluster = await openMachineCluster();
  pools = new PoolActions(cluster.kube);
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  members = [];
  stack = await openMachineNamespace(cluster.kube);
  stack.defer(() => pools.removeAll());
  running = await startController();
  stack.defer(() => running[Symbol.asyncDispose]());
});

afterEach(() => stack.disposeAsync());

const held = async (pool = 'worker'): Promise<string> => poolCondition(await pools.poolNow(pool), 'RolloutHeld');

async function createBudget(name: string, app: string, spec: JsonObject): Promise<void> {
  const selector = { matchLabels: { app } };
  const { apiVersion, kind, namespace } = budgets;
  await cluster.kube.create({ apiVersion, kind, metadata: { name, namespace }, spec: { selector, ...spec } }, user);
}

async function setBudgetStatus(name: string, desiredHealthy: number): Promise<void> {
  const status = { currentHealthy: 1, desiredHealthy, expectedPods: 1, disruptionsAllowed: 1 - desiredHealthy };
  await cluster.kube.patch({ ...budgets, name }, { status }, { ...user, subresource: 'status' });
}

/** A paused pool of three nodes, whose configuration changed. */
async function preparePool(rollout: JsonObject): Promise<string> {
  const first = await pools.createPool('worker', { paused: true, maxUnavailable: 2, rollout });
  await pools.addNodes(3, () => ({ current: first }));
  return await pools.change('worker', 'two');
}

/** Starts the update with a controller that has seen all that is there. */
async function resume(): Promise<void> {
  await running[Symbol.asyncDispose]();
  await cluster.kube.patch(poolRef('worker'), { spec: { paused: false } }, user);
  running = await startController();
}

const deadlock =
  'node w1 cannot be drained: no disruption is ever allowed of pod machines/db (PodDisruptionBudget never)';

test('without the gate, a node that can never be drained is started, and an Event names the pod and its budget', async () => {
  const target = await preparePool({});
  await runPod(cluster.kube, 'w1', { name: 'db', labels: { app: 'db' } });
  await createBudget('never', 'db', { maxUnavailable: 0 });
  await setBudgetStatus('never', 1);
  await resume();
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']));
  await eventually(async () =>
    expect(await pools.eventsOf('worker')).toContain(`Warning PodDisruptionBudgetDeadlock: ${deadlock}`),
  );
});

test('T95: with the gate it is passed over, the pool is held when only such nodes are left, and goes on once the budget allows it', async () => {
  const target = await preparePool({ gates: { disruptionBudgets: true } });
  await runPod(cluster.kube, 'w1', { name: 'db', labels: { app: 'db' } });
  await createBudget('never', 'db', { maxUnavailable: 0 });
  await setBudgetStatus('never', 1);
  await resume();
  // The node is one that another user's budget blocks: it is not more than that.
  await eventually(async () => expect(await pools.started(target)).toEqual(['w2', 'w3']));
  await pools.finish('w2', target);
  await pools.finish('w3', target);
  const text = `${deadlock}. Change the budget, or the number of pods that it selects. To go on without it: longshore pool skip worker disruption-budgets`;
  await eventually(async () => expect(await held()).toBe(`True DisruptionBudgetDeadlock ${text}`));
  await eventually(async () => expect(await pools.eventsOf('worker')).toContain(`Warning RolloutHeld: ${text}`));
  expect((await pools.poolNow('worker')).status?.rollout?.hold?.gate).toBe('disruption-budgets');
  await setBudgetStatus('never', 0);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2', 'w3']), { timeoutMs: 30_000 });
  await eventually(async () => expect(await held()).toBe('False NotHeld'));
});

test('T95: a node that budgets hold is started when an administrator skips the gate', async () => {
  const target = await preparePool({ gates: { disruptionBudgets: true } });
  for (const node of ['w1', 'w2', 'w3'])
    await runPod(cluster.kube, node, { name: `db-${node}`, labels: { app: 'db' } });
  await createBudget('one', 'db', { maxUnavailable: 1 });
  await createBudget('two', 'db', { maxUnavailable: 1 });
  await resume();
  await eventually(async () =>
    expect(await held()).toMatch(
      /^True DisruptionBudgetDeadlock node w1 cannot be drained: no disruption is ever allowed of pod machines\/db-w1 \(PodDisruptionBudget (one and two|two and one)\) and 2 others\. Change/,
    ),
  );
  expect(await pools.started(target)).toEqual([]);
  const annotations = { [nodeUpdateAnnotations.skipGates]: `${target} disruption-budgets` };
  await cluster.kube.patch(poolRef('worker'), { metadata: { annotations } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']));
});

test('nodes of the control plane are started while etcd keeps its quorum without them', async () => {
  const first = await pools.createPool('master', { maxUnavailable: 2 });
  await pools.addNodes(3, () => ({ role: 'master', current: first }), 'm');
  members = [member('m1'), member('m2', false), member('m3')];
  const target = await pools.change('master', 'two');
  const text =
    '2 of 3 voting members of etcd are healthy; m2 is not; 2 are needed beside those on the nodes of the update. To go on without it: longshore pool skip master etcd-health';
  await eventually(async () => expect(await held('master')).toBe(`True EtcdNotHealthy ${text}`));
  await eventually(async () => expect(await pools.eventsOf('master')).toContain(`Warning RolloutHeld: ${text}`));
  expect(await pools.started(target)).toEqual([]);
  members = new Error('connection refused');
  await eventually(
    async () => expect(await held('master')).toMatch(/^True EtcdNotHealthy etcd does not answer: connection refused\./),
    { timeoutMs: 30_000 },
  );
  members = [member('m1'), member('m2'), member('m3')];
  await eventually(async () => expect(await pools.started(target)).toEqual(['m1']), { timeoutMs: 30_000 });
});

test('other pools, and a control plane that may lose its quorum, do not ask etcd', async () => {
  members = new Error('connection refused');
  const worker = await pools.createPool('worker');
  await pools.addNodes(1, () => ({ current: worker }));
  const first = await pools.createPool('master', { rollout: { allowQuorumLoss: true } });
  await pools.addNodes(3, () => ({ role: 'master', current: first }), 'm');
  const targets = [await pools.change('worker', 'two'), await pools.change('master', 'two')] as const;
  await eventually(async () => expect(await pools.started(targets[0])).toEqual(['w1']));
  await eventually(async () => expect(await pools.started(targets[1])).toEqual(['m1']));
});

const five = ['a', 'b', 'c', 'd', 'e'].map((name) => member(name));

test.each<{ name: string; members: readonly QuorumMember[]; nodes: readonly string[]; isHeld: boolean }>([
  { name: 'one node of three', members: five.slice(0, 3), nodes: ['a'], isHeld: false },
  { name: 'two nodes of three', members: five.slice(0, 3), nodes: ['a', 'b'], isHeld: true },
  { name: 'two nodes of five', members: five, nodes: ['a', 'b'], isHeld: false },
  { name: 'three nodes of five', members: five, nodes: ['a', 'b', 'c'], isHeld: true },
  {
    name: 'the node of the member that is not healthy',
    members: [member('a', false), member('b'), member('c')],
    nodes: ['a'],
    isHeld: false,
  },
  {
    name: 'a node beside a member that is not healthy',
    members: [member('a', false), member('b'), member('c')],
    nodes: ['b'],
    isHeld: true,
  },
  {
    name: 'a node beside a learner that is not healthy',
    members: [...five.slice(0, 3), member('x', false, false)],
    nodes: ['a'],
    isHeld: false,
  },
  { name: 'a node without a member', members: five.slice(0, 3), nodes: ['a', 'other'], isHeld: false },
  {
    name: 'two nodes, where members are on none that is known',
    members: five.slice(0, 3),
    nodes: ['x', 'y'],
    isHeld: true,
  },
  { name: 'the node of a single member', members: [member('a')], nodes: ['a'], isHeld: false },
  { name: 'a single member that is not healthy', members: [member('a', false)], nodes: ['a'], isHeld: true },
  { name: 'no members', members: [], nodes: ['a'], isHeld: true },
])('the update of $name: held $isHeld', ({ members: all, nodes, isHeld }) => {
  expect(etcdProblem({ members: all, nodes: nodes.map((name) => [name]) }) !== undefined).toBe(isHeld);
});
