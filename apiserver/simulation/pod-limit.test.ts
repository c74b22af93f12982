import { expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { startSimulation } from './index.ts';

const most = 2_000_000_000;
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { app: 'a' } };

test.each<{ name: string; group: string; plural: string; kind: string; spec: JsonObject }>([
  { name: 'parallelism', group: 'batch', plural: 'jobs', kind: 'Job', spec: { parallelism: most } },
  { name: 'completions', group: 'batch', plural: 'jobs', kind: 'Job', spec: { parallelism: 100, completions: most } },
  { name: 'replicas', group: 'apps', plural: 'replicasets', kind: 'ReplicaSet', spec: { replicas: most } },
  {
    name: 'ordered replicas',
    group: 'apps',
    plural: 'statefulsets',
    kind: 'StatefulSet',
    spec: { replicas: most, podManagementPolicy: 'Parallel' },
  },
])(
  'two billion $name of a $kind make some hundred pods, and an Event reports it',
  async ({ group, plural, kind, spec }) => {
    const cluster = new MemoryCluster();
    await using _simulation = startSimulation(cluster, { clock: systemClock, log: silentLogger() });
    const metadata = { namespace: 'ns', name: 'endless' };
    const type = cluster.type(plural, group);
    await cluster.create(
      type,
      { apiVersion: `${group}/v1`, kind, metadata, spec: { ...spec, selector, template } },
      { as: 'test' },
    );
    const events = await eventually(() => {
      const found = cluster.list(cluster.type('events'));
      expect(found).not.toEqual([]);
      return found;
    });
    expect(events).toEqual([
      expect.objectContaining({
        reason: 'SimulationLimitReached',
        involvedObject: expect.objectContaining({ kind, name: 'endless' }) as unknown,
        message: expect.stringContaining(`at most 500 pods for one ${kind}`) as unknown,
      }),
    ]);
    expect(cluster.list(cluster.type('pods'))).toHaveLength(500);
  },
);

test('a cluster with ten thousand pods gets no more for new owners, and an Event reports it', async () => {
  const cluster = new MemoryCluster();
  const pods = cluster.type('pods');
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: template.spec };
  for (let index = 0; index < 10_000; index += 1) {
    await cluster.create(pods, { ...pod, metadata: { namespace: 'full', name: `p-${index}` } }, { as: 'test' });
  }
  await using _simulation = startSimulation(cluster, { clock: systemClock, log: silentLogger() });
  const metadata = { namespace: 'ns', name: 'late' };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: 1, selector, template } };
  await cluster.create(cluster.type('replicasets', 'apps'), owner, { as: 'test' });
  const [event] = await eventually(() => {
    const found = cluster.list(cluster.type('events'));
    expect(found).not.toEqual([]);
    return found;
  });
  expect(event).toMatchObject({
    reason: 'SimulationLimitReached',
    involvedObject: { kind: 'ReplicaSet', name: 'late' },
    message: expect.stringContaining('at most 10000 pods for the whole cluster') as unknown,
  });
  expect(cluster.list(pods)).toHaveLength(10_000);
});
