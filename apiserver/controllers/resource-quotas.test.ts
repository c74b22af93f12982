import { expect, test, vi } from 'vitest';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { SteppedClock } from '../../test/support/stepped-clock.ts';
import { runControllers } from './controller.ts';
import { resourceQuotas } from './resource-quotas.ts';

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'q' };
let cluster: MemoryCluster;
let clock: SteppedClock;

runForEachTest((world) => {
  ({ cluster, clock } = world);
  return runControllers({ cluster, log: silentLogger() }, [resourceQuotas(cluster, clock)]);
});

const used = (): unknown => (cluster.get(cluster.type('resourcequotas'), key)?.status as JsonObject | undefined)?.used;

async function createQuota(spec: JsonObject): Promise<void> {
  await cluster.create(
    cluster.type('resourcequotas'),
    { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { ...key }, spec },
    as,
  );
}

test('what admission reserved for a write that failed is released after the resync period', async () => {
  await createQuota({ hard: { configmaps: '5' } });
  await eventually(() => expect(used()).toEqual({ configmaps: '0' }));
  const reserved = { status: { hard: { configmaps: '5' }, used: { configmaps: '5' } } };
  await cluster.patch(cluster.type('resourcequotas'), key, reserved, { ...as, subresource: 'status' });
  expect(used()).toEqual({ configmaps: '5' });
  await clock.pass(5 * 60_000);
  await eventually(() => expect(used()).toEqual({ configmaps: '0' }));
});

test('a pod that gets a deadline is no longer counted among those without one', async () => {
  await createQuota({ hard: { pods: '5' }, scopes: ['NotTerminating'] });
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await cluster.create(
    cluster.type('pods'),
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ns' }, spec },
    as,
  );
  await cluster.patch(
    cluster.type('resourcequotas'),
    key,
    { status: { used: { pods: '1' } } },
    { ...as, subresource: 'status' },
  );
  await cluster.patch(cluster.type('pods'), { namespace: 'ns', name: 'p' }, { spec: { activeDeadlineSeconds: 9 } }, as);
  await eventually(() => expect(used()).toEqual({ pods: '0' }));
});

test('the names of a quota, of which there may be very many, are not compared with each resource', async () => {
  let reads = 0;
  const counted = {
    ...cluster.type('configmaps'),
    get storageKey() {
      reads += 1;
      return 'configmaps';
    },
  };
  vi.spyOn(cluster, 'resources').mockReturnValue([counted]);
  const names = Array.from({ length: 1000 }, (_, index) => `example.com/a${index}`);
  await createQuota({ hard: { configmaps: '5', ...Object.fromEntries(names.map((name) => [name, '1'])) } });
  await eventually(() => expect(used()).toEqual({ configmaps: '0' }));
  expect(reads).toBeLessThan(100);
});
