import { expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { parseVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView } from '../package.ts';
import { resolveV1 } from './resolve-v1.ts';

const line = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' });

function withBundle(from: CatalogPackage, name: string, change: Partial<CatalogBundle>): CatalogPackage {
  const bundle = from.bundles.get(name);
  if (bundle === undefined) throw new Error(`no ${name}`);
  return { ...from, bundles: new Map([...from.bundles, [name, { ...bundle, ...change }]]) };
}

function broken(name: string, priority: number): CatalogView {
  const fail = (): never => {
    throw new Error('no content');
  };
  return { ...drawnCatalog([], { name, priority }), package: fail };
}

test('CR-C35 bundles that are not deprecated win against any priority; if all are deprecated, the newest wins', () => {
  const old = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, ['1.0.0', '1.1.0']);
  const catalogs = [drawnCatalog([old], { name: 'a', priority: 10 }), drawnCatalog([line], { name: 'b' })];
  expect(resolveV1(catalogs, { packageName: 'p' }).catalog.name).toBe('b');
  expect(resolveV1(catalogs.toReversed(), { packageName: 'p' }).catalog.name).toBe('b');
  const chosen = resolveV1([drawnCatalog([old])], { packageName: 'p' });
  expect([chosen.bundle.name, chosen.bundle.deprecation]).toEqual(['p.v1.1.0', 'too old']);
});

test('CR-C36 only catalogs that the selector matches are used', () => {
  const catalogs = ['a', 'b'].map((name) => drawnCatalog([line], { name, labels: { tier: name } }));
  const chosen = (selector: object): string => resolveV1(catalogs, { packageName: 'p', selector }).catalog.name;
  expect(chosen({ matchLabels: { 'olm.operatorframework.io/metadata.name': 'b' } })).toBe('b');
  expect(chosen({ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['b'] }] })).toBe('a');
  expect(() => chosen({ matchLabels: { tier: 'c' } })).toThrow('no bundles found for package "p"');
  expect(() => chosen({ matchExpressions: [{ key: 'tier', operator: 'Near' }] })).toThrow(
    'desired catalog selector is invalid: "Near" is not a valid label selector operator',
  );
});

test('CR-C38 a new successor is chosen without any other change', () => {
  const installed = { name: 'p.v1.1.0', version: parseVersion('1.1.0') };
  const before = resolveV1([drawnCatalog([line])], { packageName: 'p', installed });
  expect([before.bundle.name, before.isInstalled]).toEqual(['p.v1.1.0', true]);
  const grown = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' });
  const after = resolveV1([drawnCatalog([grown])], { packageName: 'p', installed });
  expect([after.bundle.name, after.isInstalled, after.edge]).toEqual([
    'p.v1.2.0',
    false,
    { kind: 'replaces', name: 'p.v1.1.0' },
  ]);
});

test('CR-C40 a bundle with dependencies is refused unless the caller handles them', () => {
  const needy = withBundle(line, 'p.v1.1.0', { properties: [{ type: 'olm.gvk.required', value: {} }] });
  expect(() => resolveV1([drawnCatalog([needy])], { packageName: 'p' })).toThrow(
    'validating bundle "p.v1.1.0": bundle "p.v1.1.0" has a dependency declared via property "olm.gvk.required" which is currently not supported',
  );
  expect(resolveV1([drawnCatalog([needy])], { packageName: 'p', mayDepend: true }).bundle.name).toBe('p.v1.1.0');
});

test('CR-C41 a version with build metadata is another version, and needs an edge', () => {
  const graph = drawnPackage({ stable: '2.0.0; 2.0.0+1' });
  const installed = { name: 'p.v2.0.0', version: parseVersion('2.0.0') };
  expect(resolveV1([drawnCatalog([graph])], { packageName: 'p', installed }).isInstalled).toBe(true);
  const joined = drawnPackage({ stable: '2.0.0; 2.0.0+1 <2.0.0' });
  expect(resolveV1([drawnCatalog([joined])], { packageName: 'p', installed }).bundle.name).toBe('p.v2.0.0+1');
});

test('of one version the higher release is preferred, and none is below any', () => {
  const graph = drawnPackage({ stable: '1.0.0+9; 1.0.0; 1.0.0+10; 1.0.0+a' });
  expect(resolveV1([drawnCatalog([graph])], { packageName: 'p' }).bundle.name).toBe('p.v1.0.0+a');
  const numbers = drawnPackage({ stable: '1.0.0+9; 1.0.0; 1.0.0+10' });
  expect(resolveV1([drawnCatalog([numbers])], { packageName: 'p' }).bundle.name).toBe('p.v1.0.0+10');
  const given = withBundle(numbers, 'p.v1.0.0', { release: '11' });
  expect(resolveV1([drawnCatalog([given])], { packageName: 'p' }).bundle.name).toBe('p.v1.0.0');
});

test('an unreadable catalog is reported, and stops only what it could change', () => {
  const good = drawnCatalog([line], { name: 'good', priority: 1 });
  const chosen = resolveV1([broken('bad', 0), good], { packageName: 'p' });
  expect(chosen.warnings).toEqual(['error getting package "p" from catalog "bad": no content']);
  expect(() => resolveV1([broken('bad', 1), good], { packageName: 'p' })).toThrow(
    'error walking catalogs: error getting package "p" from catalog "bad": no content',
  );
});

test('a request without candidates is reported', () => {
  const request = { packageName: 'p', version: '3.x', channels: ['a', 'b'] };
  expect(() => resolveV1([drawnCatalog([line])], request)).toThrow(
    'no bundles found for package "p" matching version "3.x" in channels [a b]',
  );
  expect(() => resolveV1([], { packageName: 'p', version: 'new' })).toThrow(
    'desired version range "new" is invalid: improper constraint: new',
  );
});
