import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
  setReady,
  stopPod,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { machineAnnotations } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject } from '../../kube/index.ts';
import { addMachines } from '../machine/controller.ts';
import { logFlushHook } from '../ready-hooks/log-flush.ts';
import { orderedDrainHook } from '../ready-hooks/ordered-drain.ts';
import { replacementHook } from '../ready-hooks/replacement.ts';
import { volumeDetachHook } from '../ready-hooks/volume-detach.ts';
import { addMachineHook } from './controller.ts';
import type { HookWait, MachineHook } from './definition.ts';

const user = { fieldManager: 'test' };
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

async function use(...hooks: readonly MachineHook[]): Promise<void> {
  stack.use(
    await runControllers(cluster.kube, (manager) => {
      addMachines(manager, { actuator: provider });
      for (const hook of hooks) addMachineHook(manager, hook);
    }),
  );
}

const now = (name: string) => readMachine(cluster.kube, name);
const remove = (name: string) => cluster.kube.delete({ ...machinePlace, name });
const patch = (name: string, body: JsonObject) => cluster.kube.patch({ ...machinePlace, name }, body, user);
const gone = (name: string) =>
  eventually(async () => expect(await findObject(cluster.kube, { ...machinePlace, name })).toBeUndefined());
const namesOf = async (name: string, stage: 'preDrain' | 'preTerminate'): Promise<string[]> =>
  ((await now(name)).spec?.lifecycleHooks?.[stage] ?? []).map((one) => `${one.name} of ${one.owner}`);

async function running(name: string, hooks: readonly string[], stage: 'preDrain' | 'preTerminate'): Promise<string> {
  await cluster.kube.create(machineObject(name), user);
  await eventually(async () => expect(await namesOf(name, stage)).toEqual(hooks));
  await eventually(async () => expect((await now(name)).spec?.providerID).toBeDefined());
  return await joinNode(cluster.kube, name);
}

function condition(machine: Awaited<ReturnType<typeof now>>, type: string): string {
  const found = machine.status?.conditions?.find((one) => one.type === type);
  return found === undefined ? 'none' : [found.status, found.reason, found.message].filter(Boolean).join(' ');
}

const messageOf = (name: string, type: string, text: string) =>
  eventually(async () => expect(condition(await now(name), type)).toContain(text));

describe('a hook of a program', () => {
  const state: { answer: HookWait | Error | undefined; calls: number } = { answer: undefined, calls: 0 };
  const hook: MachineHook = {
    stage: 'preTerminate',
    name: 'BackupVolume',
    owner: 'backup-controller',
    selects: ({ labels }) => labels['backup'] !== 'no',
    work: () => {
      state.calls += 1;
      const { answer } = state;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };

  test('is on every machine that it selects, until its work is done after the drain', async () => {
    state.calls = 0;
    state.answer = { waitSeconds: 1, message: 'snapshot 40 % complete' };
    await use(hook);
    const node = await running('a', ['BackupVolume of backup-controller'], 'preTerminate');
    await runPod(cluster.kube, node, { name: 'web' });
    await remove('a');
    await messageOf('a', 'Terminable', '[{Name:BackupVolume Owner:backup-controller}]');
    expect(state.calls).toBe(0);
    await stopPod(cluster.kube, 'web');
    await messageOf('a', 'PreTerminateBackupVolumeSucceeded', 'False Waiting snapshot 40 % complete');
    state.answer = new Error('no space');
    await messageOf('a', 'PreTerminateBackupVolumeSucceeded', 'False HookFailed no space');
    expect(provider.calls).toEqual(['create a']);
    state.answer = undefined;
    await gone('a');
    expect(state.calls).toBeGreaterThan(2);
  });

  test('ML-55 has its owner corrected, leaves other hooks alone, and goes with what it does not select', async () => {
    await cluster.kube.create(
      machineObject('b', {
        spec: {
          lifecycleHooks: {
            preTerminate: [
              { name: 'BackupVolume', owner: 'someone' },
              { name: 'Other', owner: 'other-controller' },
            ],
          },
        },
      }),
      user,
    );
    await use(hook);
    const both = ['Other of other-controller', 'BackupVolume of backup-controller'];
    await eventually(async () => expect(await namesOf('b', 'preTerminate')).toEqual(both));
    await patch('b', { metadata: { labels: { backup: 'no' } } });
    await eventually(async () => expect(await namesOf('b', 'preTerminate')).toEqual(['Other of other-controller']));
  });

  test('ML-56 that someone removes from a machine that is being deleted is not added again', async () => {
    state.answer = { waitSeconds: 1, message: 'waits' };
    await use(hook);
    await running('c', ['BackupVolume of backup-controller'], 'preTerminate');
    await remove('c');
    await messageOf('c', 'PreTerminateBackupVolumeSucceeded', 'waits');
    await patch('c', { spec: { lifecycleHooks: { preTerminate: null } } });
    await gone('c');
  });
});

describe('the hooks that come with the program', () => {
  test('ML-21 the old node is drained only after the new one is ready', async () => {
    await use(replacementHook);
    const { apiVersion } = machinePlace;
    const set = await cluster.kube.create(
      {
        apiVersion,
        kind: 'MachineSet',
        metadata: { namespace: 'machines', name: 'set' },
        spec: { replicas: 1, selector: { matchLabels: { a: 'b' } } },
      },
      user,
    );
    const owner = { apiVersion, kind: 'MachineSet', name: 'set', uid: set.metadata.uid ?? '', controller: true };
    const owned = (name: string) => {
      const object = machineObject(name);
      return cluster.kube.create({ ...object, metadata: { ...object.metadata, ownerReferences: [owner] } }, user);
    };
    await cluster.kube.create(machineObject('alone'), user);
    await owned('old');
    await eventually(async () => expect((await now('old')).spec?.lifecycleHooks?.preDrain).toHaveLength(1));
    expect((await now('alone')).spec?.lifecycleHooks).toBeUndefined();
    await eventually(async () => expect((await now('old')).spec?.providerID).toBeDefined());
    const node = await joinNode(cluster.kube, 'old');
    await runPod(cluster.kube, node, { name: 'app' });
    await remove('old');
    const type = 'PreDrainReplacementSucceeded';
    await messageOf('old', type, 'Waiting 0 of 1 machines of MachineSet set');
    await owned('new');
    await eventually(async () => expect((await now('new')).spec?.providerID).toBeDefined());
    const other = await joinNode(cluster.kube, 'new');
    await setReady(cluster.kube, other, 'False');
    await patch('old', { metadata: { labels: { poke: '1' } } });
    await messageOf('old', type, 'Waiting 0 of 1');
    expect(
      (await findObject(cluster.kube, { apiVersion: 'v1', kind: 'Node', name: node }))?.['spec'],
    ).not.toHaveProperty('unschedulable');
    await setReady(cluster.kube, other, 'True');
    await eventually(async () => expect((await now('new')).status?.phase).toBe('Running'));
    await patch('old', { metadata: { labels: { poke: '2' } } });
    await stopPod(cluster.kube, 'app');
    await gone('old');
  });

  test('ML-22 pods of the highest priority leave first, and the usual drain is skipped', async () => {
    await use(orderedDrainHook);
    const node = await running('a', ['hooks.platform/OrderedDrain of longshore/ordered-drain'], 'preDrain');
    await cluster.kube.create(
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
      user,
    );
    await runPod(cluster.kube, node, { name: 'low' });
    await runPod(cluster.kube, node, { name: 'high', priorityClassName: 'high' });
    await remove('a');
    await eventually(async () => {
      const high = await findObject(cluster.kube, {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'machines',
        name: 'high',
      });
      expect(high?.metadata.deletionTimestamp).toBeDefined();
    });
    const low = await findObject(cluster.kube, { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name: 'low' });
    expect(low?.metadata.deletionTimestamp).toBeUndefined();
    await stopPod(cluster.kube, 'high');
    await stopPod(cluster.kube, 'low');
    await gone('a');
    await cluster.kube.delete({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', name: 'high' });
  });

  test('the pods of the Node of another machine, which users name in the status of theirs, stay', async () => {
    await use(orderedDrainHook);
    const hooks = ['hooks.platform/OrderedDrain of longshore/ordered-drain'];
    const node = await running('a', hooks, 'preDrain');
    const annotations = { [machineAnnotations.machineOfNode]: 'machines/a' };
    const nodeRef = { apiVersion: 'v1', kind: 'Node', name: node };
    await cluster.kube.patch(nodeRef, { metadata: { annotations } }, user);
    await runPod(cluster.kube, node, { name: 'web' });
    await cluster.kube.create(machineObject('rogue'), user);
    await eventually(async () => expect(await namesOf('rogue', 'preDrain')).toEqual(hooks));
    await eventually(async () => expect((await now('rogue')).spec?.providerID).toBeDefined());
    const status = { nodeRef: { ...(await now('a')).status?.nodeRef } };
    await cluster.kube.patch({ ...machinePlace, name: 'rogue' }, { status }, { ...user, subresource: 'status' });
    await remove('rogue');
    await gone('rogue');
    const pod = await findObject(cluster.kube, { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name: 'web' });
    expect(pod?.metadata.deletionTimestamp).toBeUndefined();
    expect(await findObject(cluster.kube, nodeRef)).not.toHaveProperty('spec.unschedulable');
    await cluster.kube.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name: 'web' });
    await stopPod(cluster.kube, 'web');
  });

  test('ML-23 the instance ends when no volume is attached to its node', async () => {
    await use(volumeDetachHook);
    const node = await running('a', ['hooks.platform/VolumeDetach of longshore/volume-detach'], 'preTerminate');
    const attachment = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', name: 'disk' };
    const { apiVersion, kind } = attachment;
    const spec = { attacher: 'csi.example.com', nodeName: node, source: { persistentVolumeName: 'pv' } };
    await cluster.kube.create({ apiVersion, kind, metadata: { name: 'disk' }, spec }, user);
    await remove('a');
    await messageOf('a', 'PreTerminateVolumeDetachSucceeded', `attached to node ${node}: disk`);
    expect(provider.calls).toEqual(['create a']);
    await cluster.kube.delete(attachment);
    await patch('a', { metadata: { labels: { poke: '1' } } });
    await gone('a');
  });

  test('ML-24 the instance ends a time after the drain', async () => {
    await use(logFlushHook(2));
    await running('a', ['hooks.platform/LogFlush of longshore/log-flush'], 'preTerminate');
    await remove('a');
    await messageOf('a', 'PreTerminateLogFlushSucceeded', 'for 2 s after the drain');
    expect(provider.calls).toEqual(['create a']);
    await gone('a');
    const minute = logFlushHook(60);
    const machine = { drainedAtMs: 1_000_000 } as Parameters<MachineHook['work']>[0];
    const at = (nowMs: number) => minute.work(machine, { nowMs } as Parameters<MachineHook['work']>[1]);
    expect(await at(1_059_000)).toMatchObject({ waitSeconds: 1 });
    expect(await at(1_060_000)).toBeUndefined();
    expect(await at(0)).toMatchObject({ waitSeconds: 60 });
  });
});
