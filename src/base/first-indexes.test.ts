import { expect, test } from 'vitest';
import { firstIndexes, firstRepeated, isRepeated } from './index.ts';

test('an item of a list is repeated where it stands for the second time and later', () => {
  const items = ['a', 'b', 'a', 'a', 'c', 'b'];
  const first = firstIndexes(items);
  expect(items.map((item, index) => isRepeated(first, item, index))).toEqual([false, false, true, true, false, true]);
  expect(isRepeated(first, 'd', 3)).toBe(false);
  expect([firstRepeated(items), firstRepeated(['a', 'b'])]).toEqual(['a', undefined]);
});
