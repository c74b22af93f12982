import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/index.ts';
import { concerned } from './budget-requests.ts';

const object = (kind: string, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace, name: 'a' },
});

test('a budget is evaluated again for the nodes that have pods of its namespace', () => {
  const podsOn = { get: (node: string) => [object('Pod', 'system'), object('Pod', node === 'n1' ? 'web' : 'db')] };
  const nodesFor = (namespace: string): readonly string[] =>
    concerned(['n1', 'n2'], (node) => node, {
      podsOn,
      change: { before: undefined, after: object('PodDisruptionBudget', namespace) },
    });
  expect(nodesFor('web')).toEqual(['n1']);
  expect(nodesFor('system')).toEqual(['n1', 'n2']);
  expect(nodesFor('other')).toEqual([]);
});
