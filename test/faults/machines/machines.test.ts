/** @module-tag long */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mapLimit, TransientError } from '../../../src/base/index.ts';
import { findObject, type KubeClient } from '../../../src/kube/index.ts';
import { addMachineHook, addMachines, type MachineHook } from '../../../src/machines/index.ts';
import { type BareCluster, eventually } from '../../support/index.ts';
import {
  clearMachines,
  joinNode,
  MemoryProvider,
  machineObject,
  machinePlace,
  openMachineCluster,
  openMachineNamespace,
  runPod,
} from '../../support/machine-cluster.ts';
import { runControllers } from '../../support/olm-cluster.ts';
import { watchedClient } from './watched-client.ts';

/** `npm run bench -- machines` deletes a fifth of 1,000. */
const most = 40;
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
  stack.use(runKubelets());
});
afterEach(() => stack.disposeAsync());

/** Confirms the end of pods that are being deleted. */
function runKubelets(): AsyncDisposable {
  const stop = new AbortController();
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace: 'machines' };
  const running = (async () => {
    while (!stop.signal.aborted) {
      const { items } = await cluster.kube.list(pods);
      const ending = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      await mapLimit(ending, 10, ({ metadata }) =>
        cluster.kube
          .evict({ namespace: 'machines', name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
          .catch(() => undefined),
      );
      await pause(200);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

const backup: MachineHook = {
  stage: 'preTerminate',
  name: 'Backup',
  owner: 'backup-controller',
  work: () => Promise.resolve(undefined),
};

async function use(kube: KubeClient, ...hooks: readonly MachineHook[]): Promise<AsyncDisposable> {
  return await runControllers(kube, (manager) => {
    addMachines(manager, { actuator: provider });
    for (const hook of hooks) addMachineHook(manager, hook);
  });
}

async function running(name: string, labels: Record<string, string> = {}): Promise<void> {
  await cluster.kube.create(machineObject(name), user);
  await eventually(async () => {
    const { spec } = await cluster.kube.get({ ...machinePlace, name });
    expect(spec).toHaveProperty('providerID');
  });
  const node = await joinNode(cluster.kube, name);
  await runPod(cluster.kube, node, { name: `pod-${name}`, labels });
}

const remove = (name: string) => cluster.kube.delete({ ...machinePlace, name });
const count = async (): Promise<number> => (await cluster.kube.list(machinePlace)).items.length;

/** Deletes a fifth of so many machines at once, one of which never drains; how many requests it takes. */
async function deleteMany(all: number): Promise<number> {
  let requests = 0;
  const kube = watchedClient(cluster.kube, { before: () => void (requests += 1) });
  await using _controllers = await use(kube, backup);
  const names = Array.from({ length: all }, (_, index) => `m${all}-${index}`);
  await mapLimit(names, 20, (name) => running(name, name === `m${all}-0` ? { app: 'stuck' } : {}));
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'machines', name: 'b' },
  };
  const selector = { matchLabels: { app: 'stuck' } };
  await cluster.kube.create({ ...budget, spec: { minAvailable: 1, selector } }, user);
  const leaving = names.slice(0, all / 5);
  requests = 0;
  await mapLimit(leaving, 50, remove);
  const endMs = Date.now() + 600_000;
  while ((await count()) > all - leaving.length + 1 && Date.now() < endMs) await pause(1_000);
  expect(await count()).toBe(all - leaving.length + 1);
  const stuck = await cluster.kube.get({ ...machinePlace, name: `m${all}-0` });
  expect(JSON.stringify(stuck['status'])).toContain('PodDisruptionBudget b');
  const taken = requests;
  await clearMachines(cluster.kube);
  await eventually(async () => expect(await count()).toBe(0));
  return taken;
}

test('deletions of many machines are not held by one that is stuck, and cost the same each', {
  timeout: 1_800_000,
}, async () => {
  const half = await deleteMany(most / 2);
  const whole = await deleteMany(most);
  // The one that is stuck is tried again meanwhile, each time with a look at the rules of drains.
  expect(whole / (most / 5)).toBeLessThan(32);
  expect(whole / half).toBeLessThan(3);
});

test('a process that ends at any write of a deletion is continued by the next one', async () => {
  let isEnded = false;
  for (let write = 1; !isEnded; write += 1) {
    expect(write).toBeLessThan(30);
    for (const when of ['before', 'after'] as const) {
      const name = `killed-${when}-${write}`;
      const first = await use(cluster.kube, backup);
      await running(name);
      await first[Symbol.asyncDispose]();
      let writes = 0;
      const killed = Promise.withResolvers<void>();
      const end = (_verb: string, isWrite: boolean): void => {
        if (isWrite) writes += 1;
        if (writes < write) return;
        killed.resolve();
        throw new TransientError('Killed', 'the process was killed');
      };
      const dying = await use(watchedClient(cluster.kube, { [when]: end }), backup);
      await remove(name);
      const whenGone = eventually(async () =>
        expect(await findObject(cluster.kube, { ...machinePlace, name })).toBeUndefined(),
      );
      await Promise.race([killed.promise, whenGone]);
      isEnded = writes < write;
      await dying[Symbol.asyncDispose]();
      await using _second = await use(cluster.kube, backup);
      await whenGone;
      expect(provider.instances.has(name)).toBe(false);
      expect(await findObject(cluster.kube, { apiVersion: 'v1', kind: 'Node', name: `node-${name}` })).toBeUndefined();
      expect(provider.calls.filter((call) => call === `create ${name}`)).toHaveLength(1);
    }
  }
}, 240_000);

test('one request in ten fails: machines are created once, drained and deleted all the same', async () => {
  let requests = 0;
  const fail = (): void => {
    requests += 1;
    if (requests % 10 === 0) throw new TransientError('Unavailable', 'the API server is overloaded');
  };
  stack.use(await use(watchedClient(cluster.kube, { before: fail }), backup));
  const names = Array.from({ length: 8 }, (_, index) => `flaky-${index}`);
  await mapLimit(names, 8, (name) => running(name));
  await mapLimit(names, 8, remove);
  await eventually(async () => expect(await count()).toBe(0));
  expect(provider.instances.size).toBe(0);
  expect(provider.calls.filter((call) => call.startsWith('create '))).toHaveLength(names.length);
});

test('two processes without leader election delete each machine once', async () => {
  stack.use(await use(cluster.kube, backup));
  stack.use(await use(cluster.kube, backup));
  const names = ['two-a', 'two-b', 'two-c'];
  await mapLimit(names, 3, (name) => running(name));
  await mapLimit(names, 3, remove);
  await eventually(async () => expect(await count()).toBe(0));
  expect(provider.instances.size).toBe(0);
});

test('a node that never comes back holds only its own machine, until its pods are given up', async () => {
  stack.use(await use(cluster.kube));
  await running('lost');
  await running('other');
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name: 'pod-lost' };
  await cluster.kube.patch(pod, { metadata: { finalizers: ['example.com/never'] } }, user);
  await mapLimit(['lost', 'other'], 2, remove);
  await eventually(async () =>
    expect(await findObject(cluster.kube, { ...machinePlace, name: 'other' })).toBeUndefined(),
  );
  expect(provider.instances.has('lost')).toBe(true);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: '', ...times }];
  const node = { apiVersion: 'v1', kind: 'Node', name: 'node-lost' };
  await cluster.kube.patch(node, { status: { conditions } }, { ...user, subresource: 'status' });
  await eventually(async () =>
    expect(await findObject(cluster.kube, { ...machinePlace, name: 'lost' })).toBeUndefined(),
  );
  await cluster.kube.patch(pod, { metadata: { finalizers: null } }, user);
});
