import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster } from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { PoolActions, poolCondition } from '../../../test/support/pool-actions.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject } from '../../kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from './controller.ts';

const user = { fieldManager: 'test' };
const keys = nodeUpdateAnnotations;
const configKind = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' };
const nodeRef = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name });

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let pools: PoolActions;

beforeAll(async () => {
  cluster = await openMachineCluster();
  pools = new PoolActions(cluster.kube);
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(() => {
  stack = new AsyncDisposableStack();
  stack.defer(() => pools.removeAll());
});

afterEach(() => stack.disposeAsync());

/** Runs the controller with the permissions of its definition alone. */
async function use(delayMs = 20): Promise<void> {
  const running = await runControllers(
    cluster.kube,
    (manager) => addMachineConfigPools(manager, { version: '1.0.0', delayMs }),
    [machineConfigPoolController],
  );
  stack.use(running);
}

test('the configuration is rendered with a name of its content, and MachineConfigs that merge to the same give no new one', async () => {
  await use();
  const first = await pools.createPool('worker');
  expect(first).toMatch(/^rendered-worker-[0-9a-f]{32}$/);
  const rendered = await cluster.kube.get({ ...configKind, name: first });
  expect(rendered.metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'MachineConfigPool', name: 'worker', controller: true }),
  ]);
  expect((await pools.poolNow('worker')).spec.configuration?.source).toEqual([{ ...configKind, name: '00-worker' }]);
  await eventually(async () =>
    expect(await pools.eventsOf('worker')).toContain(
      `Normal RenderedConfigGenerated: ${first} successfully generated (release version: , controller version: 1.0.0)`,
    ),
  );
  const second = await pools.change('worker', 'two');
  expect(await pools.change('worker', 'one')).toBe(first);
  expect(second).not.toBe(first);
});

test('the same content of another release is the same configuration, with the version of that release', async () => {
  await cluster.kube.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }), user);
  await cluster.kube.create(poolObject('worker'), user);
  const names: string[] = [];
  for (const releaseVersion of ['4.1.0', '4.2.0']) {
    await using _running = await runControllers(
      cluster.kube,
      (manager) => addMachineConfigPools(manager, { version: '1.0.0', releaseVersion, delayMs: 20 }),
      [machineConfigPoolController],
    );
    names.push(await pools.targetOf('worker'));
    await eventually(async () => {
      const { metadata } = await cluster.kube.get({ ...configKind, name: await pools.targetOf('worker') });
      expect(metadata.annotations?.[keys.releaseVersion]).toBe(releaseVersion);
    });
  }
  expect(names[1]).toBe(names[0]);
});

test('a configuration that cannot be rendered shows, and the last target stays', async () => {
  await use();
  const target = await pools.createPool('worker');
  const spec = { config: filesConfig({ '/etc/../etc/shadow': 'x' }) };
  await cluster.kube.create(configObject('50-bad', 'worker', spec), user);
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'RenderDegraded')).toBe(
      'True Failed to render configuration for pool worker: could not generate rendered MachineConfig: MachineConfig 50-bad: file "/etc/../etc/shadow": it is not a clean path to a file',
    ),
  );
  expect(poolCondition(await pools.poolNow('worker'), 'Degraded')).toBe('True');
  expect(await pools.targetOf('worker')).toBe(target);
  await cluster.kube.delete({ ...configKind, name: '50-bad' });
  await eventually(async () => expect(poolCondition(await pools.poolNow('worker'), 'Degraded')).toBe('False'));
});

test('a pool without MachineConfigs reports it', async () => {
  await use();
  await cluster.kube.create(poolObject('worker'), user);
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'RenderDegraded')).toBe(
      'True Failed to render configuration for pool worker: no MachineConfigs found matching selector machineconfiguration.openshift.io/role=worker',
    ),
  );
});

test('MP-01: the control plane and the workers begin without waiting for each other', async () => {
  await use();
  const [master, worker] = [await pools.createPool('master'), await pools.createPool('worker')];
  await pools.addNodes(3, () => ({ role: 'master', current: master }), 'm');
  await pools.addNodes(2, () => ({ current: worker }));
  await eventually(async () => expect(poolCondition(await pools.poolNow('master'), 'Updated')).toMatch(/^True/));
  const [nextMaster, nextWorker] = [await pools.change('master', 'two'), await pools.change('worker', 'two')];
  await eventually(async () => {
    expect(await pools.started(nextMaster)).toHaveLength(1);
    expect(await pools.started(nextWorker)).toHaveLength(1);
  });
});

test('MP-05, MP-06, MP-07: five nodes with a limit of three, that finish in another order than they began', async () => {
  await use();
  const first = await pools.createPool('worker', { maxUnavailable: 3 });
  await pools.addNodes(5, (index) => ({ current: first, zone: `z${index}` }));
  const target = await pools.change('worker', 'two');
  const unavailable = async () => (await pools.poolNow('worker')).status?.unavailableMachineCount;
  await eventually(async () => {
    expect(await pools.started(target)).toEqual(['w1', 'w2', 'w3']);
    expect(await unavailable()).toBe(3);
  });
  const steps = [
    ['w2', ['w1', 'w2', 'w3', 'w4'], 3],
    ['w1', ['w1', 'w2', 'w3', 'w4', 'w5'], 3],
    ['w3', ['w1', 'w2', 'w3', 'w4', 'w5'], 2],
    ['w5', ['w1', 'w2', 'w3', 'w4', 'w5'], 1],
    ['w4', ['w1', 'w2', 'w3', 'w4', 'w5'], 0],
  ] as const;
  for (const [name, expected, count] of steps) {
    await pools.finish(name, target);
    await eventually(async () => {
      expect(await pools.started(target)).toEqual(expected);
      expect(await unavailable()).toBe(count);
    });
  }
  await eventually(async () => {
    const pool = await pools.poolNow('worker');
    expect(poolCondition(pool, 'Updated')).toBe(`True All nodes are updated with MachineConfig ${target}`);
    expect(poolCondition(pool, 'Updating')).toBe('False');
    expect(pool.status?.configuration?.name).toBe(target);
    await eventually(async () =>
      expect(await pools.eventsOf('worker')).toContain(
        `Normal Completed: Pool worker has completed update to MachineConfig ${target}`,
      ),
    );
  });
});

test('MP-05: an updated node that is cordoned or not ready still counts', async () => {
  await use();
  const first = await pools.createPool('worker');
  await pools.addNodes(2, () => ({ current: first }));
  const target = await pools.change('worker', 'two');
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await cluster.kube.patch(nodeRef('w1'), { spec: { unschedulable: true } }, user);
  await pools.finish('w1', target);
  await eventually(async () =>
    expect((await pools.poolNow('worker')).status).toMatchObject({
      updatedMachineCount: 1,
      readyMachineCount: 0,
      unavailableMachineCount: 1,
    }),
  );
  expect(await pools.started(target)).toEqual(['w1']);
  await cluster.kube.patch(nodeRef('w1'), { spec: { unschedulable: null } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']));
});

test('MP-08: the columns while the workers are updated', async () => {
  await use();
  const [master, worker] = [await pools.createPool('master'), await pools.createPool('worker')];
  await pools.addNodes(3, () => ({ role: 'master', current: master }), 'm');
  await pools.addNodes(2, () => ({ current: worker }));
  await eventually(async () => expect(poolCondition(await pools.poolNow('worker'), 'Updated')).toMatch(/^True/));
  const target = await pools.change('worker', 'two');
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await pools.finish('w1', target);
  const row = async (name: string) => {
    const { status } = await pools.poolNow(name);
    const word = (type: string) => status?.conditions?.find((one) => one.type === type)?.status;
    const counts = [
      status?.machineCount,
      status?.readyMachineCount,
      status?.updatedMachineCount,
      status?.degradedMachineCount,
    ];
    return [status?.configuration?.name, word('Updated'), word('Updating'), word('Degraded'), ...counts];
  };
  await eventually(async () => expect(await row('worker')).toEqual([worker, 'False', 'True', 'False', 2, 1, 1, 0]));
  expect(await row('master')).toEqual([master, 'True', 'False', 'False', 3, 3, 3, 0]);
});

test('MP-09: a limit that would cost a control plane its quorum is not used, unless that is allowed', async () => {
  await use();
  const first = await pools.createPool('master', { maxUnavailable: 3 });
  await pools.addNodes(3, () => ({ role: 'master', current: first }), 'm');
  const target = await pools.change('master', 'two');
  await eventually(async () => {
    expect(await pools.started(target)).toHaveLength(1);
    await eventually(async () =>
      expect(await pools.eventsOf('master')).toContain(
        'Warning MaxUnavailableExceedsQuorum: maxUnavailable 3 of 3 control plane nodes would lose the quorum; 1 is used. Set spec.rollout.allowQuorumLoss to allow it.',
      ),
    );
  });
  await cluster.kube.patch(poolRef('master'), { spec: { rollout: { allowQuorumLoss: true } } }, user);
  await eventually(async () => expect(await pools.started(target)).toHaveLength(3));
});

test('MP-10: a limit that is no number starts no node, and the status is written', async () => {
  await use();
  const first = await pools.createPool('worker');
  await pools.addNodes(2, () => ({ current: first }));
  await cluster.kube.patch(poolRef('worker'), { spec: { maxUnavailable: '50 percent' } }, user);
  const target = await pools.change('worker', 'two');
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'Updating')).toBe(
      `True All nodes are updating to MachineConfig ${target}; maxUnavailable: invalid value for IntOrString: invalid type: string "50 percent" is not a percentage`,
    ),
  );
  expect(await pools.started(target)).toEqual([]);
});

test('MP-23: the node that runs the operator is updated last', async () => {
  await use();
  const first = await pools.createPool('master');
  await pools.addNodes(2, () => ({ role: 'master', current: first }), 'm');
  const metadata = { namespace: 'default', name: 'operator', labels: { 'k8s-app': 'machine-config-operator' } };
  const spec = { nodeName: 'm1', containers: [{ name: 'main', image: 'example.org/operator' }] };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec }, user);
  stack.defer(() => cluster.kube.evict({ namespace: 'default', name: 'operator' }, { gracePeriodSeconds: 0 }));
  const target = await pools.change('master', 'two');
  await eventually(async () => {
    expect(await pools.started(target)).toEqual(['m2']);
    await eventually(async () =>
      expect(await pools.eventsOf('master')).toContain(
        'Normal DeferringOperatorNodeUpdate: Deferring update of machine config operator node m1',
      ),
    );
  });
  await pools.finish('m2', target);
  await eventually(async () => expect(await pools.started(target)).toEqual(['m1', 'm2']));
});

test('MP-25: a paused pool starts no node, gets new targets all the same, and goes on when it is resumed', async () => {
  await use();
  const first = await pools.createPool('worker', { paused: true });
  await pools.addNodes(2, () => ({ current: first }));
  const target = await pools.change('worker', 'two');
  await eventually(async () => {
    const pool = await pools.poolNow('worker');
    expect(poolCondition(pool, 'Updating')).toBe(`False Pool is paused; will not update to MachineConfig ${target}`);
    expect(poolCondition(pool, 'Updated')).toBe('False');
  });
  expect(await pools.started(target)).toEqual([]);
  await cluster.kube.patch(poolRef('worker'), { spec: { paused: false } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
});

test('MP-26: a degraded node shows with its reason', async () => {
  await use();
  const target = await pools.createPool('worker');
  await createPoolNode(cluster.kube, 'w1', {
    current: 'v0',
    desired: target,
    state: 'Degraded',
    reason: 'no "space" left',
  });
  await eventually(async () => {
    const pool = await pools.poolNow('worker');
    const text = 'Node w1 is reporting: "no \\"space\\" left"';
    expect(poolCondition(pool, 'NodeDegraded')).toBe(`True NodesDegraded ${text}`);
    expect(poolCondition(pool, 'Degraded')).toBe(`True ${text}`);
    expect(pool.status?.degradedMachineCount).toBe(1);
  });
  await pools.finish('w1', target);
  await eventually(async () => expect(poolCondition(await pools.poolNow('worker'), 'Degraded')).toBe('False'));
});

test('MP-27: a pool with a node that is not ready is not updated', async () => {
  await use();
  const target = await pools.createPool('worker');
  await pools.addNodes(2, (index) => ({ current: target, ready: index === 1 ? 'Unknown' : 'True' }));
  await eventually(async () =>
    expect((await pools.poolNow('worker')).status).toMatchObject({
      machineCount: 2,
      updatedMachineCount: 2,
      readyMachineCount: 1,
      unavailableMachineCount: 1,
    }),
  );
  expect(poolCondition(await pools.poolNow('worker'), 'Updated')).toBe('False');
});

test('MP-34: a control plane waits while its arbiter is unavailable, and the arbiter until all masters are updated', async () => {
  await use();
  const [master, arbiter] = [await pools.createPool('master'), await pools.createPool('arbiter')];
  await pools.addNodes(2, () => ({ role: 'master', current: master }), 'm');
  await createPoolNode(cluster.kube, 'a1', { role: 'arbiter', current: arbiter, ready: 'False' });
  const [nextMaster, nextArbiter] = [await pools.change('master', 'two'), await pools.change('arbiter', 'two')];
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('master'), 'Updating')).toMatch(/1 arbiter nodes are unavailable$/),
  );
  expect(await pools.started(nextMaster)).toEqual([]);
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  await cluster.kube.patch(nodeRef('a1'), { status }, { ...user, subresource: 'status' });
  await eventually(async () => expect(await pools.started(nextMaster)).toEqual(['m1']));
  expect(await pools.started(nextArbiter)).toEqual([]);
  await pools.finish('m1', nextMaster);
  await eventually(async () => expect(await pools.started(nextMaster)).toEqual(['m1', 'm2']));
  expect(await pools.started(nextArbiter)).toEqual([]);
  await pools.finish('m2', nextMaster);
  await eventually(async () => expect(await pools.started(nextArbiter)).toEqual(['a1']));
});

test('nodes that wait have the taint UpdateInProgress; other taints stay', async () => {
  await use();
  const first = await pools.createPool('worker');
  await pools.addNodes(2, () => ({ current: first }));
  await cluster.kube.patch(nodeRef('w2'), { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }, user);
  const target = await pools.change('worker', 'two');
  const taints = async (name: string) => {
    const { spec } = await cluster.kube.get(nodeRef(name));
    return ((spec as JsonObject)['taints'] ?? []) as JsonObject[];
  };
  const inProgress = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' };
  await eventually(async () => expect(await taints('w2')).toEqual([{ key: 'gpu', effect: 'NoSchedule' }, inProgress]));
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await pools.finish('w1', target);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']));
  await eventually(async () => expect(await taints('w2')).toEqual([{ key: 'gpu', effect: 'NoSchedule' }]));
});

test('a selector without requirements selects nothing, and an Event reports it', async () => {
  await use();
  const pool = poolObject('worker', { nodeSelector: {} });
  await cluster.kube.create(configObject('00-worker', 'worker'), user);
  await cluster.kube.create(pool, user);
  await eventually(async () =>
    expect(await pools.eventsOf('worker')).toContain(
      'Warning SelectingAll: This machineconfigpool is selecting all nodes. A non-empty selector is required.',
    ),
  );
  expect((await pools.poolNow('worker')).status?.machineCount).toBeUndefined();
});

test('MP-28: changes that come together lead to one round', async () => {
  await use(500);
  const first = await pools.createPool('worker');
  for (const text of ['two', 'three']) {
    const spec = { config: filesConfig({ '/etc/a': text }) };
    await cluster.kube.patch({ ...configKind, name: '00-worker' }, { spec }, user);
  }
  await eventually(async () => expect(await pools.targetOf('worker')).not.toBe(first));
  const { items } = await cluster.kube.list(configKind);
  expect(items.filter(({ metadata }) => metadata.name?.startsWith('rendered-'))).toHaveLength(2);
});

test('MP-35: outside of its maintenance windows a pool starts no node, and reports when the next one opens', async () => {
  await use();
  const tomorrow = new Date(Date.now() + 86_400_000);
  const day = tomorrow.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  const maintenanceWindows = [{ days: [day], start: '12:00', duration: '1h' }];
  const first = await pools.createPool('worker', { rollout: { maintenanceWindows } });
  await pools.addNodes(1, () => ({ current: first }));
  const target = await pools.change('worker', 'two');
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'Updating')).toBe(
      `True All nodes are updating to MachineConfig ${target}; the next maintenance window opens at ${tomorrow.toISOString().slice(0, 10)}T12:00:00Z`,
    ),
  );
  expect(await pools.started(target)).toEqual([]);
  await cluster.kube.patch(poolRef('worker'), { spec: { rollout: { maintenanceWindows: [] } } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
});

test('MP-40: nodes are not updated to a kubelet that is newer than the API server', async () => {
  await use();
  const first = await pools.createPool('worker');
  await pools.addNodes(1, () => ({ current: first }));
  await cluster.kube.create(configObject('50-kubelet', 'worker', { kubernetesVersion: 'v1.99.0' }), user);
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'Updating')).toMatch(
      /; kubelet v1\.99\.0 would be newer than the API server v1\./,
    ),
  );
  expect(await pools.started(await pools.targetOf('worker'))).toEqual([]);
  expect((await pools.annotationsOf('w1'))[keys.desiredConfig]).toBe(first);
});

test('a degraded pool halts others, if it is set to', async () => {
  await use();
  const infra = await pools.createPool('infra', { rollout: { haltOnDegraded: true } });
  const first = await pools.createPool('worker');
  await pools.addNodes(1, () => ({ current: first }));
  await createPoolNode(cluster.kube, 'i1', {
    role: 'infra',
    current: 'v0',
    desired: infra,
    state: 'Degraded',
    reason: 'no',
  });
  await eventually(async () => expect(poolCondition(await pools.poolNow('infra'), 'Degraded')).toMatch(/^True/));
  const target = await pools.change('worker', 'two');
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'Updating')).toMatch(
      /pool infra is degraded and halts other pools$/,
    ),
  );
  expect(await pools.started(target)).toEqual([]);
});

test('ML-62: the node of a machine that is being deleted does not belong to the pool any more, and takes capacity', async () => {
  await use();
  const first = await pools.createPool('worker');
  await pools.addNodes(2, () => ({ current: first }));
  const machine = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', namespace: 'default', name: 'gone' };
  const metadata = { namespace: 'default', name: 'gone', finalizers: ['test.example.org/held'] };
  await cluster.kube.create({ apiVersion: machine.apiVersion, kind: 'Machine', metadata, spec: {} }, user);
  await cluster.kube.patch(
    machine,
    { status: { nodeRef: { kind: 'Node', name: 'w1' } } },
    { ...user, subresource: 'status' },
  );
  await cluster.kube.delete(machine);
  await eventually(async () => expect((await pools.poolNow('worker')).status?.machineCount).toBe(1));
  const target = await pools.change('worker', 'two');
  await eventually(async () => expect(poolCondition(await pools.poolNow('worker'), 'Updating')).toMatch(/^True/));
  expect(await pools.started(target)).toEqual([]);
  await cluster.kube.patch(machine, { metadata: { finalizers: null } }, user);
  await eventually(async () => expect(await findObject(cluster.kube, machine)).toBeUndefined());
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
});
