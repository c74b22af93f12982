import { expect, test } from 'vitest';
import { compareResourceVersions } from './resource-version.ts';

test.each([
  { name: 'a shorter number is older', a: '9', b: '10', order: -1 },
  { name: 'the same version is equal', a: '10', b: '10', order: 0 },
  { name: 'versions beyond 2^53 differ', a: '9007199254740993', b: '9007199254740992', order: 1 },
  { name: 'the same opaque text is equal', a: 'abc', b: 'abc', order: 0 },
  { name: 'opaque texts have no order', a: 'abc', b: '12', order: undefined },
  { name: 'a number with a leading zero has no order', a: '012', b: '13', order: undefined },
  { name: 'a missing version has no order', a: undefined, b: '1', order: undefined },
])('$name', ({ a, b, order }) => {
  const found = compareResourceVersions(a, b);
  expect(found === undefined ? undefined : Math.sign(found)).toBe(order);
});
