import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  joinNode,
  MemoryProvider,
  machinePlace,
  openMachineCluster,
  openMachineNamespace,
  readMachine,
  runPod,
  stopPod,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { configObject, filesConfig, poolObject, poolRef } from '../../../test/support/pool-cluster.ts';
import {
  nodeUpdateAnnotations as keys,
  machineLabels,
  machineSetResource,
  parseMachineConfigPool,
} from '../../api/index.ts';
import { findObject } from '../../kube/index.ts';
import { addMachineHook } from '../hook/controller.ts';
import type { HookApi, HookedMachine } from '../hook/definition.ts';
import { addMachines, machineController } from '../machine/controller.ts';
import { addMachineSets, machineSetController } from '../machine-set/controller.ts';
import { addMachineConfigPools, machineConfigPoolController } from './controller.ts';
import { surgeHook } from './replace-machine.ts';

const user = { fieldManager: 'test' };
let cluster: BareCluster;
let stack: AsyncDisposableStack;
const provider = new MemoryProvider();

beforeAll(async () => {
  cluster = await openMachineCluster();
  stack = await openMachineNamespace(cluster.kube);
  stack.use(
    await runControllers(
      cluster.kube,
      (manager) => {
        addMachines(manager, { actuator: provider });
        addMachineSets(manager);
        addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
        addMachineHook(manager, surgeHook);
      },
      [machineController, machineSetController, machineConfigPoolController],
    ),
  );
});

afterAll(async () => {
  await stack.disposeAsync();
  await cluster[Symbol.asyncDispose]();
});

const names = async (): Promise<readonly string[]> =>
  (await cluster.kube.list(machinePlace)).items.map(({ metadata }) => metadata.name ?? '');

async function targetOtherThan(old: string | undefined): Promise<string> {
  return await eventually(async () => {
    const { spec } = parseMachineConfigPool(await cluster.kube.get(poolRef('worker')));
    const name = spec.configuration?.name ?? '';
    expect(name).not.toBe(old ?? '');
    return name;
  });
}

/** A Node of the pool that has the configuration. */
async function join(machine: string, config: string): Promise<string> {
  const node = await joinNode(cluster.kube, machine, { 'node-role.kubernetes.io/worker': '' });
  const annotations = { [keys.currentConfig]: config, [keys.desiredConfig]: config, [keys.state]: 'Done' };
  await cluster.kube.patch({ apiVersion: 'v1', kind: 'Node', name: node }, { metadata: { annotations } }, user);
  return node;
}

describe('a pool that replaces machines', { shuffle: false }, () => {
  test('MP-39: with a surge the new machine has a ready node before the old one is drained and deleted', async () => {
    const { kube } = cluster;
    await kube.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }), user);
    await kube.create(poolObject('worker', { rollout: { action: 'MachineReplace', surge: 1 } }), user);
    const first = await targetOtherThan(undefined);
    const labels = { [machineLabels.cluster]: 'test', set: 'workers' };
    const template = { metadata: { labels }, spec: { providerSpec: { value: {} } } };
    await kube.create(
      {
        apiVersion: machineSetResource.apiVersion,
        kind: machineSetResource.kind,
        metadata: { namespace: 'machines', name: 'workers' },
        spec: { replicas: 1, selector: { matchLabels: { set: 'workers' } }, template },
      },
      user,
    );
    const [old = ''] = await eventually(async () => {
      expect(await names()).toHaveLength(1);
      return await names();
    });
    await eventually(async () => expect((await readMachine(kube, old)).spec?.providerID).toBeDefined());
    const oldNode = await join(old, first);
    await runPod(kube, oldNode, { name: 'web' });

    const spec = { config: filesConfig({ '/etc/a': 'two' }) };
    const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
    await kube.patch(config, { spec }, user);
    const second = await targetOtherThan(first);
    const replacement = await eventually(async () => {
      const other = (await names()).find((name) => name !== old);
      expect(other).toBeDefined();
      return other ?? '';
    });
    await eventually(async () => {
      const { conditions = [] } = (await readMachine(kube, old)).status ?? {};
      const held = conditions.find(({ type }) => type === 'Drainable');
      expect(held?.message).toContain('{Name:hooks.platform/PoolSurge Owner:longshore/pools}');
    });
    expect((await kube.get({ apiVersion: 'v1', kind: 'Node', name: oldNode })).metadata.annotations).toMatchObject({
      [keys.desiredConfig]: first,
    });
    expect(provider.calls).not.toContain(`delete ${old}`);

    await eventually(async () => expect((await readMachine(kube, replacement)).spec?.providerID).toBeDefined());
    await join(replacement, second);
    await stopPod(kube, 'web');
    await eventually(async () => expect(await findObject(kube, { ...machinePlace, name: old })).toBeUndefined());
    await eventually(async () => {
      const { status } = parseMachineConfigPool(await kube.get(poolRef('worker')));
      expect(status?.configuration?.name).toBe(second);
    });
    expect(await names()).toEqual([replacement]);
  });

  test.each([
    { surge: 0, outcome: 'ends' },
    { surge: 1, outcome: 'goes on' },
  ])('with surge $surge in the pool, a wait that has begun $outcome', async ({ surge }) => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { 'node-role.kubernetes.io/worker': '' } },
    };
    const set = { apiVersion: 'v1', kind: 'Set', metadata: { name: 's', uid: 'u' }, spec: { replicas: 1 } };
    const pool = poolObject('worker', { rollout: { action: 'MachineReplace', surge } });
    const api = {
      get: ({ kind }: { readonly kind: string }) => Promise.resolve(kind === 'Node' ? node : set),
      list: ({ kind }: { readonly kind: string }) => Promise.resolve(kind === 'Machine' ? [] : [pool]),
    } as unknown as HookApi;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Set', name: 's', uid: 'u', controller: true }];
    const machine = { object: { metadata: { ownerReferences } }, namespace: 'machines', node: 'n' };
    const call = { api, signal: new AbortController().signal, nowMs: 0 };
    const wait = await surgeHook.work(machine as unknown as HookedMachine, call);
    expect(wait?.message).toBe(surge === 0 ? undefined : '0 of 1 machines of Set s have a node that is ready');
  });

  test('without a surge the machine is deleted at once: nothing waits for its replacement', async () => {
    const { kube } = cluster;
    const [old = ''] = await names();
    const { metadata } = await kube.patch(poolRef('worker'), { spec: { rollout: { surge: 0 } } }, user);
    // The watch of MachineConfigs may be faster than that of pools.
    await eventually(async () => {
      const { status } = parseMachineConfigPool(await kube.get(poolRef('worker')));
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
    const { spec: before } = parseMachineConfigPool(await kube.get(poolRef('worker')));
    const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
    await kube.patch(config, { spec: { config: filesConfig({ '/etc/a': 'three' }) } }, user);
    const target = await targetOtherThan(before.configuration?.name);
    // The new machine has no node: with a surge the old one would wait for that.
    await eventually(async () => expect(await findObject(kube, { ...machinePlace, name: old })).toBeUndefined());
    expect(provider.calls).toContain(`delete ${old}`);
    const [replacement = ''] = await eventually(async () => {
      expect(await names()).toHaveLength(1);
      return await names();
    });
    await eventually(async () => expect((await readMachine(kube, replacement)).spec?.providerID).toBeDefined());
    await join(replacement, target);
    await eventually(async () => {
      const { status } = parseMachineConfigPool(await kube.get(poolRef('worker')));
      expect(status?.configuration?.name).toBe(target);
    });
  });
});
