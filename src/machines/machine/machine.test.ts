import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  invalidConfiguration,
  joinNode,
  type MachineOptions,
  MemoryProvider,
  machineObject,
  openMachineCluster,
  openMachineNamespace,
  readMachine,
  runPod,
  setReady,
  stopPod,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { type Machine, machineAnnotations, machineResource } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject } from '../../kube/index.ts';
import { ActuatorError, RequeueAfter } from '../actuator.ts';
import type { MachineSettings } from './context.ts';
import { addMachines, machineController } from './controller.ts';

const user = { fieldManager: 'test' };
const place = { ...machineResource, namespace: 'machines' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let provider: MemoryProvider;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  provider = new MemoryProvider();
  stack = await openMachineNamespace(cluster.kube);
});

afterEach(() => stack.disposeAsync());

/** Runs the controller with the permissions of its definition alone. */
async function start(settings: MachineSettings = {}): Promise<AsyncDisposable> {
  return await runControllers(cluster.kube, (manager) => addMachines(manager, { actuator: provider, settings }), [
    machineController,
  ]);
}

async function use(settings: MachineSettings = {}): Promise<void> {
  stack.use(await start(settings));
}

const now = (name: string): Promise<Machine> => readMachine(cluster.kube, name);
const remove = (name: string): Promise<unknown> => cluster.kube.delete({ ...place, name });
const exists = async (name: string): Promise<boolean> =>
  (await findObject(cluster.kube, { ...place, name })) !== undefined;
const nodeExists = async (name: string): Promise<boolean> =>
  (await findObject(cluster.kube, { apiVersion: 'v1', kind: 'Node', name })) !== undefined;
const podOf = (name: string) =>
  findObject(cluster.kube, { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name });
const isEvicted = async (name: string): Promise<boolean> =>
  (await podOf(name))?.metadata.deletionTimestamp !== undefined;

function condition(machine: Machine, type: string): string {
  const found = machine.status?.conditions?.find((one) => one.type === type);
  return found === undefined
    ? 'none'
    : [found.status, found.severity, found.reason, found.message].filter(Boolean).join(' ');
}

async function setHooks(name: string, lifecycleHooks: JsonObject): Promise<void> {
  await cluster.kube.patch({ ...place, name }, { spec: { lifecycleHooks } }, user);
}

/** A running machine with a node. */
async function running(
  name: string,
  options: MachineOptions = {},
  labels: Record<string, string> = {},
): Promise<string> {
  await cluster.kube.create(machineObject(name, options), user);
  await eventually(async () => expect((await now(name)).spec?.providerID).toBe(`memory:///${name}`));
  const node = await joinNode(cluster.kube, name, labels);
  await eventually(async () => expect((await now(name)).status?.nodeRef?.name).toBe(node));
  return node;
}

async function eventsOf(name: string): Promise<string[]> {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'machines' });
  const own = items.filter(({ involvedObject }) => (involvedObject as JsonObject)['name'] === name);
  return own.map(({ reason, message }) => `${reason as string}: ${message as string}`);
}

const hook = (name: string, owner = 'backup-controller'): JsonObject => ({ name, owner });

test('ML-01, ML-11, ML-18: the node is drained, the instance deleted, then the Node and the machine', async () => {
  await use();
  const node = await running('a');
  await runPod(cluster.kube, node, { name: 'web' });
  provider.isSlow = true;
  await remove('a');
  await eventually(async () => expect(await isEvicted('web')).toBe(true));
  await eventually(async () =>
    expect((await now('a')).status).toMatchObject({ phase: 'Deleting', drain: { remaining: 1 } }),
  );
  expect(provider.calls).toEqual(['create a']);
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect(condition(await now('a'), 'Drained')).toBe('True Drain finished successfully'));
  await eventually(() => expect(provider.calls).toContain('delete a'));
  expect([await nodeExists(node), await exists('a')]).toEqual([true, true]);
  provider.finishDeletions();
  // Every 30 s the provider is asked; a change of the machine is quicker.
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { labels: { poke: 'yes' } } }, user);
  await eventually(async () => expect([await nodeExists(node), await exists('a')]).toEqual([false, false]));
  await eventually(async () =>
    expect(await eventsOf('a')).toEqual(
      expect.arrayContaining(['DrainProceeds: Node drain proceeds', 'DrainSucceeded: Node drain succeeded']),
    ),
  );
});

test('ML-02, ML-04, ML-12, ML-13: nothing is evicted before the last preDrain hook is removed', async () => {
  await use();
  const preDrain = [hook('Backup'), hook('Migrate')];
  const node = await running('a', { spec: { lifecycleHooks: { preDrain } } });
  await runPod(cluster.kube, node, { name: 'web' });
  expect(condition(await now('a'), 'Drainable')).toBe(
    'False Warning HookPresent Drain operation currently blocked by: [{Name:Backup Owner:backup-controller} {Name:Migrate Owner:backup-controller}]',
  );
  await remove('a');
  await eventually(async () => expect(await eventsOf('a')).toContain('DrainBlocked: Drain blocked by pre-drain hook'));
  await setHooks('a', { preDrain: [hook('Migrate')] });
  await eventually(async () => expect(condition(await now('a'), 'Drainable')).toMatch(/Migrate/));
  expect(await isEvicted('web')).toBe(false);
  await setHooks('a', { preDrain: [] });
  await eventually(async () => expect(await isEvicted('web')).toBe(true));
  expect(condition(await now('a'), 'Drainable')).toBe('True');
});

test('ML-03, ML-16, ML-17: with a preTerminate hook the node is drained, and the instance stays', async () => {
  await use();
  const preTerminate = [hook('Detach', 'storage')];
  const node = await running('a', { spec: { lifecycleHooks: { preTerminate } } });
  await remove('a');
  await eventually(async () => expect(condition(await now('a'), 'Drained')).toMatch(/^True/));
  expect(condition(await now('a'), 'Terminable')).toBe(
    'False Warning HookPresent Terminate operation currently blocked by: [{Name:Detach Owner:storage}]',
  );
  expect(provider.calls).toEqual(['create a']);
  expect(await nodeExists(node)).toBe(true);
  await setHooks('a', { preTerminate: [] });
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(new Set(provider.calls)).toEqual(new Set(['create a', 'delete a']));
});

test('ML-14, ML-15, ML-58: a budget that holds the drain is named, and releases it', async () => {
  await use();
  const node = await running('a');
  await runPod(cluster.kube, node, { name: 'web', labels: { app: 'web' } });
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
  const ref = { ...budget, namespace: 'machines', name: 'keep-web' };
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  await cluster.kube.create({ ...budget, metadata: { namespace: 'machines', name: 'keep-web' }, spec }, user);
  // Where no controller of budgets runs; one that does writes the same.
  const report = async (desiredHealthy: number): Promise<void> => {
    const { generation: observedGeneration = 1 } = (await cluster.kube.get(ref)).metadata;
    const counts = { currentHealthy: 1, desiredHealthy, expectedPods: 1, disruptionsAllowed: 1 - desiredHealthy };
    await cluster.kube.patch(ref, { status: { ...counts, observedGeneration } }, { ...user, subresource: 'status' });
  };
  await report(1);
  await remove('a');
  await eventually(async () =>
    expect(condition(await now('a'), 'Drained')).toBe(
      'False Warning DrainError could not drain machine: machines/web (PodDisruptionBudget keep-web)',
    ),
  );
  expect((await now('a')).status?.drain).toMatchObject({
    remaining: 1,
    blocking: [{ pod: 'machines/web', cause: 'PodDisruptionBudget keep-web' }],
  });
  await eventually(async () =>
    expect(await eventsOf('a')).toContain(
      'PodDisruptionBudgetDeadlock: PodDisruptionBudgets that allow no disruption, even when all their pods are healthy: machines/keep-web',
    ),
  );
  expect(await isEvicted('web')).toBe(false);
  await cluster.kube.patch(ref, { spec: { minAvailable: 0 } }, user);
  await report(0);
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-34, ML-35: without a node, or with the annotation, nothing is drained, but preDrain hooks are awaited', async () => {
  await use();
  const excluded = { annotations: { [machineAnnotations.excludeNodeDraining]: '' } };
  const node = await running('a', { ...excluded, spec: { lifecycleHooks: { preDrain: [hook('Backup')] } } });
  await runPod(cluster.kube, node, { name: 'web' });
  await remove('a');
  await eventually(async () => expect(await eventsOf('a')).toContain('DrainBlocked: Drain blocked by pre-drain hook'));
  expect(await exists('a')).toBe(true);
  await setHooks('a', { preDrain: [], preTerminate: [hook('Detach')] });
  await eventually(async () => expect(condition(await now('a'), 'Drained')).toBe('True Node drain skipped'));
  expect(await isEvicted('web')).toBe(false);
  await cluster.kube.create(machineObject('b', { spec: { lifecycleHooks: { preTerminate: [hook('Detach')] } } }), user);
  await eventually(async () => expect((await now('b')).spec?.providerID).toBeDefined());
  await remove('b');
  await eventually(async () => expect(condition(await now('b'), 'Drained')).toBe('True Node drain skipped'));
});

test('ML-35: as in the reference, hooks are not awaited where nothing is drained', async () => {
  await use({ skipDrainIgnoresHooks: true });
  await cluster.kube.create(machineObject('a', { spec: { lifecycleHooks: { preDrain: [hook('Backup')] } } }), user);
  await eventually(async () => expect((await now('a')).spec?.providerID).toBeDefined());
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-33: hooks of a machine that is not being deleted show in both conditions, and do no harm', async () => {
  await use();
  const lifecycleHooks = { preDrain: [hook('Backup')], preTerminate: [hook('Detach')] };
  await running('a', { spec: { lifecycleHooks } });
  const machine = await now('a');
  expect([condition(machine, 'Drainable'), condition(machine, 'Terminable')]).toEqual([
    expect.stringContaining('False Warning HookPresent'),
    expect.stringContaining('False Warning HookPresent'),
  ]);
});

test('ML-05, ML-49: a deletion puts the machine into Deleting; without the finalizer nothing is done', async () => {
  const machine = machineObject('b');
  machine.metadata.finalizers = ['example.org/held'];
  // Before there are controllers, which would add theirs.
  await cluster.kube.create(machine, user);
  await cluster.kube.delete({ ...place, name: 'b' });
  await use();
  await running('a', { spec: { lifecycleHooks: { preDrain: [{ name: 'Wait', owner: 'test' }] } } });
  await remove('a');
  await eventually(async () => expect((await now('a')).status?.phase).toBe('Deleting'));
  await cluster.kube.patch({ ...place, name: 'b' }, { metadata: { labels: { seen: 'yes' } } }, user);
  // The other machine goes on, so that the controller has worked since.
  await setHooks('a', { preDrain: null });
  await eventually(async () => expect(await exists('a')).toBe(false));
  const { status, metadata } = await now('b');
  expect(metadata.finalizers).not.toContain('machine.machine.openshift.io');
  expect(status?.phase).not.toBe('Deleting');
  expect(provider.calls).not.toContain('delete b');
});

test('ML-36: a machine whose Node does not exist counts as drained', async () => {
  await use();
  const node = await running('a');
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'Node', name: node });
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('a Node that the watch has not shown yet is drained and deleted', async () => {
  using held = holdWatch(cluster.kube, 'Node');
  stack.use(await runControllers(held.kube, (manager) => addMachines(manager, { actuator: provider })));
  const node = await running('a');
  await runPod(cluster.kube, node, { name: 'web' });
  await remove('a');
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(await nodeExists(node)).toBe(false);
});

test('a Node of another uid that has the name is not touched', async () => {
  await use();
  const node = await running('a');
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'Node', name: node });
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } }, user);
  await runPod(cluster.kube, node, { name: 'web' });
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(await isEvicted('web')).toBe(false);
  const other = await cluster.kube.get({ apiVersion: 'v1', kind: 'Node', name: node });
  expect(other['spec']).not.toHaveProperty('unschedulable');
});

test('the Node of another machine, which users name in the status of theirs, is neither drained nor deleted', async () => {
  await use();
  const node = await running('a');
  await runPod(cluster.kube, node, { name: 'web' });
  const ref = { apiVersion: 'v1', kind: 'Node', name: node };
  await cluster.kube.patch(
    ref,
    { metadata: { annotations: { [machineAnnotations.machineOfNode]: 'machines/a' } } },
    user,
  );
  const nodeRef = (await now('a')).status?.nodeRef as unknown as JsonObject;
  await cluster.kube.create(machineObject('forged'), user);
  await eventually(async () => expect((await now('forged')).spec?.providerID).toBe('memory:///forged'));
  await cluster.kube.patch({ ...place, name: 'forged' }, { status: { nodeRef } }, { ...user, subresource: 'status' });
  await remove('forged');
  await eventually(async () => expect(await exists('forged')).toBe(false));
  expect([await isEvicted('web'), await nodeExists(node)]).toEqual([false, true]);
  // Its own machine takes it along.
  await remove('a');
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect([await exists('a'), await nodeExists(node)]).toEqual([false, false]));
});

test('ML-37, ML-38: nodes of the control plane go one after the other, workers at once', async () => {
  await use();
  const master = { 'node-role.kubernetes.io/control-plane': '' };
  const nodes = [
    await running('m1', {}, master),
    await running('m2', {}, master),
    await running('w1'),
    await running('w2'),
  ];
  for (const node of nodes) await runPod(cluster.kube, node, { name: `on-${node}` });
  await remove('m1');
  await eventually(async () => expect(await isEvicted('on-node-m1')).toBe(true));
  for (const name of ['m2', 'w1', 'w2']) await remove(name);
  await eventually(async () => {
    expect(await isEvicted('on-node-w1')).toBe(true);
    expect(await isEvicted('on-node-w2')).toBe(true);
    expect(condition(await now('m2'), 'Drained')).toMatch(/drain not permitted/);
  });
  expect(await isEvicted('on-node-m2')).toBe(false);
  await stopPod(cluster.kube, 'on-node-m1');
  await eventually(async () => expect(await isEvicted('on-node-m2')).toBe(true));
});

test('ML-39: on a node that does not answer, pods are not waited for', async () => {
  await use();
  const node = await running('a');
  await runPod(cluster.kube, node, { name: 'web' });
  await setReady(cluster.kube, node, 'Unknown');
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(await isEvicted('web')).toBe(true);
});

test('ML-44: a drain is not repeated by the next process', async () => {
  const first = await start();
  const preTerminate = [hook('Detach'), hook('Flush')];
  const node = await running('a', { spec: { lifecycleHooks: { preTerminate } } });
  await remove('a');
  await eventually(async () => expect(condition(await now('a'), 'Drained')).toMatch(/^True/));
  await first[Symbol.asyncDispose]();
  await runPod(cluster.kube, node, { name: 'late' });
  await use();
  await setHooks('a', { preTerminate: [hook('Flush')] });
  await eventually(async () => expect(condition(await now('a'), 'Terminable')).not.toMatch(/Detach/));
  expect(await isEvicted('late')).toBe(false);
  await setHooks('a', { preTerminate: [] });
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-45: what a provider calls invalid keeps no machine that it gave no address', async () => {
  await use();
  provider.failures.create.push(invalidConfiguration());
  await cluster.kube.create(machineObject('a'), user);
  await eventually(async () =>
    expect((await now('a')).status).toMatchObject({ phase: 'Failed', errorReason: 'InvalidConfiguration' }),
  );
  provider.failures.delete.push(invalidConfiguration());
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-46: a provider that asks for time is called again', async () => {
  await use();
  await running('a');
  provider.failures.delete.push(new RequeueAfter(20));
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(provider.calls.filter((call) => call === 'delete a').length).toBeGreaterThanOrEqual(2);
});

test('what the provider fails with is an Event, and holds a deletion', async () => {
  await use();
  provider.failures.create.push(new ActuatorError('InsufficientResources', 'zone b is full'));
  await running('a');
  await eventually(async () => expect(await eventsOf('a')).toContain('FailedCreate: zone b is full'));
  provider.failures.delete.push(
    ...Array.from({ length: 50 }, () => new ActuatorError('DeleteError', 'the instance is locked')),
  );
  await remove('a');
  await eventually(async () =>
    expect(condition(await now('a'), 'DeletionHeld')).toBe(
      'True ProviderFailed the provider does not end the instance: the instance is locked',
    ),
  );
  expect(await eventsOf('a')).toContain('FailedDelete: the instance is locked');
  provider.failures.delete.length = 0;
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-47, ML-48: a machine whose instance vanished has failed, and is deleted in the usual order', async () => {
  await use();
  const node = await running('a', { spec: { lifecycleHooks: { preDrain: [hook('Backup')] } } });
  provider.instances.delete('a');
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { labels: { poke: 'yes' } } }, user);
  await eventually(async () => {
    const machine = await now('a');
    expect(machine.status).toMatchObject({ phase: 'Failed', errorMessage: "can't find created instance" });
    expect(condition(machine, 'InstanceExists')).toBe('False Warning InstanceMissing Instance not found on provider');
    expect(machine.metadata.annotations?.[machineAnnotations.instanceState]).toBe('Unknown');
  });
  await remove('a');
  await eventually(async () => expect(await eventsOf('a')).toContain('DrainBlocked: Drain blocked by pre-drain hook'));
  expect(await nodeExists(node)).toBe(true);
  await setHooks('a', { preDrain: [] });
  await eventually(async () => expect([await exists('a'), await nodeExists(node)]).toEqual([false, false]));
});

test('ML-50: a machine without the label of a cluster is refused, but can be deleted', async () => {
  await use();
  await cluster.kube.create(machineObject('a', { labels: { other: 'x' } }), user);
  await eventually(async () =>
    expect(await eventsOf('a')).toContain(
      'FailedValidate: a: machine validation failed: metadata.labels: Invalid value: missing machine.openshift.io/cluster-api-cluster label.',
    ),
  );
  expect(provider.calls).toEqual([]);
  const finalizers = ['machine.machine.openshift.io'];
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { finalizers } }, user);
  await remove('a');
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('ML-07: the annotation deletes a machine with the setting for it', async () => {
  await use({ deleteAnnotation: 'Delete' });
  await running('a');
  const annotations = { [machineAnnotations.deleteMachine]: 'yes' };
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { annotations } }, user);
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('another Node that has the name by now is not deleted with the machine', async () => {
  await use();
  const node = await running('a', { spec: { lifecycleHooks: { preTerminate: [hook('Detach')] } } });
  await remove('a');
  await eventually(async () => expect(condition(await now('a'), 'Drained')).toMatch(/^True/));
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'Node', name: node });
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } }, user);
  await setHooks('a', { preTerminate: [] });
  await eventually(async () => expect(await exists('a')).toBe(false));
  expect(await nodeExists(node)).toBe(true);
});

test('hooks that hold a deletion are a condition with their age, and are removed by force with a Warning', async () => {
  await use();
  const lifecycleHooks = { preDrain: [hook('Stuck'), hook('Other', 'other')], preTerminate: [hook('Stuck')] };
  await running('a', { spec: { lifecycleHooks } });
  await remove('a');
  const since = (await now('a')).metadata.deletionTimestamp ?? '';
  const both = '[{Name:Stuck Owner:backup-controller} {Name:Other Owner:other}]';
  await eventually(async () =>
    expect(condition(await now('a'), 'DeletionHeld')).toBe(
      `True HookPresent preDrain hooks ${both} hold the deletion since ${since}`,
    ),
  );
  const annotations = { [machineAnnotations.forceHookRemoval]: 'Stuck, unknown' };
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { annotations } }, user);
  await eventually(async () =>
    expect(condition(await now('a'), 'DeletionHeld')).toContain('[{Name:Other Owner:other}] hold'),
  );
  const text = '[{Name:Stuck Owner:backup-controller} {Name:Stuck Owner:backup-controller}]';
  await eventually(async () => expect((await eventsOf('a')).join('\n')).toContain(`HookRemovedByForce: Hooks ${text}`));
  expect((await now('a')).metadata.annotations).not.toHaveProperty(machineAnnotations.forceHookRemoval);
  await setHooks('a', { preDrain: null });
  await eventually(async () => expect(await exists('a')).toBe(false));
});

test('of many hooks, a hundred are listed', async () => {
  await use();
  const preDrain = Array.from({ length: 256 }, (_, index) => hook(`Hook${index}`));
  await cluster.kube.create(machineObject('many', { spec: { lifecycleHooks: { preDrain } } }), user);
  await eventually(async () =>
    expect(condition(await now('many'), 'Drainable')).toMatch(
      /\{Name:Hook99 Owner:backup-controller\}\] and 156 others$/,
    ),
  );
});
