import { expect, test } from 'vitest';
import { mergePatch } from './merge-patch.ts';

test('a patch has what changes, and null for what is removed', () => {
  const before = { a: 1, values: { replicas: 2, old: 'x', image: { tag: 'v1', name: 'n' } }, list: [1] };
  const after = { a: 1, values: { replicas: 3, image: { tag: 'v2', name: 'n' } }, list: [1, 2] };
  expect(mergePatch(before, after)).toEqual({
    values: { old: null, replicas: 3, image: { tag: 'v2' } },
    list: [1, 2],
  });
  expect(mergePatch(before, before)).toEqual({});
  expect(mergePatch(undefined, after)).toEqual(after);
});
