import { expect, test } from 'vitest';
import { pruneUnknown } from './prune.ts';
import { pruneCustom } from './prune-custom.ts';

const schema = { type: 'object', additionalProperties: { type: 'object', properties: { known: {} } } } as const;

test.each([
  { what: 'built-in kinds', prune: pruneUnknown },
  { what: 'custom resources', prune: (value: object) => pruneCustom(value as never, schema, { isObject: false }) },
])('of very many unknown fields below a long key the first are named: $what', ({ prune }) => {
  const members = Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1] as const);
  const value = { ['a'.repeat(100_000)]: { known: 1, ...Object.fromEntries(members) } };
  const removed = prune(value, schema);
  expect(removed[0]).toMatch(/^a+\.k0$/);
  expect(removed.join('').length).toBeLessThan(1_500_000);
  expect(Object.values(value)).toEqual([{ known: 1 }]);
});
