import { expect, test } from 'vitest';
import { machineLabels } from '../../api/index.ts';
import type { HookedMachine } from '../hook/definition.ts';
import { EtcdProvider } from './etcd.ts';
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
