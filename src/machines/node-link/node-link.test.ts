import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  MemoryProvider,
  machineObject,
  openMachineCluster,
  openMachineNamespace,
  readMachine,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { machineAnnotations, machineResource } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { ActuatorError } from '../actuator.ts';
import { addMachines, machineController } from '../machine/controller.ts';
import { addNodeLink, nodeLinkController } from './controller.ts';

const user = { fieldManager: 'test' };
const place = { ...machineResource, namespace: 'machines' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = await openMachineNamespace(cluster.kube);
  stack.use(await runControllers(cluster.kube, addNodeLink, [nodeLinkController]));
});

afterEach(() => stack.disposeAsync());

async function createNode(name: string, spec: JsonObject = {}, addresses: JsonObject[] = []): Promise<void> {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec }, user);
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  await cluster.kube.patch(ref, { status: { addresses } }, { ...user, subresource: 'status' });
}

/** A machine whose instance the provider has reported. */
async function createMachine(name: string, spec: JsonObject = {}, addresses: JsonObject[] = []): Promise<void> {
  await cluster.kube.create(machineObject(name, { spec }), user);
  const conditions = [{ type: 'InstanceExists', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const options = { ...user, subresource: 'status' } as const;
  await cluster.kube.patch({ ...place, name }, { status: { addresses, conditions } }, options);
}

const readNode = (name: string): Promise<KubeObject> => cluster.kube.get({ apiVersion: 'v1', kind: 'Node', name });
const nodeOf = async (machine: string): Promise<string | undefined> =>
  (await readMachine(cluster.kube, machine)).status?.nodeRef?.name;

test('a Node and its machine are linked by the id of the instance; labels, annotations and taints are copied', async () => {
  const spec = {
    providerID: 'memory:///a',
    metadata: { labels: { tier: 'gold' }, annotations: { note: 'n' } },
    taints: [
      { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
      { key: 'present', value: 'machine', effect: 'NoExecute' },
    ],
  };
  await createNode('n', {
    providerID: 'memory:///a',
    taints: [{ key: 'present', value: 'node', effect: 'NoExecute' }],
  });
  await createMachine('a', spec);
  await eventually(async () => expect(await nodeOf('a')).toBe('n'));
  await eventually(async () =>
    expect(await readNode('n')).toMatchObject({
      metadata: {
        labels: { tier: 'gold' },
        annotations: { note: 'n', [machineAnnotations.machineOfNode]: 'machines/a' },
      },
      spec: {
        taints: expect.arrayContaining([
          expect.objectContaining({ key: 'present', value: 'node' }),
          expect.objectContaining({ key: 'dedicated', value: 'db' }),
        ]) as unknown,
      },
    }),
  );
});

test('without an id, an internal address links', async () => {
  await createMachine('a', {}, [{ type: 'InternalIP', address: '192.0.2.7' }]);
  await createNode('n', {}, [{ type: 'InternalIP', address: '192.0.2.7' }]);
  await eventually(async () => expect(await nodeOf('a')).toBe('n'));
});

test('the Node of a machine does not become that of another one by an address that it reports', async () => {
  const [own, others] = ['192.0.2.7', '192.0.2.8'].map((address): JsonObject => ({ type: 'InternalIP', address }));
  await createMachine('a', {}, [own ?? {}]);
  await createNode('n', {}, [own ?? {}]);
  await eventually(async () => expect(await nodeOf('a')).toBe('n'));
  const ref = { apiVersion: 'v1', kind: 'Node', name: 'n' };
  await cluster.kube.patch(ref, { status: { addresses: [others ?? {}] } }, { ...user, subresource: 'status' });
  await createMachine('b', { metadata: { labels: { role: 'control-plane' } } }, [others ?? {}]);
  await createNode('witness', { providerID: 'memory:///w' });
  await createMachine('w', { providerID: 'memory:///w' });
  await eventually(async () => expect(await nodeOf('w')).toBe('witness'));
  expect(await nodeOf('b')).toBeUndefined();
  expect((await readNode('n')).metadata.labels ?? {}).not.toHaveProperty('role');
});

test('a Node that claims the id of a machine with a Node does not take its place, before that one is deleted', async () => {
  await createMachine('a', { providerID: 'memory:///a' });
  await createNode('first', { providerID: 'memory:///a' });
  await eventually(async () => expect(await nodeOf('a')).toBe('first'));
  await createNode('second', { providerID: 'memory:///a' });
  await createNode('witness', { providerID: 'memory:///w' });
  await createMachine('w', { providerID: 'memory:///w' });
  await eventually(async () => expect(await nodeOf('w')).toBe('witness'));
  expect(await nodeOf('a')).toBe('first');
  const { annotations: claimed = {} } = (await readNode('second')).metadata;
  expect(claimed).not.toHaveProperty([machineAnnotations.machineOfNode]);
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'Node', name: 'first' });
  const annotations = { poke: 'yes' };
  await cluster.kube.patch({ apiVersion: 'v1', kind: 'Node', name: 'second' }, { metadata: { annotations } }, user);
  await eventually(async () => expect(await nodeOf('a')).toBe('second'));
});

test('a machine that a user gives the id of the instance of another one does not get its Node', async () => {
  await createNode('n', { providerID: 'memory:///a' });
  await cluster.kube.create(machineObject('rogue', { spec: { providerID: 'memory:///a' } }), user);
  await createNode('witness', { providerID: 'memory:///w' });
  await createMachine('w', { providerID: 'memory:///w' });
  await eventually(async () => expect(await nodeOf('w')).toBe('witness'));
  expect(await nodeOf('rogue')).toBeUndefined();
  await createMachine('a', { providerID: 'memory:///a' });
  await eventually(async () => expect(await nodeOf('a')).toBe('n'));
});

test('a machine with an instance that a user gives the id of another one does not get its Node', async () => {
  const provider = new MemoryProvider();
  const add = (manager: Manager): void => addMachines(manager, { actuator: provider });
  stack.use(await runControllers(cluster.kube, add, [machineController]));
  await cluster.kube.create(machineObject('rogue'), user);
  await eventually(async () => expect((await readMachine(cluster.kube, 'rogue')).status?.phase).toBe('Provisioned'));
  // The provider does not correct the id, as it does not get so far.
  const fault = new ActuatorError('UpdateError', 'no such type');
  provider.update = async ({ metadata: { name } }) => {
    const instance = provider.instances.get(name);
    if (name === 'rogue' || instance === undefined) throw fault;
    return await Promise.resolve(instance);
  };
  await cluster.kube.patch({ ...place, name: 'rogue' }, { spec: { providerID: 'memory:///a' } }, user);
  await createNode('n', { providerID: 'memory:///a' });
  provider.instances.set('w', { providerID: 'memory:///w', state: 'running' });
  await createNode('witness', { providerID: 'memory:///w' });
  await createMachine('w', { providerID: 'memory:///w' });
  await eventually(async () => expect(await nodeOf('w')).toBe('witness'));
  expect(await nodeOf('rogue')).toBeUndefined();
  const { annotations = {} } = (await readNode('n')).metadata;
  expect(annotations).not.toHaveProperty([machineAnnotations.machineOfNode]);
});
