import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BareCluster } from '../../../test/support/index.ts';
import { machineObject, openMachineCluster } from '../../../test/support/machine-cluster.ts';
import { temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { type Machine, parseMachine } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { RequeueAfter } from '../actuator.ts';
import { SimulatedProvider } from './simulated.ts';

const call = { signal: new AbortController().signal };
let cluster: BareCluster;
let provider: SimulatedProvider;
let nowMs = Date.parse('2030-01-01T00:00:00Z');

beforeAll(async () => {
  cluster = await openMachineCluster();
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  provider = new SimulatedProvider({ kube: cluster.kube, clock });
});

afterAll(() => cluster[Symbol.asyncDispose]());

function machine(name: string, value: JsonObject): Machine {
  const object = machineObject(name, { spec: { providerSpec: { value } } });
  return parseMachine({ ...object, metadata: { ...object.metadata, uid: `uid-of-${name}` } });
}

test('instances are created until the namespace is full, however many are requested at once', async () => {
  await using _namespace = await temporaryNamespace(cluster.kube, 'machines');
  const all = ['a', 'b', 'c', 'd'].map((name) => machine(name, { capacity: 2 }));
  const created = await Promise.allSettled(all.map((one) => provider.create(one, call)));
  expect(created.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(created[3]).toMatchObject({ reason: { reason: 'InsufficientResources' } });
  const [first, , third] = all as [Machine, Machine, Machine];
  await provider.create(first, call);
  await provider.delete(first, call);
  await provider.create(third, call);
  expect(await Promise.all(all.map((one) => provider.exists(one, call)))).toEqual([false, true, true, false]);
});

test('an instance vanishes, a termination takes its time or fails', async () => {
  await using _namespace = await temporaryNamespace(cluster.kube, 'machines');
  const vanishing = machine('vanishing', { vanishAfterSeconds: 60 });
  await provider.create(vanishing, call);
  expect(await provider.exists(vanishing, call)).toBe(true);
  const slow = machine('slow', { terminateSeconds: 30 });
  await provider.create(slow, call);
  await expect(provider.delete(slow, call)).rejects.toEqual(new RequeueAfter(30_000));
  const stuck = machine('stuck', { failDelete: 'DeleteError' });
  await provider.create(stuck, call);
  await expect(provider.delete(stuck, call)).rejects.toMatchObject({ reason: 'DeleteError' });
  nowMs += 61_000;
  await provider.delete(slow, call);
  const all = [vanishing, slow, stuck].map((one) => provider.exists(one, call));
  expect(await Promise.all(all)).toEqual([false, false, true]);
});

test('an instance has its id and labels in every report: the answer to its creation may be lost', async () => {
  await using _namespace = await temporaryNamespace(cluster.kube, 'machines');
  const one = machine('one', {});
  const { providerID, labels } = await provider.create(one, call);
  expect(providerID).toBe('simulated:///machines/uid-of-one');
  expect(await provider.update(one, call)).toMatchObject({ providerID, labels, state: 'running' });
});

test('a name that is too long for a host is refused for good', async () => {
  const long = machine('a'.repeat(253), {});
  await expect(provider.create(long, call)).rejects.toMatchObject({
    reason: 'InvalidConfiguration',
    message: 'metadata.name: expected at most 63 characters, which a host name may have, found 253',
  });
});
