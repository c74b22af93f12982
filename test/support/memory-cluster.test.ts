import { expect, test } from 'vitest';
import { MemoryCluster } from './memory-cluster.ts';

test('thousands of objects with one generateName have distinct names, as on a server', async () => {
  const cluster = new MemoryCluster();
  const pods = cluster.type('pods');
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [] } };
  for (let index = 0; index < 5_000; index += 1) {
    await cluster.create(pods, { ...pod, metadata: { namespace: 'ns', generateName: 'pod-' } }, { as: 'test' });
  }
  expect(cluster.list(pods)).toHaveLength(5_000);
});
