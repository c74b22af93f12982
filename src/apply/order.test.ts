import fc from 'fast-check';
import { expect, test } from 'vitest';
import { installBatches, installRank } from './order.ts';

const kinds = [
  'Deployment',
  'Combination',
  'Namespace',
  'CustomResourceDefinition',
  'ClusterRole',
  'APIService',
  'Secret',
];

test('namespaces come first, workloads late, unknown kinds last', () => {
  const order = installBatches(kinds.map((kind) => ({ kind }))).flat();
  expect(order.map(({ kind }) => kind)).toEqual([
    'Namespace',
    'Secret',
    'CustomResourceDefinition',
    'ClusterRole',
    'Deployment',
    'APIService',
    'Combination',
  ]);
});

test('batches hold every object once, by rank, and keep the order within a rank', () => {
  const objects = fc.array(fc.record({ kind: fc.constantFrom(...kinds, 'toString'), id: fc.nat() }));
  fc.assert(
    fc.property(objects, (list) => {
      const expected = list.toSorted((a, b) => installRank(a.kind) - installRank(b.kind));
      expect(installBatches(list).flat()).toEqual(expected);
    }),
  );
});
