import { expect, test } from 'vitest';
import { type CountedWatch, WatchLimits } from './watch-limits.ts';

const bounds = { maxWatches: 5, maxPerUser: 3, maxPerNamespace: 4, connections: 100, maxWaitingBytes: 1000 };
const connection = {};

const open = (limits: WatchLimits, user: string, count: number): CountedWatch[] =>
  Array.from({ length: count }, () => limits.begin({ user, connection }));

test('a user has so many watches, and not more before one has ended', () => {
  const limits = new WatchLimits(bounds);
  const watches = open(limits, 'jane', 3);
  const refused = expect.objectContaining({ failure: expect.objectContaining({ code: 429 }) as unknown }) as Error;
  expect(() => limits.begin({ user: 'jane', connection })).toThrow(refused);
  open(limits, 'joe', 1);
  watches[0]?.[Symbol.dispose]();
  watches[0]?.[Symbol.dispose]();
  open(limits, 'jane', 1);
  expect(() => limits.begin({ user: 'jane', connection })).toThrow('user "jane" has 3 watches open');
});

test('a watch with a long selector, which is compared with each event, counts more than once', () => {
  const limits = new WatchLimits(bounds);
  const long = limits.begin({ user: 'jane', connection, selectorLength: 2500 });
  expect(() => limits.begin({ user: 'jane', connection })).toThrow('user "jane" has 3 watches open');
  expect(() => limits.begin({ user: 'joe', connection, selectorLength: 2500 })).toThrow(
    'the server has 3 watches open',
  );
  long[Symbol.dispose]();
  limits.begin({ user: 'jane', connection, selectorLength: 2500 });
});

test('the service accounts of a namespace, however many, do not have all of them', () => {
  const limits = new WatchLimits(bounds);
  const watches = open(limits, 'system:serviceaccount:a:one', 3);
  open(limits, 'system:serviceaccount:a:two', 1);
  expect(() => limits.begin({ user: 'system:serviceaccount:a:three', connection })).toThrow(
    'accounts of namespace "a" have 4 watches open',
  );
  open(limits, 'jane', 1);
  watches[0]?.[Symbol.dispose]();
  open(limits, 'system:serviceaccount:a:three', 1);
});

test('all users together have so many, but for those who are exempt', () => {
  const limits = new WatchLimits(bounds);
  for (const user of ['a', 'b', 'c', 'd', 'e']) limits.begin({ user, connection });
  expect(() => limits.begin({ user: 'f', connection })).toThrow('the server has 5 watches open');
  limits.begin({ user: 'kubernetes-admin', connection, selectorLength: 0, isExempt: true });
});

test('where too much waits for all readers together, the slowest end, and others stay', () => {
  const limits = new WatchLimits(bounds);
  const [quick, slow, slower] = open(limits, 'jane', 3) as [CountedWatch, CountedWatch, CountedWatch];
  expect([quick.setWaiting(10), slow.setWaiting(400), slower.setWaiting(500)]).toEqual([true, true, true]);
  expect(slower.setWaiting(700)).toBe(false);
  expect(quick.setWaiting(20)).toBe(true);
  slower[Symbol.dispose]();
  expect(slow.setWaiting(900)).toBe(true);
  expect(quick.setWaiting(0)).toBe(true);
  expect(slow.setWaiting(1100)).toBe(false);
});

test('watches have a quarter of the connections of a server for one user, three quarters for all, and none is taken by more over one connection', () => {
  const limits = new WatchLimits({ connections: 8 });
  const first = limits.begin({ user: 'jane', connection });
  limits.begin({ user: 'jane', connection });
  limits.begin({ user: 'jane', connection: {} });
  const another = (user: string) => () => limits.begin({ user, connection: {} });
  expect(another('jane')).toThrow('user "jane" has 2 connections with watches');
  expect(another('kubernetes-admin')).not.toThrow();
  first[Symbol.dispose]();
  expect(another('jane')).toThrow('user "jane" has 2 connections with watches');
  for (const user of ['a:one', 'a:two']) another(`system:serviceaccount:${user}`)();
  expect(another('system:serviceaccount:a:three')).toThrow('of namespace "a" have 2 connections with watches');
  another('joe')();
  expect(another('jim')).toThrow('the server has 6 connections with watches');
  limits.begin({ user: 'jim', connection });
  limits.begin({ user: 'kubernetes-admin', connection: {}, isExempt: true });
});
