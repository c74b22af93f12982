import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  joinNode,
  machineObject,
  openMachineCluster,
  openMachineNamespace,
  setReady,
} from '../../../test/support/machine-cluster.ts';
import { runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { machineAnnotations, machineLabels, machineResource, machineSetResource } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { addMachineSets, machineSetController } from './controller.ts';

const user = { fieldManager: 'test' };
const place = { ...machineResource, namespace: 'machines' };
const set = { ...machineSetResource, namespace: 'machines', name: 'workers' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = await openMachineNamespace(cluster.kube);
  stack.use(await runControllers(cluster.kube, addMachineSets, [machineSetController]));
});

afterEach(() => stack.disposeAsync());

const labels = { [machineLabels.cluster]: 'test', set: 'workers' };

function setObject(spec: JsonObject = {}, template: JsonObject = {}): KubeObject {
  return {
    apiVersion: machineSetResource.apiVersion,
    kind: machineSetResource.kind,
    metadata: { namespace: 'machines', name: 'workers' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { set: 'workers' } },
      template: { metadata: { labels }, spec: { providerSpec: { value: { size: 'small' } }, ...template } },
      ...spec,
    },
  };
}

const machines = async (): Promise<KubeObject[]> => [...(await cluster.kube.list(place)).items];
const names = async (): Promise<string[]> => (await machines()).map(({ metadata }) => metadata.name ?? '');
const status = async (): Promise<JsonObject> => (await cluster.kube.get(set))['status'] as JsonObject;
const scaleTo = (replicas: number): Promise<KubeObject> => cluster.kube.patch(set, { spec: { replicas } }, user);

async function threeMachines(spec: JsonObject = {}, template: JsonObject = {}): Promise<string[]> {
  await cluster.kube.create(setObject(spec, template), user);
  return await eventually(async () => {
    expect(await names()).toHaveLength(3);
    return await names();
  });
}

test('ML-20: machines have the labels and hooks of the template, and the set as controller', async () => {
  const preDrain = [{ name: 'Backup', owner: 'backup-controller' }];
  await threeMachines({}, { lifecycleHooks: { preDrain } });
  for (const machine of await machines()) {
    expect(machine).toMatchObject({
      metadata: { labels, ownerReferences: [{ kind: 'MachineSet', name: 'workers', controller: true }] },
      spec: { lifecycleHooks: { preDrain }, providerSpec: { value: { size: 'small' } } },
    });
    expect(machine.metadata.name).toMatch(/^workers-/);
  }
  await eventually(async () =>
    expect(await status()).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3, labelSelector: 'set=workers' }),
  );
});

test('ML-06, ML-09: the machine with the annotation goes first', async () => {
  const [, chosen = ''] = await threeMachines();
  const annotations = { [machineAnnotations.deleteMachine]: 'yes' };
  await cluster.kube.patch({ ...place, name: chosen }, { metadata: { annotations } }, user);
  await scaleTo(2);
  await eventually(async () => expect(await names()).toHaveLength(2));
  expect(await names()).not.toContain(chosen);
});

test('ML-06, ML-09: a mark that the watch has not shown yet counts', async () => {
  const { kube } = cluster;
  await stack.disposeAsync();
  stack = await openMachineNamespace(kube);
  for (const name of ['a', 'b', 'c']) await kube.create(machineObject(name, { labels }), user);
  using held = holdWatch(kube, 'Machine');
  stack.use(await runControllers(held.kube, addMachineSets));
  await kube.create(setObject(), user);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 3 }));
  const annotations = { [machineAnnotations.deleteMachine]: 'yes' };
  await kube.patch({ ...place, name: 'b' }, { metadata: { annotations } }, user);
  await scaleTo(2);
  await eventually(async () => expect(await names()).toHaveLength(2));
  expect(await names()).toEqual(['a', 'c']);
});

test('ML-08: a set that scales from three to one deletes two machines', async () => {
  await threeMachines();
  await scaleTo(1);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 1 }));
  expect(await names()).toHaveLength(1);
});

test('a number below zero, with which all machines would be deleted, is refused', async () => {
  await cluster.kube.create(setObject({ replicas: 0 }), user);
  await expect(scaleTo(-1)).rejects.toThrow('spec.replicas in body should be greater than or equal to 0');
});

test('a machine that is being deleted is replaced at once, however long hooks hold it', async () => {
  const [first = ''] = await threeMachines();
  await cluster.kube.patch({ ...place, name: first }, { metadata: { finalizers: ['example.org/held'] } }, user);
  await cluster.kube.delete({ ...place, name: first });
  await eventually(async () => expect(await names()).toHaveLength(4));
  expect(await status()).toMatchObject({ replicas: 3 });
  await cluster.kube.patch({ ...place, name: first }, { metadata: { finalizers: null } }, user);
  await eventually(async () => expect(await names()).toHaveLength(3));
});

test('ready and available machines are counted by their nodes', async () => {
  const [first = '', second = ''] = await threeMachines();
  await cluster.kube.patch(set, { spec: { minReadySeconds: 60 } }, user);
  const node = await joinNode(cluster.kube, first);
  await joinNode(cluster.kube, second);
  await eventually(async () => expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 0 }));
  await cluster.kube.patch(set, { spec: { minReadySeconds: 0 } }, user);
  await eventually(async () => expect(await status()).toMatchObject({ availableReplicas: 2 }));
  await setReady(cluster.kube, node, 'False');
  await eventually(async () => expect(await status()).toMatchObject({ readyReplicas: 1 }));
});

test('a machine of no set is adopted where the selector selects it, one of another controller is not', async () => {
  const orphan = machineObject('orphan', { labels });
  await cluster.kube.create(orphan, user);
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'other', controller: true };
  const { uid = '' } = (await cluster.kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' })).metadata;
  const taken = machineObject('taken', { labels });
  taken.metadata.ownerReferences = [{ ...owner, uid }];
  await cluster.kube.create(taken, user);
  await cluster.kube.create(setObject(), user);
  await eventually(async () => expect(await names()).toHaveLength(4));
  expect((await cluster.kube.get({ ...place, name: 'orphan' })).metadata.ownerReferences).toMatchObject([
    { name: 'workers' },
  ]);
  expect((await cluster.kube.get({ ...place, name: 'taken' })).metadata.ownerReferences).toMatchObject([
    { name: 'default' },
  ]);
});

test('a machine that the watch has not shown yet is adopted before others are created', async () => {
  const { kube } = cluster;
  await stack.disposeAsync();
  stack = await openMachineNamespace(kube);
  using held = holdWatch(kube, 'Machine');
  stack.use(await runControllers(held.kube, addMachineSets));
  await kube.create(machineObject('orphan', { labels }), user);
  await kube.create(setObject(), user);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 3 }));
  expect(await names()).toHaveLength(3);
  const { metadata } = await kube.get({ ...place, name: 'orphan' });
  expect(metadata.ownerReferences).toMatchObject([{ name: 'workers' }]);
});

test.each([
  [{ selector: {} }, /empty selector/],
  [{ selector: { matchLabels: { set: 'other' } } }, /does not select the machines of the template/],
])('a set that would create without end, or take all, creates nothing: %j', async (spec, message) => {
  await cluster.kube.create(setObject(spec), user);
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'machines' });
    expect(items).toMatchObject([{ reason: 'ReconcileError', message: expect.stringMatching(message) as string }]);
  });
  expect(await names()).toEqual([]);
});

test('machines of another namespace that name the set as their owner do not count', async () => {
  await using _ = await temporaryNamespace(cluster.kube, 'elsewhere');
  await threeMachines();
  const { metadata } = await cluster.kube.get(set);
  const owner = {
    apiVersion: set.apiVersion,
    kind: set.kind,
    name: 'workers',
    uid: metadata.uid ?? '',
    controller: true,
  };
  const rogue = machineObject('rogue');
  Object.assign(rogue.metadata, { namespace: 'elsewhere', ownerReferences: [owner] });
  await cluster.kube.create(rogue, user);
  await scaleTo(2);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 2 }));
  expect(await names()).toHaveLength(2);
});

test('two processes that both believe that they lead create each machine once', async () => {
  await stack.disposeAsync();
  stack = await openMachineNamespace(cluster.kube);
  const [arrived, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const created: string[] = [];
  const noting = (before: () => Promise<unknown>): KubeClient => ({
    ...cluster.kube,
    create: async (object, options) => {
      if (object.kind !== 'Machine') return await cluster.kube.create(object, options);
      await before();
      const machine = await cluster.kube.create(object, options);
      created.push(machine.metadata.name ?? '');
      return machine;
    },
  });
  // The first one has decided to create machines, and is then slower than the second.
  const slow = noting(() => {
    arrived.resolve(undefined);
    return released.promise;
  });
  stack.use(await runControllers(slow, addMachineSets));
  stack.defer(() => released.resolve(undefined));
  await cluster.kube.create(setObject(), user);
  await arrived.promise;
  // A write into the set that changes no number changes nothing in the names either.
  await cluster.kube.patch(set, { metadata: { annotations: { touched: 'yes' } } }, user);
  stack.use(
    await runControllers(
      noting(() => Promise.resolve()),
      addMachineSets,
    ),
  );
  await eventually(async () => expect(await names()).toHaveLength(3));
  released.resolve(undefined);
  await scaleTo(4);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 4 }));
  expect(created).toHaveLength(4);
  expect(await names()).toHaveLength(4);
});

test('the machines of a set are limited together, whatever its template and number of replicas are', async () => {
  await stack.disposeAsync();
  stack = await openMachineNamespace(cluster.kube);
  const add = (manager: Manager): void => addMachineSets(manager, { maxCharacters: 64 * 1024 });
  stack.use(await runControllers(cluster.kube, add, [machineSetController]));
  const annotations = { large: 'x'.repeat(20 * 1024) };
  await cluster.kube.create(setObject({ replicas: 100_000 }, { metadata: { annotations } }), user);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 3, observedGeneration: 1 }));
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'machines' });
    expect(items.map(({ reason }) => reason)).toContain('TooManyMachines');
  });
  await scaleTo(1);
  await eventually(async () => expect(await status()).toMatchObject({ replicas: 1, observedGeneration: 2 }));
});
