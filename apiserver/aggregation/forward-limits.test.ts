import { expect, test } from 'vitest';
import { ForwardLimits } from './forward-limits.ts';

test('one user, and all of them, have so many requests open and no more', () => {
  const limits = new ForwardLimits({ maxRequests: 3, maxPerUser: 2 });
  const first = limits.begin('a');
  limits.begin('a');
  expect(() => limits.begin('a')).toThrow('user "a" has 2 requests open');
  limits.begin('b');
  expect(() => limits.begin('c')).toThrow('3 requests are open');
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  limits.begin('c');
  expect(() => limits.begin('a')).toThrow('3 requests are open');
});
