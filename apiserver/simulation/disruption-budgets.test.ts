import { expect, test } from 'vitest';
import type { Cluster, ClusterEvent, KubeObject, ResourceType } from '../core/index.ts';
import { disruptionBudgetSimulation } from './disruption-budgets.ts';
import type { SimulationContext } from './simulated.ts';

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
