import { expect, test } from 'vitest';
import { machineAnnotations, machineLabels } from '../../api/index.ts';
import type { ApiObject, ApiTarget, HookedMachine, HookWait } from '../hook/definition.ts';
import { EtcdProvider } from './etcd.ts';
import type { QuorumProvider } from './provider.ts';
import { quorumHook } from './quorum-hook.ts';

const hook = quorumHook({ provider: new EtcdProvider({ endpoints: [] }), desiredVoters: 3 });

function machine(phase: string, role: string): HookedMachine {
  const object = { apiVersion: 'v1', kind: 'Machine', metadata: {}, status: { phase } };
  return { labels: { [machineLabels.role]: role }, object } as unknown as HookedMachine;
}

test('ML-57 no hook is added while no machine of the control plane runs', () => {
  expect(hook.mayAdd?.([machine('Provisioned', 'master'), machine('Running', 'worker')])).toBe(false);
  expect(hook.mayAdd?.([machine('Provisioned', 'master'), machine('Running', 'master')])).toBe(true);
});

test('machines of other roles have no hook', () => {
  expect(hook.selects?.(machine('Running', 'worker'))).toBe(false);
  expect(hook.selects?.(machine('Running', 'master'))).toBe(true);
});

test('without an endpoint that answers, a machine stays', async () => {
  const api = { list: () => Promise.resolve([]) };
  const call = { api, signal: new AbortController().signal, nowMs: 0 } as unknown as Parameters<typeof hook.work>[1];
  const leaving = { namespace: 'm', name: 'a' } as unknown as HookedMachine;
  await expect(hook.work(leaving, call)).rejects.toThrow('no endpoint');
});

const labels = { [machineLabels.role]: 'master' };

/** A running machine that reports this address. */
function machineAt(namespace: string, name: string, address: string): ApiObject {
  const status = { phase: 'Running', addresses: [{ type: 'InternalIP', address }] };
  return { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', metadata: { namespace, name, labels }, status };
}

/** A Node with this address that names a machine. */
function nodeAt(address: string, machineName: string): ApiObject {
  const annotations = { [machineAnnotations.machineOfNode]: machineName };
  const status = { addresses: [{ type: 'InternalIP', address }] };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${address}`, annotations }, status };
}

/** What the hook does with `leaving` of the group 10.0.0.1 to 10.0.0.4, whose members are all healthy. */
async function workOn(
  leaving: ApiObject,
  objects: readonly ApiObject[],
): Promise<{ readonly calls: readonly string[]; readonly wait: HookWait | undefined }> {
  const calls: string[] = [];
  const note = (text: string): Promise<void> => Promise.resolve(void calls.push(text));
  const healthy = { isVoter: true, isHealthy: true, isSynced: true };
  const provider: QuorumProvider = {
    members: () =>
      Promise.resolve([1, 2, 3, 4].map((id) => ({ id: `${id}`, addresses: [`10.0.0.${id}`], ...healthy }))),
    addLearner: (address) => note(`add ${address}`),
    promote: (id) => note(`promote ${id}`),
    remove: (id) => note(`remove ${id}`),
  };
  const list = ({ kind, namespace }: ApiTarget): Promise<readonly ApiObject[]> => {
    const found = [leaving, ...objects].filter((one) => one.kind === kind);
    return Promise.resolve(found.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace));
  };
  const { namespace = '', name = '' } = leaving.metadata;
  const call = { api: { list }, signal: new AbortController().signal, nowMs: 0 } as unknown as Parameters<
    typeof hook.work
  >[1];
  const own = quorumHook({ provider, desiredVoters: 3 });
  return { calls, wait: await own.work({ namespace, name, object: leaving } as unknown as HookedMachine, call) };
}

const own = machineAt('openshift-machine-api', 'master-1', '10.0.0.1');
const forged = machineAt('tenant', 'forged', '10.0.0.1');

test('a machine whose status users give the address of the machine of another namespace does not remove its member', async () => {
  const node = nodeAt('10.0.0.1', 'openshift-machine-api/master-1');
  const { calls, wait } = await workOn(forged, [own, node]);
  expect(calls).toEqual([]);
  expect(wait?.message).toBe(
    'Wait: the address of machine tenant/forged is that of Node node-10.0.0.1, which names machine openshift-machine-api/master-1',
  );
  expect((await workOn(forged, [nodeAt('10.0.0.1', '')])).wait?.message).toContain('which names no machine');
  expect((await workOn(own, [forged, node])).calls).toEqual(['remove 1']);
});

test('where no Node has the address, that of a machine of another namespace removes no member', async () => {
  const { calls, wait } = await workOn(forged, [own]);
  expect(calls).toEqual([]);
  expect(wait?.message).toBe(
    'Wait: the address of machine tenant/forged is that of machine openshift-machine-api/master-1 as well',
  );
  expect((await workOn(own, [])).calls).toEqual(['remove 1']);
});
