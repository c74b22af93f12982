import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { systemClock, TransientError } from '../../src/base/index.ts';
import type { Manager } from '../../src/controller/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { addMachineConfigPools, addNodeAgent, addNodeDrains, SimulatedHosts } from '../../src/machines/index.ts';
import { eventually } from '../support/index.ts';
import { openMachineCluster } from '../support/machine-cluster.ts';
import { runControllers } from '../support/olm-cluster.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../support/pool-cluster.ts';

const user = { fieldManager: 'test' };
const nodes = 6;
const written: readonly (string | symbol)[] = ['patch', 'create', 'evict'];

/** Every tenth write fails: in turn before it is made, and after it. */
function unreliable(real: KubeClient): KubeClient {
  let count = 0;
  return new Proxy(real, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!written.includes(name)) return member.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        count += 1;
        const failure = new TransientError('KubeUnavailable', 'the server does not answer');
        if (count % 20 === 10) throw failure;
        const result: unknown = await Reflect.apply(member, target, args);
        if (count % 20 === 0) throw failure;
        return result;
      };
    },
  });
}

test('a pool is updated although one write in ten fails, before or after it is made, and never exceeds its limit', {
  timeout: 120_000,
}, async () => {
  await using cluster = await openMachineCluster();
  const { kube } = cluster;
  const add = (real: Manager): void => {
    const manager = { ...real, kube: unreliable(real.kube), add: real.add.bind(real) };
    const hosts = new SimulatedHosts({ kube: manager.kube, clock: systemClock });
    addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
    addNodeDrains(manager);
    addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) });
  };
  await using _running = await runControllers(kube, add);
  await kube.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }), user);
  await kube.create(poolObject('worker', { maxUnavailable: 2 }), user);
  for (let index = 0; index < nodes; index++) await createPoolNode(kube, `w${index}`);
  let most = 0;
  const statusOf = async (): Promise<JsonObject> => {
    const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
    most = Math.max(most, items.filter(({ spec }) => (spec as JsonObject)['unschedulable'] === true).length);
    return ((await kube.get(poolRef('worker')))['status'] ?? {}) as JsonObject;
  };
  await eventually(async () => expect(await statusOf()).toMatchObject({ readyMachineCount: nodes }));
  for (const text of ['two', 'three']) {
    const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
    await kube.patch(config, { spec: { config: filesConfig({ '/etc/a': text }) } }, user);
    await eventually(async () => expect((await statusOf())['updatedMachineCount']).toBeLessThan(nodes));
    await eventually(async () =>
      expect(await statusOf()).toMatchObject({ readyMachineCount: nodes, degradedMachineCount: 0 }),
    );
  }
  expect(most).toBeLessThanOrEqual(2);
});

test('two replicas that both believe to lead update a pool within its limit', { timeout: 120_000 }, async () => {
  await using cluster = await openMachineCluster();
  const { kube } = cluster;
  const add = (manager: Manager): void => {
    addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
    addNodeDrains(manager);
  };
  await using _first = await runControllers(kube, add);
  await using _second = await runControllers(kube, add);
  const hosts = new SimulatedHosts({ kube, clock: systemClock });
  await using _agents = await runControllers(kube, (manager) =>
    addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) }),
  );
  await kube.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }), user);
  await kube.create(poolObject('worker', { maxUnavailable: 2 }), user);
  for (let index = 0; index < nodes; index++) await createPoolNode(kube, `w${index}`);
  const ready = async () =>
    ((await kube.get(poolRef('worker')))['status'] as JsonObject | undefined)?.['readyMachineCount'];
  await eventually(async () => expect(await ready()).toBe(nodes));
  const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
  await kube.patch(config, { spec: { config: filesConfig({ '/etc/a': 'two' }) } }, user);
  let most = 0;
  await eventually(async () => {
    const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
    most = Math.max(most, items.filter(({ spec }) => (spec as JsonObject)['unschedulable'] === true).length);
    const done = items.filter(
      ({ metadata }) => metadata.annotations?.['simulation.longshore.dev/disk']?.includes('"boots":2') === true,
    );
    expect(done).toHaveLength(nodes);
  });
  await eventually(async () => expect(await ready()).toBe(nodes));
  expect(most).toBeLessThanOrEqual(2);
});
