import { expect, test } from 'vitest';
import {
  needsApi,
  needsPackage,
  provides,
  stockedCatalog,
  stockedPackage,
} from '../../../test/support/stocked-catalog.ts';
import type { JsonValue } from '../../base/index.ts';
import { type Property, parseVersion } from '../../constraints/index.ts';
import type { CatalogPackage, CatalogView } from '../package.ts';
import type { PresentBundle, RequestedPackage, ResolutionRequest } from './request.ts';
import { resolve } from './resolve.ts';

type Properties = readonly Property[];
type Resolved = ReturnType<typeof resolve>;

const one = (name: string, properties: Properties = [], version = '1.0.0'): CatalogPackage =>
  stockedPackage(name, { stable: version }, { [version]: properties });

const constraint = (value: JsonValue): Property => ({ type: 'olm.constraint', value });
const gvkK: JsonValue = { gvk: { group: 'g.io', version: 'v1', kind: 'K' } };
const packageB = (versionRange: string): JsonValue => ({ package: { packageName: 'b', versionRange } });

function subscribe(packageName: string, more: Partial<RequestedPackage> = {}): RequestedPackage {
  return {
    name: `${packageName}-sub`,
    packageName,
    channel: 'stable',
    catalog: { name: 'cat', namespace: 'ns' },
    ...more,
  };
}

function present(name: string, properties: Properties = [], packageName?: string): PresentBundle {
  const version = /v([0-9.]+)$/.exec(name)?.[1] ?? '1';
  const known = packageName === undefined ? {} : { packageName };
  return {
    name,
    version: parseVersion(version.split('.').length === 3 ? version : `${version}.0.0`),
    properties,
    ...known,
  };
}

interface Situation {
  readonly packages?: readonly CatalogPackage[];
  readonly catalogs?: readonly CatalogView[];
  readonly requested?: readonly RequestedPackage[];
  readonly installed?: readonly PresentBundle[];
}

function requestOf({
  packages = [],
  catalogs,
  requested = [subscribe('a')],
  installed = [],
}: Situation): ResolutionRequest {
  return { catalogs: catalogs ?? [stockedCatalog('cat', packages)], namespace: 'ns', requested, installed };
}

/** What would be installed, sorted; or the message. */
function shown(answer: Resolved): string {
  if (answer.outcome === 'conflict') return answer.message;
  const added = answer.bundles.filter(({ origin }) => origin !== undefined);
  return (
    added
      .map(({ candidate }) => candidate.id)
      .toSorted()
      .join(' ') || 'stays'
  );
}

const ofA = 'subscription a-sub exists, subscription a-sub requires cat/ns/stable/a.v1.0.0';
const bTwice = stockedPackage(
  'b',
  { stable: '1.0.0; 1.1.0 <1.0.0' },
  { '1.0.0': [provides('K')], '1.1.0': [provides('K')] },
);
const twoVersions = (name: string, head: Properties, old: Properties = []): CatalogPackage =>
  stockedPackage(name, { stable: '1.0.0; 1.1.0 <1.0.0' }, { '1.0.0': old, '1.1.0': head });
const cel = 'properties.exists(p, p.type == "certified")';

const rows: readonly (Situation & { readonly name: string; readonly expected: string })[] = [
  {
    name: 'CR-R1 an API that no bundle provides',
    packages: [one('a', [needsApi('K')])],
    expected: `constraints not satisfiable: bundle a.v1.0.0 requires an operator providing an API with group: g.io, version: v1, kind: K, ${ofA}`,
  },
  {
    name: 'CR-R2 the newest provider',
    packages: [one('a', [needsApi('K')]), bTwice],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.1.0',
  },
  {
    name: 'CR-R3 the newest version in the range',
    packages: [one('a', [needsPackage('b', '<1.1.0')]), bTwice],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R4 two that need different versions',
    packages: [one('a', [needsPackage('b', '<1.1.0')]), one('c', [needsPackage('b', '>=1.1.0')]), bTwice],
    requested: [subscribe('a'), subscribe('c')],
    expected:
      'constraints not satisfiable: bundle a.v1.0.0 requires an operator with package: b and with version in range: <1.1.0, bundle c.v1.0.0 requires an operator with package: b and with version in range: >=1.1.0, cat/ns/stable/b.v1.0.0 and cat/ns/stable/b.v1.1.0 originate from package b, subscription a-sub exists, subscription a-sub requires cat/ns/stable/a.v1.0.0, subscription c-sub exists, subscription c-sub requires cat/ns/stable/c.v1.0.0',
  },
  {
    name: 'CR-R5 a head that cannot be had is passed over',
    packages: [twoVersions('a', [needsApi('K')])],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R6 an update that cannot be had is not made',
    packages: [twoVersions('a', [needsApi('K')])],
    requested: [subscribe('a', { installed: 'a.v1.0.0' })],
    installed: [present('a.v1.0.0', [], 'a')],
    expected: 'stays',
  },
  {
    name: 'CR-R7 two that provide one API',
    packages: [one('a', [provides('K')]), one('b', [provides('K')])],
    requested: [subscribe('a'), subscribe('b')],
    expected: `constraints not satisfiable: cat/ns/stable/a.v1.0.0 and cat/ns/stable/b.v1.0.0 provide K (g.io/v1), ${ofA}, subscription b-sub exists, subscription b-sub requires cat/ns/stable/b.v1.0.0`,
  },
  {
    name: 'CR-R8 what is installed comes first',
    packages: [one('a', [needsApi('K')]), bTwice],
    installed: [present('x.v1', [provides('K')])],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R9 an API that is installed already',
    packages: [one('a', [provides('K')])],
    installed: [present('x.v1', [provides('K')])],
    expected: `constraints not satisfiable: @existing/ns//x.v1 and cat/ns/stable/a.v1.0.0 provide K (g.io/v1), clusterserviceversion x.v1 exists and is not referenced by a subscription, ${ofA}`,
  },
  {
    name: 'CR-R10 the catalog of higher priority',
    catalogs: [
      stockedCatalog('cat', [one('a', [needsApi('K')])]),
      stockedCatalog('m', [one('b', [provides('K')])]),
      stockedCatalog('z', [one('b', [provides('K')])], { priority: 5 }),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 z/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R11 the own catalog before one of higher priority',
    catalogs: [
      stockedCatalog('cat', [one('a', [needsApi('K')]), one('b', [provides('K')])]),
      stockedCatalog('z', [one('b', [provides('K')])], { priority: 5 }),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R12 catalogs of equal priority by name',
    catalogs: [
      stockedCatalog('cat', [one('a', [needsApi('K')])]),
      stockedCatalog('z', [one('b', [provides('K')])]),
      stockedCatalog('m', [one('b', [provides('K')])]),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 m/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R13 the default channel before the higher version',
    packages: [one('a', [needsPackage('b', '>=1.0.0')]), stockedPackage('b', { stable: '1.0.0', alpha: '2.0.0' })],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R14 all of two things that no one bundle is',
    packages: [one('a', [constraint({ all: { constraints: [gvkK, packageB('>=2.0.0')] } })]), bTwice],
    expected: `constraints not satisfiable: bundle a.v1.0.0 requires an operator providing an API with group: g.io, version: v1, kind: K and with package: b and with version in range: >=2.0.0, ${ofA}`,
  },
  {
    name: 'CR-R15 any of two things',
    packages: [
      one('a', [
        constraint({
          any: { constraints: [{ gvk: { group: 'g.io', version: 'v2', kind: 'K' } }, packageB('>=1.0.0')] },
        }),
      ]),
      one('b'),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R16 not, within all',
    packages: [
      one('a', [constraint({ all: { constraints: [packageB('>=1.0.0'), { not: { constraints: [gvkK] } }] } })]),
      stockedPackage('b', { stable: '1.0.0; 2.0.0 <1.0.0' }, { '2.0.0': [provides('K')] }),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-R17 an expression that nothing satisfies',
    packages: [one('a', [constraint({ failureMessage: 'require b cert', cel: { rule: cel } })]), one('b')],
    expected: `constraints not satisfiable: bundle a.v1.0.0 requires an operator with constraint: "properties.exists(p, p.type == \\"certified\\")" and message: "require b cert", ${ofA}`,
  },
  {
    name: 'CR-R18 a chain of needs',
    packages: [one('a', [needsPackage('b', '>=1.0.0')]), one('b', [needsApi('K')]), one('c', [provides('K')])],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0 cat/ns/stable/c.v1.0.0',
  },
  {
    name: 'CR-R19 the only entry is deprecated',
    packages: [one('a', [{ type: 'olm.deprecated', value: {} }])],
    expected: `constraints not satisfiable: bundle cat/ns/stable/a.v1.0.0 is deprecated, ${ofA}`,
  },
  {
    name: 'CR-R20 a deprecated head is passed over',
    packages: [twoVersions('a', [{ type: 'olm.deprecated', value: {} }])],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R21 a constraint that is empty',
    packages: [one('a', [constraint({ failureMessage: 'x' })])],
    expected: `constraints not satisfiable: bundle cat/ns/stable/a.v1.0.0 cannot be chosen: convert olm.constraint to resolver predicate: constraint is empty, ${ofA}`,
  },
  {
    name: 'CR-R21 a constraint with an unknown field, in a head: the one below is taken',
    packages: [twoVersions('a', [constraint({ unknown: {} })])],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R22 a bundle that provides what it needs',
    packages: [one('a', [provides('K'), needsApi('K')]), bTwice],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R22 a bundle that needs its own package',
    packages: [one('a', [needsPackage('a', '>=1.0.0')])],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R23 a not that is met by nearly anything',
    packages: [one('a', [constraint({ not: { constraints: [gvkK] } })]), bTwice],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-R24 two updates that go together',
    packages: [
      twoVersions('a', [needsPackage('b', '>=2.0.0')]),
      stockedPackage('b', { stable: '1.0.0; 2.0.0 <1.0.0' }),
    ],
    requested: [subscribe('a', { installed: 'a.v1.0.0' }), subscribe('b', { installed: 'b.v1.0.0' })],
    installed: [present('a.v1.0.0', [], 'a'), present('b.v1.0.0', [], 'b')],
    expected: 'cat/ns/stable/a.v1.1.0 cat/ns/stable/b.v2.0.0',
  },
  {
    name: 'CR-R25 two subscriptions to one package',
    packages: [stockedPackage('a', { x: '1.0.0', y: '2.0.0' })],
    requested: [subscribe('a', { name: 'ax', channel: 'x' }), subscribe('a', { name: 'ay', channel: 'y' })],
    expected:
      'constraints not satisfiable: cat/ns/x/a.v1.0.0 and cat/ns/y/a.v2.0.0 originate from package a, subscription ax exists, subscription ax requires cat/ns/x/a.v1.0.0, subscription ay exists, subscription ay requires cat/ns/y/a.v2.0.0',
  },
  {
    name: 'CR-R25 two subscriptions that lead to one bundle',
    packages: [stockedPackage('a', { x: '1.0.0', y: '1.0.0' })],
    requested: [subscribe('a', { name: 'ax', channel: 'x' }), subscribe('a', { name: 'ay', channel: 'y' })],
    expected:
      'constraints not satisfiable: cat/ns/x/a.v1.0.0 and cat/ns/y/a.v1.0.0 originate from package a, subscription ax exists, subscription ax requires cat/ns/x/a.v1.0.0, subscription ay exists, subscription ay requires cat/ns/y/a.v1.0.0',
  },
  {
    name: 'CR-R26 a range without a version',
    packages: [one('a', [needsPackage('b', '>=3.0.0 <4.0.0')]), one('b', [], '2.0.0')],
    expected: `constraints not satisfiable: bundle a.v1.0.0 requires an operator with package: b and with version in range: >=3.0.0 <4.0.0, ${ofA}`,
  },
  {
    name: 'CR-R27 a channel that does not exist',
    packages: [one('a'), one('b')],
    requested: [subscribe('a'), subscribe('b', { name: 'b', channel: 'nope' })],
    expected:
      'constraints not satisfiable: no operators found in channel nope of package b in the catalog referenced by subscription b, subscription b exists',
  },
  {
    name: 'CR-R28 an installed operator whose package left the catalog',
    packages: [twoVersions('b', [])],
    requested: [subscribe('a', { name: 'a', installed: 'a.v1.0.0' }), subscribe('b', { installed: 'b.v1.0.0' })],
    installed: [present('a.v1.0.0', [], 'a'), present('b.v1.0.0', [], 'b')],
    expected:
      'constraints not satisfiable: no operators found in package a in the catalog referenced by subscription a, subscription a exists',
  },
  {
    name: 'CR-R29 an update that would provide what is installed',
    packages: [twoVersions('a', [provides('K')])],
    requested: [subscribe('a', { installed: 'a.v1.0.0' })],
    installed: [present('a.v1.0.0', [], 'a'), present('x.v1', [provides('K')])],
    expected: 'stays',
  },
  {
    name: 'CR-R30 a rename',
    packages: [stockedPackage('b', { stable: '2.0.0 <a.v1.0.0' })],
    requested: [subscribe('b', { installed: 'a.v1.0.0' })],
    installed: [present('a.v1.0.0', [], 'a')],
    expected: 'cat/ns/stable/b.v2.0.0',
  },
  {
    name: 'CR-C28 without a channel, the default one comes first',
    packages: [stockedPackage('a', { stable: '1.0.0; 1.2.0 <1.0.0', alpha: '1.0.0; 1.5.0 <1.0.0' })],
    requested: [subscribe('a', { channel: '' })],
    expected: 'cat/ns/stable/a.v1.2.0',
  },
  {
    name: 'CR-C28 a bundle to begin with, while nothing is installed',
    packages: [twoVersions('a', [])],
    requested: [subscribe('a', { startingBundle: 'a.v1.0.0' })],
    expected: 'cat/ns/stable/a.v1.0.0',
  },
  {
    name: 'CR-C28 a bundle to begin with is of no account once something is installed',
    packages: [stockedPackage('a', { stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' })],
    requested: [subscribe('a', { startingBundle: 'a.v1.0.0', installed: 'a.v1.1.0' })],
    installed: [present('a.v1.1.0', [], 'a')],
    expected: 'cat/ns/stable/a.v1.2.0',
  },
  {
    name: 'CR-C28, CR-W15 a bundle to begin with that there is not',
    packages: [twoVersions('a', [])],
    requested: [subscribe('a', { startingBundle: 'a.v9.9.9' })],
    expected:
      'constraints not satisfiable: no operators found with name a.v9.9.9 in channel stable of package a in the catalog referenced by subscription a-sub, subscription a-sub exists',
  },
  {
    name: 'CR-C29 what the own catalog has cannot be had, another has it',
    catalogs: [
      stockedCatalog('cat', [one('a', [needsApi('K')]), one('b', [provides('K'), needsApi('Nowhere')])]),
      stockedCatalog('other', [one('c', [provides('K')])]),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 other/ns/stable/c.v1.0.0',
  },
  {
    name: 'CR-C29 only an older entry provides the API',
    packages: [one('a', [needsApi('K')]), twoVersions('b', [], [provides('K')])],
    expected: 'cat/ns/stable/a.v1.0.0 cat/ns/stable/b.v1.0.0',
  },
  {
    name: 'CR-C30 two operators swap an API',
    packages: [twoVersions('a', [provides('L')], [provides('K')]), twoVersions('b', [provides('K')], [provides('L')])],
    requested: [subscribe('a', { installed: 'a.v1.0.0' }), subscribe('b', { installed: 'b.v1.0.0' })],
    installed: [present('a.v1.0.0', [provides('K')], 'a'), present('b.v1.0.0', [provides('L')], 'b')],
    expected: 'cat/ns/stable/a.v1.1.0 cat/ns/stable/b.v1.1.0',
  },
  {
    name: 'CR-C31 another version of its own package',
    packages: [stockedPackage('a', { stable: '1.0.0', alpha: '2.0.0' }, { '1.0.0': [needsPackage('a', '>=2.0.0')] })],
    expected: `constraints not satisfiable: bundle a.v1.0.0 requires an operator with package: a and with version in range: >=2.0.0, cat/ns/alpha/a.v2.0.0 and cat/ns/stable/a.v1.0.0 originate from package a, ${ofA}`,
  },
  {
    name: 'CR-C33 catalogs of other namespaces may be excluded',
    catalogs: [
      stockedCatalog('cat', [one('a', [needsApi('K')])]),
      stockedCatalog('global', [one('b', [provides('K')])], { namespace: 'olm' }),
    ],
    expected: 'cat/ns/stable/a.v1.0.0 global/olm/stable/b.v1.0.0',
  },
];

test.each(rows)('$name', (row) => {
  expect(shown(resolve(requestOf(row)))).toBe(row.expected);
});

test('CR-C33 an excluded catalog is ignored', () => {
  const catalogs = [
    stockedCatalog('cat', [one('a', [needsApi('K')])]),
    stockedCatalog('global', [one('b', [provides('K')])], { namespace: 'olm' }),
  ];
  const answer = resolve({ ...requestOf({ catalogs }), excludesOtherNamespaces: true });
  expect(shown(answer)).toContain('requires an operator providing an API');
});

test('CR-C33 an unavailable catalog stops the resolution, and is named', () => {
  const request = requestOf({ packages: [one('a')] });
  const answer = resolve({ ...request, unavailable: [{ name: 'dark', namespace: 'ns', why: 'no route to host' }] });
  expect(answer).toMatchObject({
    outcome: 'conflict',
    reason: 'ErrorPreventedResolution',
    message: 'error using catalogsource ns/dark: no route to host',
  });
});
