import { expect, test } from 'vitest';
import { tenantOf } from '../../src/kube/index.ts';
import { Shares } from './shares.ts';

test('a user has a share in all of what is open, and leaves room for others', () => {
  const shares = new Shares({ ofUser: 4, ofAll: 6 });
  using first = shares.open('ada');
  const second = shares.open('ada');
  expect([first.add(3), second.add(2), second.add(1)]).toEqual([true, false, true]);
  using other = shares.open('bob');
  expect([other.add(3), other.add(2)]).toEqual([false, true]);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  expect([second.add(1), first.add(-2), other.add(2), first.add(2)]).toEqual([false, true, true, false]);
});

test.each([
  ['ada', 'ada'],
  ['system:serviceaccount:tenant:one', 'system:serviceaccounts:tenant'],
  ['system:serviceaccount:tenant:two', 'system:serviceaccounts:tenant'],
  ['system:node:a', 'system:node:a'],
])('%s has the share of %s', (username, tenant) => {
  expect(tenantOf(username)).toBe(tenant);
});
