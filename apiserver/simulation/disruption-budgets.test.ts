import { expect, test, vi } from 'vitest';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { Cluster, ClusterEvent, KubeObject, ResourceType } from '../core/index.ts';
import { disruptionBudgetSimulation } from './disruption-budgets.ts';
import type { SimulationContext } from './simulated.ts';

const as = { as: 'test' };

const resource = (group: string, plural: string): ResourceType =>
  ({ storageKey: group === '' ? plural : `${plural}.${group}` }) as ResourceType;

test('pods that change lead to their namespace once, and no budget is read for each of them', () => {
  // Reads nothing but types: what else it is asked for fails.
  const cluster = { resource } as unknown as Cluster;
  const simulation = disruptionBudgetSimulation({ cluster } as SimulationContext);
  const eventOf = (plural: string, group: string, name: string): ClusterEvent => {
    const object = {
      apiVersion: 'v1',
      kind: 'A',
      metadata: { namespace: 'a', name, labels: { app: 'a' } },
    } as KubeObject;
    return { type: 'MODIFIED', resource: resource(group, plural), object, previous: object } as ClusterEvent;
  };
  const keys = ['p1', 'p2', 'p3'].flatMap((name) => [...simulation.keysOf(eventOf('pods', '', name))]);
  expect(new Set(keys)).toEqual(new Set(['a/']));
  expect([...simulation.keysOf(eventOf('poddisruptionbudgets', 'policy', 'b'))]).toEqual(['a/b']);
});

test('a workload is read once for all of its pods, and others have turns', async () => {
  const cluster = new MemoryCluster();
  const [namespace, labels] = ['ns', { app: 'a' }];
  const controlledBy = ({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject) => [
    { apiVersion, kind, name, uid, controller: true },
  ];
  const deployment = await cluster.create(
    cluster.type('deployments', 'apps'),
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name: 'd' }, spec: { replicas: 7 } },
    as,
  );
  const sets: KubeObject[] = [];
  for (const name of ['r1', 'r2']) {
    const metadata = { namespace, name, ownerReferences: controlledBy(deployment) };
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: 1 } };
    sets.push(await cluster.create(cluster.type('replicasets', 'apps'), set, as));
  }
  for (let index = 0; index < 20; index += 1) {
    const ownerReferences = sets.slice(index % 2, (index % 2) + 1).flatMap(controlledBy);
    const metadata = { namespace, name: `p${index}`, labels, ownerReferences };
    await cluster.create(cluster.type('pods'), { apiVersion: 'v1', kind: 'Pod', metadata }, as);
  }
  const type = cluster.type('poddisruptionbudgets', 'policy');
  const spec = { maxUnavailable: '50%', selector: { matchLabels: labels } };
  const key = { namespace, name: 'b' };
  await cluster.create(type, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: key, spec }, as);
  const reads = vi.spyOn(cluster, 'get');
  const turns = vi.spyOn(cluster, 'takeTurn');
  const now = (): string => '2030-01-01T00:00:00Z';
  const simulation = disruptionBudgetSimulation({ cluster, now } as unknown as SimulationContext);
  await simulation.work('ns/b');
  const isOfWorkload = ([{ group }]: Parameters<Cluster['get']>): boolean => group === 'apps';
  expect(reads.mock.calls.filter(isOfWorkload)).toHaveLength(3);
  expect(turns).toHaveBeenCalledTimes(3);
  expect(cluster.get(type, key)?.status).toMatchObject({ expectedPods: 7, desiredHealthy: 3, currentHealthy: 0 });
});
