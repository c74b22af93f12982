import { expect, test } from 'vitest';
import { poolObject } from '../../../test/support/pool-cluster.ts';
import { parseMachineConfigPool } from '../../api/index.ts';
import type { KindCache, KubeClient } from '../../kube/index.ts';
import { gateProblem } from './gates.ts';

const pool = parseMachineConfigPool(poolObject('worker', { rollout: { gates: { daemonSetsReady: true } } }));

async function problemWithPodOf(uid: string): Promise<string | undefined> {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid, controller: true };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'web', name: 'p', ownerReferences: [owner] } };
  const kube = { list: () => Promise.resolve({ items: [pod] }) } as unknown as KubeClient;
  const daemonSets = { get: () => ({ metadata: { uid: 'real' } }) } as unknown as KindCache;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
  const context = { kube, daemonSets, nowMs: 0, signal: new AbortController().signal };
  return (await gateProblem(node, pool, context))?.message;
}

test('a pod of a DaemonSet closes the gate, one that only claims to be of it does not', async () => {
  expect(await problemWithPodOf('real')).toBe(
    'pod web/p of a DaemonSet not ready. To go on without it: longshore pool skip worker daemon-sets',
  );
  expect(await problemWithPodOf('forged')).toBeUndefined();
});
