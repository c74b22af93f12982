import { expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { readRequiredProperty } from '../../constraints/index.ts';
import { offersFor } from './offers.ts';

const api = { group: 'tide.example', version: 'v1', kind: 'Harbour' };
const provides = [{ type: 'olm.gvk', value: api }];
const harbour = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0; 2.0.0 <1.1.0' }, ['1.1.0'], {
  name: 'harbour',
  properties: { '1.0.0': provides, '1.1.0': provides, '2.0.0': [{ type: 'x', value: 1 }] },
});

function offers(type: string, value: object, limits: object = {}): string[] {
  const dependency = readRequiredProperty({ type, value: value as never }, { maxEntries: 10, maxDepth: 10 } as never);
  if (dependency === undefined) throw new Error(`no dependency: ${type}`);
  const catalogs = [drawnCatalog([harbour], { name: 'low' }), drawnCatalog([harbour], { name: 'high', priority: 1 })];
  return offersFor(catalogs, dependency, { maxOffers: 3, ...limits }).map(
    ({ catalog, bundle }) => `${catalog.name} ${bundle.name}`,
  );
}

test('each catalog offers its preferred bundle that meets the requirement, higher priorities first', () => {
  expect(offers('olm.package.required', { packageName: 'harbour', versionRange: '>=1.0.0' })).toEqual([
    'high harbour.v2.0.0',
    'low harbour.v2.0.0',
  ]);
  expect(offers('olm.package.required', { packageName: 'harbour', versionRange: '<2.0.0' })).toEqual([
    'high harbour.v1.0.0',
    'low harbour.v1.0.0',
  ]);
  expect(offers('olm.gvk.required', api)).toEqual(['high harbour.v1.0.0', 'low harbour.v1.0.0']);
  expect(offers('olm.gvk.required', { ...api, kind: 'Pier' })).toEqual([]);
});

test('the search ends with enough offers, or at its limit', () => {
  const rule =
    'properties.all(p, properties.all(q, properties.all(r, p.type != "y" || q.type != "y" || r.type != "y")))';
  const constraint = {
    all: { constraints: [{ package: { packageName: 'harbour', versionRange: '>=1.0.0' } }, { cel: { rule } }] },
  };
  expect(offers('olm.constraint', constraint)).toEqual(['high harbour.v2.0.0', 'low harbour.v2.0.0']);
  expect(offers('olm.constraint', constraint, { maxOffers: 1 })).toEqual(['high harbour.v2.0.0']);
  expect(offers('olm.constraint', constraint, { maxSteps: 3 })).toEqual([]);
});
