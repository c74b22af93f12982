import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryCluster } from '../../../test/support/memory-cluster.ts';
import type { KubeObject } from '../../core/index.ts';
import { podSecurity } from './index.ts';

const podOf = (name: string, hostNetwork: boolean): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ns' }, spec: { hostNetwork } }) as KubeObject;

/** Gives others a turn before each object. */
class SlowCluster extends MemoryCluster {
  override async *eachInTurns(): AsyncGenerator<KubeObject> {
    for (const pod of [podOf('a', true), podOf('b', false), podOf('c', true)]) {
      await nextTurn();
      yield pod;
    }
  }
}

test('the pods of a namespace that gets a stricter level, of which there may be very many, are read in turns', async () => {
  const cluster = new SlowCluster();
  const namespaceWith = (level: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'ns', labels: { 'pod-security.kubernetes.io/enforce': level } },
  });
  const warnings: string[] = [];
  await podSecurity(cluster).validate?.({
    operation: 'UPDATE',
    resource: cluster.type('namespaces'),
    subresource: undefined,
    namespace: 'ns',
    name: 'ns',
    object: namespaceWith('baseline'),
    oldObject: namespaceWith('privileged'),
    options: null,
    user: { username: 'u', groups: [] },
    dryRun: true,
    warn: (text) => warnings.push(text),
    signal: AbortSignal.timeout(20_000),
  });
  expect(warnings).toEqual([
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
  ]);
});
