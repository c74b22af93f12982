import { expect, test } from 'vitest';
import { runCatalog } from './documents.ts';

const bundle = (name: string, image = ''): { schema: string; name: string; package: string; image: string } => ({
  schema: 'olm.bundle',
  name,
  package: 'boat',
  image,
});

test('the next bundle replaces the one before, and all stay in the catalog', () => {
  const first = runCatalog(bundle('boat.v1'), []);
  const second = runCatalog(bundle('boat.v2'), first);
  const third = runCatalog(bundle('boat.v3'), second);
  expect(third.find(({ schema }) => schema === 'olm.channel')).toEqual({
    schema: 'olm.channel',
    name: 'run',
    package: 'boat',
    entries: [{ name: 'boat.v1' }, { name: 'boat.v2', replaces: 'boat.v1' }, { name: 'boat.v3', replaces: 'boat.v2' }],
  });
  expect(third.filter(({ schema }) => schema === 'olm.bundle').map(({ name }) => name)).toEqual([
    'boat.v1',
    'boat.v2',
    'boat.v3',
  ]);
});

test('a bundle of the same name takes the place of the earlier one', () => {
  const again = runCatalog(bundle('boat.v1', 'second'), runCatalog(bundle('boat.v1', 'first'), []));
  expect(again.filter(({ schema }) => schema === 'olm.bundle')).toEqual([bundle('boat.v1', 'second')]);
  expect(again.find(({ schema }) => schema === 'olm.channel')).toMatchObject({ entries: [{ name: 'boat.v1' }] });
});
