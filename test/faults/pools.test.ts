import { expect, test } from 'vitest';
import { nodeUpdateAnnotations, parseMachineConfigPool } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { systemClock, TransientError } from '../../src/base/index.ts';
import type { Manager } from '../../src/controller/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { addMachineConfigPools, addNodeAgent, addNodeDrains, SimulatedHosts } from '../../src/machines/index.ts';
import { eventually } from '../support/index.ts';
import { openMachineCluster } from '../support/machine-cluster.ts';
import { runControllers } from '../support/olm-cluster.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../support/pool-cluster.ts';
import { watchedClient } from './machines/watched-client.ts';

const user = { fieldManager: 'test' };
const nodes = 6;
const written: readonly (string | symbol)[] = ['patch', 'create', 'evict'];

const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
const staysAway = { 'simulation.longshore.dev/reboot-seconds': '86400' };

const readPool = async (kube: KubeClient) => parseMachineConfigPool(await kube.get(poolRef('worker')));

/** A pool of workers, without nodes. */
async function createPool(kube: KubeClient, maxUnavailable: number): Promise<void> {
  await kube.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }), user);
  await kube.create(poolObject('worker', { maxUnavailable }), user);
}

/** Changes a file of all nodes.
 *  @returns the configuration that is rendered, by controllers that run */
async function change(kube: KubeClient, text: string): Promise<string> {
  const before = (await readPool(kube)).spec.configuration?.name;
  await kube.patch(config, { spec: { config: filesConfig({ '/etc/a': text }) } }, user);
  return await eventually(async () => {
    const target = (await readPool(kube)).spec.configuration?.name ?? '';
    expect(target).not.toBe(before);
    return target;
  });
}

/** How often each node has started. */
async function bootsOf(kube: KubeClient): Promise<readonly number[]> {
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
  return items.map(({ metadata }) => {
    const disk = metadata.annotations?.['simulation.longshore.dev/disk'] ?? '{}';
    return (JSON.parse(disk) as { boots: number }).boots;
  });
}

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
  tags: 'long',
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
  await createPool(kube, 2);
  for (let index = 0; index < nodes; index++) await createPoolNode(kube, `w${index}`);
  let most = 0;
  const statusOf = async (): Promise<JsonObject> => {
    const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
    most = Math.max(most, items.filter(({ spec }) => (spec as JsonObject)['unschedulable'] === true).length);
    return ((await kube.get(poolRef('worker')))['status'] ?? {}) as JsonObject;
  };
  await eventually(async () => expect(await statusOf()).toMatchObject({ readyMachineCount: nodes }));
  for (const text of ['two', 'three']) {
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
  await createPool(kube, 2);
  for (let index = 0; index < nodes; index++) await createPoolNode(kube, `w${index}`);
  const ready = async () =>
    ((await kube.get(poolRef('worker')))['status'] as JsonObject | undefined)?.['readyMachineCount'];
  await eventually(async () => expect(await ready()).toBe(nodes));
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

test('a node that never comes back takes its place of the limit, and holds no other one; without it the pool goes on', {
  timeout: 240_000,
}, async () => {
  await using cluster = await openMachineCluster();
  const { kube } = cluster;
  const hosts = new SimulatedHosts({ kube, clock: systemClock });
  await using _running = await runControllers(kube, (manager) => {
    addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
    addNodeDrains(manager);
    addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) });
  });
  await createPool(kube, 2);
  // Nodes of a zone go before those without one.
  await createPoolNode(kube, 'lost', { zone: 'a', annotations: staysAway });
  for (const name of ['w1', 'w2', 'w3']) await createPoolNode(kube, name);
  const expectStatus = (status: JsonObject): Promise<void> =>
    eventually(async () => expect((await readPool(kube)).status).toMatchObject(status));
  const condition = (type: string, status: string, more: JsonObject = {}) => ({
    conditions: expect.arrayContaining([expect.objectContaining({ type, status, ...more })]) as JsonObject[],
  });
  await expectStatus({ readyMachineCount: 4 });
  await change(kube, 'two');
  const counts = { updatedMachineCount: 3, readyMachineCount: 3, unavailableMachineCount: 1, degradedMachineCount: 0 };
  await expectStatus({ machineCount: 4, ...counts, ...condition('Updated', 'False') });
  await kube.patch(poolRef('worker'), { spec: { maxUnavailable: 1 } }, user);
  const target = await change(kube, 'three');
  await expectStatus(condition('Updating', 'True', { message: `All nodes are updating to MachineConfig ${target}` }));
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
  const desired = items.map(({ metadata }) => metadata.annotations?.[nodeUpdateAnnotations.desiredConfig]);
  expect(desired).not.toContain(target);
  await kube.delete({ apiVersion: 'v1', kind: 'Node', name: 'lost' });
  await expectStatus({ machineCount: 3, updatedMachineCount: 3, configuration: { name: target } });
});

/** Writes between two at which a process ends: all of them take minutes. */
const step = 5;

test('controllers of pools that end at a write of an update are continued by the next ones', {
  timeout: 600_000,
  tags: 'long',
}, async () => {
  await using cluster = await openMachineCluster();
  const { kube } = cluster;
  const hosts = new SimulatedHosts({ kube, clock: systemClock });
  const add = (manager: Manager): void => {
    addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
    addNodeDrains(manager);
  };
  await using _agents = await runControllers(kube, (manager) =>
    addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) }),
  );
  await createPool(kube, 1);
  for (const name of ['w1', 'w2']) await createPoolNode(kube, name);
  const expectUpdated = (text: string) =>
    eventually(async () => {
      const { spec, status } = await readPool(kube);
      const { name = 'none' } = spec.configuration ?? {};
      expect(status).toMatchObject({ configuration: { name }, readyMachineCount: 2 });
      expect(JSON.stringify(await kube.get({ ...config, name }))).toContain(`data:,${text}`);
    });
  {
    await using _first = await runControllers(kube, add);
    await expectUpdated('one');
  }
  let isEnded = false;
  for (let write = 1; !isEnded; write += step) {
    expect(write).toBeLessThan(200);
    for (const when of ['before', 'after'] as const) {
      const text = `${when}-${write}`;
      const boots = await bootsOf(kube);
      let writes = 0;
      const killed = Promise.withResolvers<void>();
      const end = (_verb: string, isWrite: boolean): void => {
        if (isWrite) writes += 1;
        if (writes < write) return;
        killed.resolve();
        throw new TransientError('Killed', 'the process was killed');
      };
      const dying = await runControllers(watchedClient(kube, { [when]: end }), add);
      await kube.patch(config, { spec: { config: filesConfig({ '/etc/a': text }) } }, user);
      const whenUpdated = expectUpdated(text);
      await Promise.race([killed.promise, whenUpdated]);
      isEnded = writes < write;
      await dying[Symbol.asyncDispose]();
      await using _next = await runControllers(kube, add);
      await whenUpdated;
      expect(await bootsOf(kube)).toEqual(boots.map((count) => count + 1));
    }
  }
});
