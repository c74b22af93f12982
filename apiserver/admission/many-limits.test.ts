import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { AdmissionPlugin, Cluster, KubeObject } from '../core/index.ts';
import { limitRanger } from './limit-ranger.ts';
import { resourceQuota } from './resource-quota.ts';

const limitRange = (limit: JsonObject): JsonObject => ({ kind: 'LimitRange', spec: { limits: [limit] } });
function quota(names: readonly string[], rest: JsonObject = {}): JsonObject {
  const [hard, used] = ['9', '0'].map((amount) => Object.fromEntries(names.map((name) => [name, amount]))) as [
    JsonObject,
    JsonObject,
  ];
  return { kind: 'ResourceQuota', spec: { hard, ...rest }, status: { hard, used } };
}

/** How often the resources of a container are read while a pod passes admission with so many objects in its namespace. */
async function readsWith(
  count: number,
  plugin: (cluster: Cluster) => AdmissionPlugin,
  given: JsonObject,
): Promise<number> {
  const cluster = new MemoryCluster();
  const type = cluster.type(given['kind'] === 'LimitRange' ? 'limitranges' : 'resourcequotas');
  for (let at = 0; at < count; at += 1) {
    const metadata = { name: `a-${at}`, namespace: 'ns' };
    const object = { apiVersion: 'v1', metadata, ...given } as KubeObject;
    await cluster.create(type, object, { as: 'test' });
    await cluster.update(type, object, { as: 'test', subresource: 'status' });
  }
  let reads = 0;
  const resources = {
    enumerable: true,
    get: () => {
      reads += 1;
      return { requests: { cpu: '1' }, limits: { cpu: '1' } };
    },
  };
  const spec = { containers: [Object.defineProperty({ name: 'c' }, 'resources', resources)] };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ns' }, spec } as KubeObject;
  const request = {
    operation: 'CREATE' as const,
    resource: cluster.type('pods'),
    subresource: undefined,
    namespace: 'ns',
    name: 'p',
    object,
    oldObject: undefined,
    options: null,
    user: { username: 'u', groups: [] },
    dryRun: true,
    warn: () => {},
    signal: AbortSignal.timeout(20_000),
  };
  await plugin(cluster).mutate?.(request);
  await plugin(cluster).validate?.(request);
  return reads;
}

test.each([
  ['bounds of containers', limitRanger, limitRange({ type: 'Container', max: { cpu: '2' } })],
  ['bounds of pods', limitRanger, limitRange({ type: 'Pod', max: { cpu: '2' } })],
  ['defaults', limitRanger, limitRange({ type: 'Container', defaultRequest: { memory: '1Mi' } })],
  ['quotas of pods', resourceQuota, quota(['pods'])],
  ['quotas of memory and cpu', resourceQuota, quota(['cpu', 'limits.cpu'])],
  ['quotas with a scope', resourceQuota, quota(['pods'], { scopes: ['NotBestEffort'] })],
])('a pod, which may be large, is read once whatever number of %s its namespace has', async (_what, plugin, given) => {
  const reads = await readsWith(1, plugin, given);
  expect(reads).toBeGreaterThan(0);
  expect(await readsWith(50, plugin, given)).toBe(reads);
});
