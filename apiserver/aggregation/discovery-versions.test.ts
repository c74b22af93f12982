import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { aggregatedVersionOf } from './discovery-versions.ts';

test('subresources are with their resource, wherever they are in the list', () => {
  const list = {
    resources: [
      { name: 'widgets/status', kind: 'Widget', verbs: ['get'] },
      { name: 'widgets', kind: 'Widget', namespaced: true, verbs: ['list'] },
      { name: 'gadgets', kind: 'Gadget', verbs: ['list'] },
      { name: 'widgets/scale/x', kind: 'Scale', verbs: ['update'] },
    ],
  };
  expect(aggregatedVersionOf(list)).toMatchObject([
    {
      resource: 'widgets',
      scope: 'Namespaced',
      subresources: [
        { subresource: 'status', verbs: ['get'] },
        { subresource: 'scale/x', verbs: ['update'] },
      ],
    },
    { resource: 'gadgets', scope: 'Cluster' },
  ]);
  expect(aggregatedVersionOf(list)[1]).not.toHaveProperty('subresources');
});

test('a server that lists very many resources does not have each compared with each', () => {
  let reads = 0;
  const resources = Array.from({ length: 1000 }, (_, index): JsonObject => {
    return Object.defineProperty({}, 'name', {
      enumerable: true,
      get: () => {
        reads += 1;
        return `widgets${index}`;
      },
    });
  });
  expect(aggregatedVersionOf({ resources })).toHaveLength(1000);
  expect(reads).toBeLessThan(10_000);
});
