import { expect, test } from 'vitest';
import { formatVersion } from '../../constraints/index.ts';
import { createCatalogView } from './catalog-view.ts';
import { readPackages } from './packages.ts';
import { readCatalogStream } from './read-catalog.ts';

const catalog = `
{schema: olm.bundle, package: p, name: p.v1.0.0, image: r.example/p:1, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0, release: "2"}}, {type: olm.gvk, value: {group: g, version: v1, kind: K}}, {type: olm.csv.metadata, value: {displayName: P}}]}
---
{schema: olm.bundle, package: p, name: p.v2, properties: [{type: olm.package, value: {packageName: p, version: two}}]}
---
{schema: olm.bundle, package: p, name: p.v3}
---
{schema: olm.channel, package: p, name: stable, entries: [{name: p.v1.0.0, replaces: p.v0, skips: [p.v0.1, ""], skipRange: <1.0.0}, {name: p.v2}]}
---
{schema: olm.channel, package: p, name: alpha, entries: []}
---
{schema: olm.package, name: p, defaultChannel: stable}
---
{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.bundle, name: p.v1.0.0}, message: old bundle}, {reference: {schema: olm.channel, name: alpha}, message: old channel}, {reference: {schema: olm.package}, message: old}, {reference: {schema: olm.channel, name: none}, message: x}]}
---
{schema: olm.channel, package: q, name: stable}
---
{schema: my.schema, note: kept}
`;

test('packages are made of documents in any order, of what is usable', async () => {
  const packages = await readPackages(readCatalogStream([Buffer.from(catalog)], 'catalog.yaml'));
  expect(Array.from(packages.keys())).toEqual(['p']);
  const found = packages.get('p');
  expect(found).toMatchObject({ name: 'p', defaultChannel: 'stable', deprecation: 'old' });
  expect(found?.channels).toEqual([
    { name: 'alpha', entries: [], deprecation: 'old channel' },
    {
      name: 'stable',
      entries: [
        { name: 'p.v1.0.0', replaces: 'p.v0', skips: ['p.v0.1'], skipRange: '<1.0.0' },
        { name: 'p.v2', skips: [] },
      ],
    },
  ]);
  const bundles = Array.from(found?.bundles.values() ?? []);
  expect(bundles.map(({ version, ...rest }) => ({ ...rest, version: formatVersion(version) }))).toEqual([
    {
      name: 'p.v1.0.0',
      packageName: 'p',
      version: '1.0.0',
      release: '2',
      image: 'r.example/p:1',
      deprecation: 'old bundle',
      properties: [
        { type: 'olm.package', value: { packageName: 'p', version: '1.0.0', release: '2' } },
        { type: 'olm.gvk', value: { group: 'g', version: 'v1', kind: 'K' } },
      ],
    },
  ]);
});

test('a catalog in memory knows who provides an API', async () => {
  const packages = await readPackages(readCatalogStream([Buffer.from(catalog)], 'catalog.yaml'));
  const view = createCatalogView({ name: 'c', priority: 5 }, packages);
  expect(view).toMatchObject({ name: 'c', priority: 5, labels: {} });
  expect(view.packageNames()).toEqual(['p']);
  expect(view.packagesProviding({ group: 'g', version: 'v1', kind: 'K' })).toEqual(['p']);
  expect(view.packagesProviding({ group: 'g', version: 'v2', kind: 'K' })).toEqual([]);
});
