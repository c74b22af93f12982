import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster, runPod, stopPod } from '../../../test/support/machine-cluster.ts';
import { runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import {
  configObject,
  createPoolNode,
  filesConfig,
  type PoolNodeOptions,
  poolObject,
  poolRef,
} from '../../../test/support/pool-cluster.ts';
import { type MachineConfigPool, nodeUpdateAnnotations, parseMachineConfigPool } from '../../api/index.ts';
import { type JsonObject, systemClock } from '../../base/index.ts';
import { findObject, type KubeObject } from '../../kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from '../machine-config-pool/controller.ts';
import { addNodeDrains, nodeDrainController } from '../node-drain/controller.ts';
import { addNodeAgent, nodeAgentController } from './controller.ts';
import type { NodeHost } from './host.ts';
import { SimulatedHosts } from './simulated-host.ts';

const user = { fieldManager: 'test' };
const keys = nodeUpdateAnnotations;
const configKind = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' };
const poolKind = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' };
const nodeRef = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name });
const rebootSeconds = 'simulation.longshore.dev/reboot-seconds';

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let hosts: SimulatedHosts;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  hosts = new SimulatedHosts({ kube: cluster.kube, clock: systemClock });
  stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'machines'));
  stack.defer(removeAll);
});

afterEach(() => stack.disposeAsync());

async function removeAll(): Promise<void> {
  for (const { metadata } of (await cluster.kube.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'machines' }))
    .items) {
    await cluster.kube
      .evict({ namespace: 'machines', name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
      .catch(() => undefined);
  }
  for (const kind of [poolKind, configKind, { apiVersion: 'v1', kind: 'Node' }]) {
    for (const { metadata } of (await cluster.kube.list(kind)).items) {
      await cluster.kube.delete({ ...kind, name: metadata.name ?? '' }).catch(() => undefined);
    }
  }
}

interface Parts {
  readonly hostOf?: (node: KubeObject) => NodeHost | undefined;
  readonly hasAgent?: boolean;
  readonly hasDrain?: boolean;
}

async function start({
  hostOf = (node) => hosts.hostOf(node),
  hasAgent = true,
  hasDrain = true,
}: Parts = {}): Promise<AsyncDisposable> {
  return await runControllers(
    cluster.kube,
    (manager) => {
      addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
      if (hasDrain) addNodeDrains(manager);
      if (hasAgent) addNodeAgent(manager, { hostOf });
    },
    [machineConfigPoolController, nodeDrainController, nodeAgentController],
  );
}

async function use(parts: Parts = {}): Promise<void> {
  stack.use(await start(parts));
}

async function poolNow(name = 'worker'): Promise<MachineConfigPool> {
  return parseMachineConfigPool(await cluster.kube.get(poolRef(name)));
}

async function annotation(name: string, key: string): Promise<string> {
  return (await cluster.kube.get(nodeRef(name))).metadata.annotations?.[key] ?? '';
}

async function createPool(spec: JsonObject = {}, config: JsonObject = {}): Promise<void> {
  await cluster.kube.create(
    configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }), ...config }),
    user,
  );
  await cluster.kube.create(poolObject('worker', spec), user);
}

async function addNodes(count: number, options: (index: number) => PoolNodeOptions = () => ({})): Promise<void> {
  for (let index = 1; index <= count; index++) await createPoolNode(cluster.kube, `w${index}`, options(index));
}

async function whenUpdated(name = 'worker'): Promise<string> {
  return await eventually(async () => {
    const { spec, status } = await poolNow(name);
    const target = spec.configuration?.name ?? 'none';
    expect(status?.conditions?.find(({ type }) => type === 'Updated')?.message).toBe(
      `All nodes are updated with MachineConfig ${target}`,
    );
    return target;
  });
}

async function change(text: string, more: JsonObject = {}): Promise<string> {
  const old = (await poolNow()).spec.configuration?.name;
  await cluster.kube.patch(
    { ...configKind, name: '00-worker' },
    { spec: { config: filesConfig({ '/etc/a': text }), ...more } },
    user,
  );
  return await eventually(async () => {
    const target = (await poolNow()).spec.configuration?.name ?? '';
    expect(target).not.toBe(old);
    return target;
  });
}

async function isCordoned(name: string): Promise<boolean> {
  const { spec } = await cluster.kube.get(nodeRef(name));
  return (spec as JsonObject)['unschedulable'] === true;
}

async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
  await cluster.kube.patch(nodeRef(name), { metadata: { annotations } }, user);
}

async function eventsOf(name: string): Promise<readonly string[]> {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event' });
  const own = items.filter(({ involvedObject }) => (involvedObject as JsonObject)['name'] === name);
  return own.map(({ type, reason, message }) => `${type as string} ${reason as string}: ${message as string}`);
}

const podOf = (name: string) =>
  findObject(cluster.kube, { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name });

test('a node that is new begins with the configuration of its pool, without a drain', async () => {
  await use();
  await createPool();
  await addNodes(2);
  const target = await whenUpdated();
  expect([await annotation('w1', keys.currentConfig), await annotation('w1', keys.desiredDrain)]).toEqual([target, '']);
});

test('MP-04: a node is cordoned and drained, updated, restarted and uncordoned', async () => {
  await use();
  await createPool();
  await addNodes(1, () => ({ annotations: { [rebootSeconds]: '1' } }));
  await whenUpdated();
  await runPod(cluster.kube, 'w1', { name: 'web' });
  const target = await change('two');
  await eventually(async () => expect((await podOf('web'))?.metadata.deletionTimestamp).toBeDefined());
  expect(await isCordoned('w1')).toBe(true);
  expect([await annotation('w1', keys.state), await annotation('w1', keys.desiredDrain)]).toEqual([
    'Working',
    `drain-${target}`,
  ]);
  expect(await annotation('w1', keys.drainBlocked)).toBe('machines/web (Terminating)');
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect(await annotation('w1', keys.postConfigAction)).toBe('Rebooting'));
  await eventually(async () => expect(await annotation('w1', keys.currentConfig)).toBe(target));
  expect(await isCordoned('w1')).toBe(false);
  expect(await annotation('w1', keys.desiredDrain)).toBe(`uncordon-${target}`);
  expect(await annotation('w1', keys.lastAppliedDrain)).toBe(`uncordon-${target}`);
  await whenUpdated();
  const texts = await eventsOf('w1');
  expect(texts).toContain('Normal Drain: Draining node to update config.');
  expect(texts).toContain(`Normal Reboot: Node will reboot into config ${target}`);
  expect(texts).toContain(`Normal Uncordon: Update completed for config ${target} and node has been uncordoned`);
});

test('five nodes with a limit of two are all updated, never more than two at a time', async () => {
  await use();
  await createPool({ maxUnavailable: 2 });
  await addNodes(5);
  await whenUpdated();
  let most = 0;
  const watching = new AbortController();
  const watch = (async () => {
    while (!watching.signal.aborted) {
      const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Node' });
      most = Math.max(most, items.filter(({ spec }) => (spec as JsonObject)['unschedulable'] === true).length);
    }
  })();
  await change('two');
  const target = await whenUpdated();
  watching.abort();
  await watch;
  expect(most).toBe(2);
  for (let index = 1; index <= 5; index++) expect(await annotation(`w${index}`, keys.currentConfig)).toBe(target);
});

test('MP-30: a node that is uncordoned during its drain is cordoned again', async () => {
  await use();
  await createPool();
  await addNodes(1);
  await whenUpdated();
  await runPod(cluster.kube, 'w1', { name: 'web' });
  const target = await change('two');
  await eventually(async () => expect(await isCordoned('w1')).toBe(true));
  await cluster.kube.patch(nodeRef('w1'), { spec: { unschedulable: null } }, user);
  await eventually(async () => expect(await isCordoned('w1')).toBe(true));
  expect(await annotation('w1', keys.lastAppliedDrain)).not.toBe(`drain-${target}`);
  await stopPod(cluster.kube, 'web');
  await whenUpdated();
});

test('MP-32: the node of a control plane of one is not drained', async () => {
  await use();
  await createPool();
  await addNodes(1, () => ({ annotations: { [keys.controlPlaneTopology]: 'SingleReplica' } }));
  await whenUpdated();
  await runPod(cluster.kube, 'w1', { name: 'web' });
  await change('two');
  await whenUpdated();
  expect((await podOf('web'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await eventsOf('w1')).toContain('Normal Drain: Drain not required, skipping');
});

test.each([
  { actions: [{ type: 'None' }], isDrained: false },
  { actions: [{ type: 'Reload', unit: 'crio.service' }], isDrained: false },
  { actions: [{ type: 'Drain' }, { type: 'Restart', unit: 'web.service' }], isDrained: true },
])('MP-33: a change that asks for $actions restarts no node', async ({ actions, isDrained }) => {
  await use();
  await createPool({}, { nodeDisruption: [{ path: '/etc/a', actions }] });
  await addNodes(1);
  await whenUpdated();
  const target = await change('two');
  await eventually(async () => expect(await annotation('w1', keys.currentConfig)).toBe(target));
  expect(await annotation('w1', keys.desiredDrain)).toBe(isDrained ? `uncordon-${target}` : '');
  expect(await eventsOf('w1')).not.toContain(`Normal Reboot: Node will reboot into config ${target}`);
});

test('ML-61: a node that an administrator cordoned during its update stays cordoned', async () => {
  await use({ hasDrain: false });
  await createPool();
  await addNodes(1);
  await whenUpdated();
  const target = await change('two');
  await eventually(async () => expect(await annotation('w1', keys.desiredDrain)).toBe(`drain-${target}`));
  await cluster.kube.patch(nodeRef('w1'), { spec: { unschedulable: true } }, user);
  stack.use(await runControllers(cluster.kube, (manager) => addNodeDrains(manager)));
  await eventually(async () => expect(await annotation('w1', keys.currentConfig)).toBe(target));
  expect(await isCordoned('w1')).toBe(true);
});

test('an update that fails shows as Degraded, stops the pool, and goes on when it can', async () => {
  await use();
  await createPool();
  await addNodes(2, () => ({ annotations: { 'simulation.longshore.dev/fail-update': 'no space left on device' } }));
  await whenFirstFails();
  await annotate('w1', { 'simulation.longshore.dev/fail-update': null });
  await annotate('w2', { 'simulation.longshore.dev/fail-update': null });
  await whenUpdated();
  await annotate('w1', { 'simulation.longshore.dev/fail-update': 'no space left on device' });
  const target = await change('two');
  await eventually(async () =>
    expect((await poolNow()).status?.conditions?.find(({ type }) => type === 'Degraded')?.message).toBe(
      'Node w1 is reporting: "no space left on device"',
    ),
  );
  expect(await annotation('w2', keys.desiredConfig)).not.toBe(target);
  await annotate('w1', { 'simulation.longshore.dev/fail-update': null });
  await whenUpdated();
  expect(await annotation('w1', keys.reason)).toBe('');
});

/** A new node whose first configuration cannot be written. */
async function whenFirstFails(): Promise<void> {
  await eventually(async () => expect(await annotation('w1', keys.state)).toBe('Degraded'));
}

test('a node that drifts from its configuration is degraded until it no longer does', async () => {
  await use();
  await createPool();
  await addNodes(1);
  const target = await whenUpdated();
  await annotate('w1', { 'simulation.longshore.dev/drift': 'content mismatch for file "/etc/a"' });
  await eventually(async () => {
    expect(await annotation('w1', keys.state)).toBe('Degraded');
    expect(await annotation('w1', keys.reason)).toBe(
      `unexpected on-disk state validating against ${target}: content mismatch for file "/etc/a"`,
    );
  });
  await annotate('w1', { 'simulation.longshore.dev/drift': null });
  await eventually(async () => expect(await annotation('w1', keys.state)).toBe('Done'));
});

test('a rendered configuration that was changed by hand is not applied', async () => {
  await use({ hasAgent: false });
  await createPool();
  const target = await eventually(async () => {
    const name = (await poolNow()).spec.configuration?.name;
    if (name === undefined) throw new Error('no target');
    return name;
  });
  await cluster.kube.patch(
    { ...configKind, name: target },
    { spec: { config: filesConfig({ '/etc/shadow': 'x' }) } },
    user,
  );
  stack.use(
    await runControllers(cluster.kube, (manager) => addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) })),
  );
  await addNodes(1);
  await eventually(async () =>
    expect(await annotation('w1', keys.reason)).toBe(
      `MachineConfig ${target} was changed after it was rendered; delete it, and it is rendered again`,
    ),
  );
  expect(await annotation('w1', keys.currentConfig)).toBe('');
});

test('MP-37: a node whose gate does not pass stays cordoned, and its pool starts no other one', async () => {
  await use();
  await createPool({ rollout: { gates: { daemonSetsReady: true, timeout: '1s' } } });
  await addNodes(2);
  await whenUpdated();
  const kind = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
  const labels = { app: 'agent' };
  const containers = [{ name: 'main', image: 'example.org/agent' }];
  const daemonSet = {
    ...kind,
    metadata: { namespace: 'machines', name: 'agent' },
    spec: {
      selector: { matchLabels: labels },
      // The controller of a real cluster takes the pod for one of an older template.
      updateStrategy: { type: 'OnDelete' },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
  const { uid = '' } = (await cluster.kube.create(daemonSet, user)).metadata;
  // A pod whose owner does not exist would be garbage.
  const ownerReferences = [{ ...kind, name: 'agent', uid, controller: true }];
  const metadata = { namespace: 'machines', name: 'agent-1', ownerReferences, labels };
  const spec = { nodeName: 'w1', containers };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec }, user);
  const target = await change('two');
  await eventually(async () => {
    expect(await annotation('w1', keys.state)).toBe('Degraded');
    expect(await annotation('w1', keys.reason)).toBe(
      'the node was updated, but a gate of its pool does not pass: pod machines/agent-1 of a DaemonSet not ready. To go on without it: longshore pool skip worker daemon-sets',
    );
  });
  expect(await isCordoned('w1')).toBe(true);
  expect(await annotation('w2', keys.desiredConfig)).not.toBe(target);
  const annotations = { [keys.skipGates]: `${target} daemon-sets` };
  await cluster.kube.patch(poolRef('worker'), { metadata: { annotations } }, user);
  await whenUpdated();
  expect(await isCordoned('w1')).toBe(false);
});
