import { expect, test } from 'vitest';
import { ListSlots, maxLists } from './list-slots.ts';

test('a list of the user with the most makes room for those of others, and never more than is fair', () => {
  const slots = new ListSlots();
  const greedy = Array.from({ length: maxLists }, () => slots.admit('greedy'));
  expect(slots.admit('greedy')).toBeUndefined();
  const fair = Array.from({ length: maxLists / 2 }, () => slots.admit('other'));
  expect(fair.every((slot) => slot?.signal.aborted === false)).toBe(true);
  const kept = Array.from({ length: maxLists }, (_, index) => index >= maxLists / 2);
  expect(greedy.map((slot) => slot?.signal.aborted === false)).toEqual(kept);
  expect(slots.admit('other')).toBeUndefined();
  greedy.at(-1)?.[Symbol.dispose]();
  expect(slots.admit('other')).toBeDefined();
});
