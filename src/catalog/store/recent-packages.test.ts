import { expect, test } from 'vitest';
import type { CatalogPackage } from '../../resolver/index.ts';
import { RecentPackages } from './recent-packages.ts';

const packageOf = (name: string): CatalogPackage => ({ name, defaultChannel: '', channels: [], bundles: new Map() });

test('of all catalogs together the packages that were read last are kept', () => {
  const recent = new RecentPackages(10);
  const [first, second] = [{}, {}];
  const names = (catalog: object): readonly string[] =>
    ['a', 'b', 'c'].filter((name) => recent.get(catalog, name) !== undefined);
  recent.put(first, packageOf('a'), 4);
  recent.put(first, packageOf('b'), 4);
  recent.get(first, 'a');
  recent.put(second, packageOf('c'), 4);
  expect([names(first), names(second)]).toEqual([['a'], ['c']]);
  recent.put(second, packageOf('c'), 6);
  expect([names(first), names(second)]).toEqual([['a'], ['c']]);
  recent.put(second, packageOf('b'), 11);
  expect([names(first), names(second)]).toEqual([[], []]);
  recent.put(first, packageOf('a'), 4);
  recent.put(second, packageOf('a'), 4);
  recent.forget(first);
  expect([names(first), names(second)]).toEqual([[], ['a']]);
});
