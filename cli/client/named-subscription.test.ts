import { expect, test } from 'vitest';
import type { Subscription } from '../../src/api/index.ts';
import { namedSubscription } from './named-subscription.ts';

const to = (packageName: string, name = packageName): Subscription => {
  const metadata = { namespace: 'port', name, uid: name };
  return { metadata, spec: { name: packageName, source: 'shop', sourceNamespace: 'olm' } } as unknown as Subscription;
};

test('a Subscription is found by its name and by its package', () => {
  const all = [to('boat', 'my-boat'), to('ferry')];
  expect(namedSubscription(all, 'boat')).toBe(all[0]);
  expect(namedSubscription(all, 'my-boat')).toBe(all[0]);
  expect(namedSubscription(all, 'ferry')).toBe(all[1]);
  expect(namedSubscription(all, 'yacht')).toBeUndefined();
});

test('of two Subscriptions to a package the one of that name is found', () => {
  const all = [to('boat', 'a'), to('boat')];
  expect(namedSubscription(all, 'boat')).toBe(all[1]);
});

test('a Subscription with the name of the package of another one is not taken for that one', () => {
  const all = [to('ferry', 'boat'), to('boat', 'my-boat')];
  expect(() => namedSubscription(all, 'boat')).toThrow('use "ferry" or "my-boat"; nothing was changed');
});
