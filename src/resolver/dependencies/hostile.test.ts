import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  needsApi,
  needsPackage,
  provides,
  stockedCatalog,
  stockedPackage,
} from '../../../test/support/stocked-catalog.ts';
import { type JsonValue, TransientError } from '../../base/index.ts';
import { type Property, parseVersion } from '../../constraints/index.ts';
import { resolve } from './resolve.ts';

const types = [
  'olm.package',
  'olm.gvk',
  'olm.gvk.required',
  'olm.package.required',
  'olm.constraint',
  'olm.label',
  'olm.label.required',
  'olm.deprecated',
  'anything',
];
const leaves = fc.constantFrom<JsonValue>(
  { gvk: { group: 'g.io', version: 'v1', kind: 'K' } },
  { package: { packageName: 'b', versionRange: '>=1.0.0' } },
  { cel: { rule: 'properties.exists(p, p.type == "olm.label")' } },
  { cel: { rule: 'properties[99].value.x == 1' } },
  { cel: { rule: '(((' } },
  { label: 'l' },
  { group: 'g.io', version: 'v1', kind: 'K' },
  { packageName: 'b', versionRange: '1.x' },
  { packageName: '__proto__', versionRange: '>=0.0.0' },
  null,
);
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.jsonValue().map((value) => value as JsonValue),
    fc
      .tuple(fc.constantFrom('all', 'any', 'not'), fc.array(tie('tree'), { maxLength: 3 }))
      .map(([kind, constraints]): JsonValue => ({ [kind]: { constraints } })),
  ),
}));
const properties = fc.array(
  fc.record({ type: fc.constantFrom(...types), value: tree }).map((one): Property => one),
  { maxLength: 5 },
);

test('whatever bundles declare, there is an answer, or it is cancelled at the limit of steps', () => {
  const cases = fc.record({ a: properties, head: properties, b: properties, installed: properties });
  fc.assert(
    fc.property(cases, ({ a, head, b, installed }) => {
      const packages = [
        stockedPackage('a', { stable: '1.0.0; 1.1.0 <1.0.0' }, { '1.0.0': a, '1.1.0': head }),
        stockedPackage('b', { stable: '1.0.0', other: '2.0.0' }, { '1.0.0': b }),
      ];
      const request = {
        catalogs: [stockedCatalog('cat', packages), stockedCatalog('more', packages)],
        requested: [
          { name: 'a', packageName: 'a' },
          { name: 'x', packageName: '__proto__', staysIfMissing: true, installed: 'x' },
        ],
        installed: [{ name: 'x', version: parseVersion('1.0.0'), properties: installed }],
        limits: { maxSteps: 100_000 },
      };
      try {
        const answer = resolve(request);
        if (answer.outcome === 'conflict') expect(answer.sentences.length).toBeGreaterThan(0);
        else expect(answer.bundles.some(({ requestedBy }) => requestedBy.includes('a'))).toBe(true);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TransientError);
      }
    }),
    { numRuns: 300 },
  );
});

/** Each needs one of the APIs, and there is one API too few: short to state, long to refute. */
test('gives up on a catalog that is made to be hard', () => {
  const count = 14;
  const api = (index: number): JsonValue => ({ group: 'g.io', version: 'v1', kind: `Hole${index}` });
  const pigeons = Array.from({ length: count }, (_, pigeon) => {
    const versions = Array.from({ length: count - 1 }, (__, hole) => `1.${hole}.0`);
    const entries = versions.map((version, hole) => `${version}${hole === 0 ? '' : ` <${versions[hole - 1]}`}`);
    const provided = versions.map((version, hole): [string, Property[]] => [
      version,
      [{ type: 'olm.gvk', value: api(hole) }],
    ]);
    return stockedPackage(`pigeon${pigeon}`, { stable: entries.join(';') }, Object.fromEntries(provided));
  });
  const requested = pigeons.map(({ name }) => ({ name, packageName: name }));
  const request = {
    catalogs: [stockedCatalog('cat', pigeons)],
    requested,
    installed: [],
    limits: { maxSteps: 300_000 },
  };
  expect(() => resolve(request)).toThrow('cancelled before a solution could be found: more than 300000 steps');
});

const manyLabels = Array.from({ length: 3_000 }, (_, index) => ({ label: `label${index}` }));

/** Users who may create BundleDeployments decide what these bundles ask for. */
test.each<{ what: string; required: Property[]; provided: Property[] }>([
  {
    what: 'very much that nothing has',
    required: manyLabels.map((value) => ({ type: 'olm.label.required', value })),
    provided: [],
  },
  {
    what: 'very much that another one has',
    required: manyLabels.map((value) => ({ type: 'olm.label.required', value })),
    provided: manyLabels.map((value) => ({ type: 'olm.label', value })),
  },
  {
    what: 'what every bundle of the catalogs has',
    required: Array.from({ length: 50 }, (_, index) => ({
      type: 'olm.constraint',
      value: { cel: { rule: `properties.exists(p, p.type == "olm.gvk") && ${index} == ${index}` } },
    })),
    provided: [],
  },
])('what is installed, and asks for $what, does not keep others from being resolved', ({ required, provided }) => {
  const kinds = Array.from({ length: 20 }, (_, index) => ({
    type: 'olm.gvk',
    value: { group: 'g.io', version: 'v1', kind: `K${index}` },
  }));
  const bundles = Array.from({ length: 10 }, (_, index) => `1.${index}.0`);
  const entries = bundles.map((version, index) => (index === 0 ? version : `${version} <1.${index - 1}.0`)).join(';');
  const packages = Array.from({ length: 500 }, (_, index) =>
    stockedPackage(`p${index}`, { stable: entries }, Object.fromEntries(bundles.map((one) => [one, kinds]))),
  );
  const installed = [
    { name: 'greedy', version: parseVersion('1.0.0'), properties: required },
    { name: 'other', version: parseVersion('1.0.0'), properties: provided },
  ];
  const answer = resolve({
    catalogs: [stockedCatalog('cat', packages)],
    requested: [{ name: 'x', packageName: 'p7' }],
    installed,
    installedConstraints: 'BestEffort',
  });
  expect(answer.outcome).toBe('resolved');
});

const claim = (name: string, properties: readonly Property[], isClaim = false) => {
  return { name, packageName: name, version: parseVersion('0.1.0'), properties, isClaim };
};
const wantsDep = stockedPackage('a', { stable: '1.0.0' }, { '1.0.0': [provides('A'), needsPackage('dep', '>=1.0.0')] });
const dep = stockedPackage('dep', { stable: '1.0.0' }, { '1.0.0': [provides('Dep')] });

test.each([
  { what: 'the same API', installed: [claim('x', [provides('X')]), claim('y', [provides('X')])] },
  { what: 'the same package', installed: [claim('x', []), { ...claim('x', []), name: 'y' }] },
  { what: 'an API that is to be installed', installed: [claim('x', [provides('A'), provides('Dep')], true)] },
  { what: 'a package that is to be installed', installed: [claim('dep', [], true)] },
])('installed bundles that claim $what do not keep others from being installed', ({ installed }) => {
  const catalogs = [stockedCatalog('cat', [wantsDep, dep])];
  const requested = [{ name: 'a', packageName: 'a' }];
  const answer = resolve({ catalogs, requested, installed, installedConstraints: 'BestEffort' });
  const found = answer.outcome === 'resolved' ? answer.bundles.filter(({ origin }) => origin !== undefined) : [];
  expect(found.map(({ candidate }) => candidate.name)).toEqual(['dep.v1.0.0', 'a.v1.0.0']);
});

test.each([
  { what: 'an API', installed: [claim('x', [provides('X'), provides('A')]), claim('y', [provides('A')])] },
  { what: 'a package', installed: [claim('dep', []), { ...claim('dep', []), name: 'y' }] },
])('$what that installed bundles have is not installed a second time', ({ installed }) => {
  const catalogs = [stockedCatalog('cat', [wantsDep, dep])];
  const requested = [{ name: 'a', packageName: 'a' }];
  expect(resolve({ catalogs, requested, installed, installedConstraints: 'BestEffort' }).outcome).toBe('conflict');
});

test('rules of an installed bundle that take long to read do not count, those of others do', () => {
  const rules = Array.from({ length: 10 }, (_, index): Property => {
    const list = Array.from({ length: 4_000 }, () => '1').join(',');
    return { type: 'olm.constraint', value: { cel: { rule: `[${list}].size() > ${index}` } } };
  });
  const installed = [
    claim('greedy', [needsApi('K'), ...rules]),
    claim('modest', [needsApi('L'), ...rules.slice(0, 1)]),
  ];
  const stock = ['K', 'L'].map((kind) => stockedPackage(kind, { stable: '1.0.0' }, { '1.0.0': [provides(kind)] }));
  const catalogs = [stockedCatalog('cat', [wantsDep, dep, ...stock])];
  const requested = [{ name: 'a', packageName: 'a' }];
  const answer = resolve({ catalogs, requested, installed, installedConstraints: 'BestEffort' });
  const found = answer.outcome === 'resolved' ? answer.bundles.filter(({ origin }) => origin !== undefined) : [];
  expect(found.map(({ candidate }) => candidate.name)).toEqual(['L.v1.0.0', 'dep.v1.0.0', 'a.v1.0.0']);
});
