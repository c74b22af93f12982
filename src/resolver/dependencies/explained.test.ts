import { expect, test } from 'vitest';
import {
  needsApi,
  needsPackage,
  provides,
  stockedCatalog,
  stockedPackage,
} from '../../../test/support/stocked-catalog.ts';
import { isInRange, type Property, parseVersion, parseVersionRange } from '../../constraints/index.ts';
import type { CatalogPackage, CatalogView } from '../package.ts';
import type { PresentBundle, RequestedPackage, ResolutionRequest } from './request.ts';
import type { ChosenBundle, Conflict } from './resolution.ts';
import { resolve } from './resolve.ts';

const unnamed = { requested: 'request', installed: 'installed bundle', isAnonymous: true };

function want(packageName: string, more: Partial<RequestedPackage> = {}): RequestedPackage {
  return { name: packageName, packageName, ...more };
}

function within(text: string): NonNullable<RequestedPackage['versions']> {
  const range = parseVersionRange(text);
  return { text, include: (version) => isInRange(version, range) };
}

function present(packageName: string, version: string, properties: readonly Property[] = []): PresentBundle {
  return { name: `${packageName}.v${version}`, packageName, version: parseVersion(version), properties };
}

function chosen(
  request: Partial<ResolutionRequest> & { readonly catalogs: readonly CatalogView[] },
): readonly ChosenBundle[] {
  const answer = resolve({ requested: [want('a')], installed: [], words: unnamed, ...request });
  if (answer.outcome === 'conflict') throw new Error(answer.message);
  return answer.bundles;
}

function conflict(request: Partial<ResolutionRequest> & { readonly catalogs: readonly CatalogView[] }): Conflict {
  const answer = resolve({ requested: [want('a')], installed: [], words: unnamed, ...request });
  if (answer.outcome === 'resolved') throw new Error('resolved');
  return answer;
}

const two = (name: string, head: readonly Property[], old: readonly Property[] = []): CatalogPackage =>
  stockedPackage(name, { stable: '1.0.0; 1.1.0 <1.0.0' }, { '1.0.0': old, '1.1.0': head });

test('CR-R5 explains why a head was skipped', () => {
  const [bundle] = chosen({ catalogs: [stockedCatalog('cat', [two('a', [needsApi('K')])])] });
  expect(bundle?.newer).toEqual([
    'a 1.1.0 would be preferred, but cannot be installed: a 1.1.0 needs API K.v1.g.io, and nothing in catalog ns/cat satisfies it.',
  ]);
});

test('CR-R6 explains why an update is not installed', () => {
  const [bundle] = chosen({
    catalogs: [stockedCatalog('cat', [two('a', [needsPackage('b', '>=2.0.0')]), two('b', [])])],
    requested: [want('a', { installed: 'a.v1.0.0' })],
    installed: [present('a', '1.0.0')],
  });
  expect(bundle?.origin).toBeUndefined();
  expect(bundle?.newer).toEqual([
    'a 1.1.0 would be preferred, but cannot be installed: a 1.1.0 needs package b >=2.0.0, and nothing in catalog ns/cat satisfies it: catalog ns/cat has b 1.1.0, 1.0.0, none of them in that range.',
  ]);
});

test('CR-R29 names the installed bundle that an update conflicts with', () => {
  const x = { name: 'x.v1', version: parseVersion('1.0.0'), properties: [provides('K')] };
  const bundles = chosen({
    catalogs: [stockedCatalog('cat', [two('a', [provides('K')])])],
    requested: [want('a', { installed: 'a.v1.0.0' })],
    installed: [present('a', '1.0.0'), x],
  });
  const reported = bundles.flatMap(({ newer }) => newer).join(' ');
  expect(reported).toContain('Only one operator may provide K (g.io/v1): ');
  expect(reported).toContain('x.v1');
});

const newerCases: readonly {
  readonly name: string;
  readonly request: Parameters<typeof chosen>[0];
  readonly of: string;
  readonly why: string;
}[] = [
  {
    name: 'outside the requested range',
    request: {
      catalogs: [stockedCatalog('cat', [two('a', [])])],
      requested: [want('a', { versions: within('<1.1.0') })],
    },
    of: 'a',
    why: 'a 1.1.0 is newer, but it is not in range <1.1.0, which was requested.',
  },
  {
    name: 'not what a bundle needs',
    request: { catalogs: [stockedCatalog('cat', [two('a', [needsPackage('b', '<1.1.0')]), two('b', [])])] },
    of: 'b',
    why: 'b 1.1.0 is newer, but it is not what a 1.1.0 needs: package b <1.1.0.',
  },
  {
    name: 'in a channel that comes later',
    request: {
      catalogs: [
        stockedCatalog('cat', [
          two('a', [needsPackage('b', '>=1.0.0')]),
          stockedPackage('b', { s: '1.0.0', x: '2.0.0' }),
        ]),
      ],
    },
    of: 'b',
    why: 'b 2.0.0 is newer, but it is only in channel x; channel s, the default of the package, comes first.',
  },
  {
    name: 'in a channel that was not requested',
    request: {
      catalogs: [stockedCatalog('cat', [stockedPackage('a', { s: '1.0.0', x: '2.0.0' })])],
      requested: [want('a', { channel: 's' })],
    },
    of: 'a',
    why: 'a 2.0.0 is newer, but it is not in channel s, which was requested, but in x.',
  },
  {
    name: 'in a catalog that comes later',
    request: {
      catalogs: [
        stockedCatalog('cat', [two('a', [])], { priority: 1 }),
        stockedCatalog('other', [stockedPackage('a', { stable: '2.0.0' })]),
      ],
    },
    of: 'a',
    why: 'a 2.0.0 is newer, but it is in catalog ns/other; catalog ns/cat comes before it.',
  },
  {
    name: 'without an edge from what is installed',
    request: {
      catalogs: [stockedCatalog('cat', [stockedPackage('a', { stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' })])],
      requested: [want('a', { installed: 'a.v1.0.0' })],
      installed: [present('a', '1.0.0')],
    },
    of: 'a',
    why: 'a 1.2.0 is newer, but no entry of channel stable leads there from 1.0.0; resolve again when 1.1.0 is installed.',
  },
  {
    name: 'an update that was not requested',
    request: {
      catalogs: [stockedCatalog('cat', [two('a', [])])],
      requested: [want('a', { installed: 'a.v1.0.0', updates: 'ifNeeded' })],
      installed: [present('a', '1.0.0')],
    },
    of: 'a',
    why: 'a 1.1.0 is newer, but the installed version stays, as no update was requested.',
  },
  {
    name: 'skipped by an entry',
    request: {
      catalogs: [
        stockedCatalog('cat', [
          two('a', [needsPackage('b', '<3.0.0')]),
          stockedPackage('b', { stable: '1.0.0; 2.0.0 <1.0.0; 1.5.0 <1.0.0 s:2.0.0' }),
        ]),
      ],
    },
    of: 'b',
    why: 'b 2.0.0 is newer, but b.v1.5.0 skips it.',
  },
];

test.each(newerCases)('explains why a newer version is not chosen: $name', ({ request, of, why }) => {
  const bundle = chosen(request).find(({ candidate }) => candidate.facts.packageName === of);
  expect(bundle?.newer).toEqual([why]);
});

test('mentions no newer versions where there are none', () => {
  const [bundle] = chosen({ catalogs: [stockedCatalog('cat', [two('a', [])])] });
  expect(bundle).toMatchObject({ newer: [], reasons: ['package a is requested.'] });
});

test('an installed package that was not requested is updated if something needs it', () => {
  const catalogs = [stockedCatalog('cat', [two('a', [needsPackage('b', '>=1.1.0')]), two('b', [])])];
  const requested = [want('a'), want('b', { installed: 'b.v1.0.0', updates: 'ifNeeded' })];
  const bundles = chosen({ catalogs, requested, installed: [present('b', '1.0.0')] });
  expect(bundles.map(({ candidate }) => candidate.name)).toEqual(['b.v1.1.0', 'a.v1.1.0']);
  expect(bundles[0]?.updates).toMatchObject({ from: { name: 'b.v1.0.0' }, edge: { kind: 'replaces' } });
});

test('a package that must not be updated stays, and what needs a newer one is skipped', () => {
  const catalogs = [stockedCatalog('cat', [two('a', [needsPackage('b', '>=1.1.0')]), two('b', [])])];
  const requested = [want('a'), want('b', { installed: 'b.v1.0.0', updates: 'never' })];
  const bundles = chosen({ catalogs, requested, installed: [present('b', '1.0.0')] });
  expect(bundles.map(({ candidate }) => candidate.name)).toEqual(['a.v1.0.0', 'b.v1.0.0']);
});

test('a package that is not in the catalogs any more may stay', () => {
  const requested = [want('a'), want('gone', { installed: 'gone.v1.0.0', staysIfMissing: true })];
  const catalogs = [stockedCatalog('cat', [two('a', [])])];
  const bundles = chosen({ catalogs, requested, installed: [present('gone', '1.0.0')] });
  expect(bundles.map(({ candidate }) => candidate.id)).toEqual(['cat/ns/stable/a.v1.1.0', '@existing//gone.v1.0.0']);
});

test('what others need is installed before them, circles included', () => {
  const catalog = stockedCatalog('cat', [
    two('a', [needsPackage('b', '>=1.0.0')]),
    two('b', [needsPackage('c', '>=1.0.0')]),
    two('c', [needsPackage('b', '>=1.0.0')]),
  ]);
  expect(chosen({ catalogs: [catalog] }).map(({ candidate }) => candidate.name)).toEqual([
    'c.v1.1.0',
    'b.v1.1.0',
    'a.v1.1.0',
  ]);
});

test('CR-R4 explains a conflict in sentences that name the requests', () => {
  const catalog = stockedCatalog('cat', [
    stockedPackage('a', { stable: '1.0.0' }, { '1.0.0': [needsPackage('b', '<1.1.0')] }),
    stockedPackage('c', { stable: '1.0.0' }, { '1.0.0': [needsPackage('b', '>=1.1.0')] }),
    two('b', []),
  ]);
  expect(conflict({ catalogs: [catalog], requested: [want('a'), want('c')] })).toMatchObject({
    summary: 'Packages a and c cannot be resolved together.',
    sentences: [
      'package a is requested: the only candidate is a 1.0.0.',
      'package c is requested: the only candidate is c 1.0.0.',
      'a 1.0.0 needs package b <1.1.0: only b 1.0.0 satisfies it.',
      'c 1.0.0 needs package b >=1.1.0: only b 1.1.0 satisfies it.',
      'Only one bundle of a package may be installed: b 1.0.0 or 1.1.0.',
    ],
    action: 'Omit c, or request another version of it: the others can be resolved without it.',
    requestedBy: ['a', 'c'],
  });
});

const cannot: readonly {
  readonly name: string;
  readonly requested?: RequestedPackage;
  readonly properties?: readonly Property[];
  readonly sentence: string;
}[] = [
  {
    name: 'a package nearly as named',
    requested: want('tide-gage'),
    sentence:
      'package tide-gage is requested: no catalog that it may come from has that package; did you mean tide-gauge?',
  },
  {
    name: 'a channel that there is not',
    requested: want('tide-gauge', { channel: 'fast' }),
    sentence: 'package tide-gauge is requested from channel fast: the package does not have that channel, but stable.',
  },
  {
    name: 'versions that there are not',
    requested: want('tide-gauge', { versions: within('>=9.0.0') }),
    sentence:
      'package tide-gauge is requested in range >=9.0.0: no version of it is in that range; it has 1.1.0, 1.0.0.',
  },
  {
    name: 'another version of an API',
    properties: [{ type: 'olm.gvk.required', value: { group: 'g.io', version: 'v2', kind: 'Gauge' } }],
    sentence:
      'a 1.0.0 needs API Gauge.v2.g.io, and nothing in catalog ns/cat satisfies it: other versions of it are provided: v1 by tide-gauge.',
  },
  {
    name: 'a package that is nearly needed',
    properties: [needsPackage('tide-gage', '>=1.0.0')],
    sentence:
      'a 1.0.0 needs package tide-gage >=1.0.0, and nothing in catalog ns/cat satisfies it: no catalog has package tide-gage; there is a package tide-gauge.',
  },
  {
    name: 'words of the author first',
    properties: [
      {
        type: 'olm.constraint',
        value: { failureMessage: 'bring a gauge', package: { packageName: 'tide-gauge', versionRange: '>=2.0.0' } },
      },
    ],
    sentence:
      'a 1.0.0 needs bring a gauge (package tide-gauge >=2.0.0), and nothing in catalog ns/cat satisfies it: catalog ns/cat has tide-gauge 1.1.0, 1.0.0, none of them in that range.',
  },
  {
    name: 'a constraint that cannot be read',
    properties: [{ type: 'olm.package.required', value: { packageName: 'b', versionRange: '~1' } }],
    sentence:
      'a 1.0.0 (bundle a.v1.0.0) cannot be chosen, because what it requires cannot be read: olm.package.required: Invalid semver format version: "~1": Could not parse Range "~1": Could not parse comparator "~" in "~1".',
  },
];

test.each(cannot)('names near misses: $name', ({ requested = want('a'), properties = [], sentence }) => {
  const catalog = stockedCatalog('cat', [
    two('tide-gauge', [provides('Gauge')], [provides('Gauge')]),
    stockedPackage('a', { stable: '1.0.0' }, { '1.0.0': properties }),
  ]);
  expect(conflict({ catalogs: [catalog], requested: [requested] }).sentences).toContain(sentence);
});

test('CR-R21 names a bundle whose constraint cannot be read, and goes on without it', () => {
  const empty: Property = { type: 'olm.constraint', value: {} };
  const catalog = stockedCatalog('cat', [two('a', [empty])]);
  expect(resolve({ catalogs: [catalog], requested: [want('a')], installed: [] })).toMatchObject({
    bundles: [{ candidate: { name: 'a.v1.0.0' } }],
    notices: [
      'bundle cat/ns/stable/a.v1.1.0 is passed over: convert olm.constraint to resolver predicate: constraint is empty',
    ],
  });
});

test('a channel without an order is reported, and others are used', () => {
  const broken = stockedPackage('b', { bad: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.0.0', good: '1.0.0' });
  const catalog = stockedCatalog('cat', [two('a', [needsPackage('b', '>=1.0.0')]), broken]);
  const answer = resolve({ catalogs: [catalog], requested: [want('a')], installed: [] });
  expect(answer).toMatchObject({ bundles: [{ candidate: { id: 'cat/ns/good/b.v1.0.0' } }, {}] });
  expect(answer.notices[0]).toContain(
    'catalog ns/cat: channel bad of package b is passed over: a unique replacement chain',
  );
});

test('a requested channel without an order is an error', () => {
  const broken = stockedPackage('a', { bad: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.0.0' });
  const answer = conflict({ catalogs: [stockedCatalog('cat', [broken])], requested: [want('a', { channel: 'bad' })] });
  expect(answer.reason).toBe('ErrorPreventedResolution');
  expect(answer.message).toMatch(/^a unique replacement chain within a channel is required/);
});

test('refuses two of one name', () => {
  const catalogs = [stockedCatalog('cat', [two('a', [])])];
  expect(() => resolve({ catalogs, requested: [want('a'), want('a')], installed: [] })).toThrow(
    'duplicate identifier "subscription:a" in input',
  );
});

test('stops when it is cancelled, and at the limit of steps', () => {
  const catalogs = [stockedCatalog('cat', [two('a', [needsApi('K')])])];
  const request = { catalogs, requested: [want('a')], installed: [] };
  const text = 'cancelled before a solution could be found';
  expect(() => resolve({ ...request, limits: { maxSteps: 1_000, isCancelled: () => true } })).toThrow(text);
  expect(() => resolve({ ...request, limits: { maxSteps: 1 } })).toThrow(`${text}: more than 1 steps`);
});

test('reads no further packages when it is cancelled', () => {
  const read: string[] = [];
  const catalog = stockedCatalog('cat', [two('a', []), two('b', [])]);
  const watched = { ...catalog, package: (name: string) => (read.push(name), catalog.package(name)) };
  const isCancelled = (): boolean => read.length > 0;
  const request = { catalogs: [watched], requested: [want('a'), want('b')], installed: [], limits: { isCancelled } };
  expect(() => resolve(request)).toThrow('cancelled before a solution could be found');
  expect(read).toEqual(['a']);
});

test('stops when rules take too long', () => {
  const rule = 'properties.all(a, properties.all(b, properties.all(c, a.type + b.type + c.type != "x")))';
  const kinds = Array.from({ length: 60 }, (_, index) => provides(`K${index}`));
  const expensive: Property = { type: 'olm.constraint', value: { cel: { rule } } };
  const others = Array.from({ length: 40 }, (_, index) =>
    stockedPackage(`b${index}`, { stable: '1.0.0' }, { '1.0.0': kinds }),
  );
  const catalogs = [
    stockedCatalog('cat', [stockedPackage('a', { stable: '1.0.0' }, { '1.0.0': [expensive, ...kinds] }), ...others]),
  ];
  const limits = { maxSteps: 1_000_000 };
  expect(() => resolve({ catalogs, requested: [want('a')], installed: [], limits })).toThrow('more than 1000000 steps');
});

test('BestEffort: a missing dependency of an installed bundle is added if possible, and blocks nothing', () => {
  const lonely = present('lonely', '1.0.0', [needsApi('K')]);
  const rival = present('rival', '1.0.0', [provides('L')]);
  const provider = (more: readonly Property[]): CatalogPackage =>
    stockedPackage('k', { stable: '1.0.0' }, { '1.0.0': [provides('K'), ...more] });
  const names = (stock: readonly CatalogPackage[]): readonly string[] =>
    chosen({
      catalogs: [stockedCatalog('cat', [two('a', []), ...stock])],
      installed: [lonely, rival],
      installedConstraints: 'BestEffort',
    })
      .filter(({ origin }) => origin !== undefined)
      .map(({ candidate }) => candidate.name);
  expect(names([provider([])])).toEqual(['k.v1.0.0', 'a.v1.1.0']);
  expect(names([provider([provides('L')])])).toEqual(['a.v1.1.0']);
  expect(names([])).toEqual(['a.v1.1.0']);
});

test('Required: a missing dependency of an installed bundle is added, or is a conflict with advice', () => {
  const lonely = present('lonely', '1.0.0', [needsApi('K')]);
  const provider = stockedPackage('k', { stable: '1.0.0' }, { '1.0.0': [provides('K')] });
  const request = (stock: readonly CatalogPackage[]): Parameters<typeof chosen>[0] => {
    return { catalogs: [stockedCatalog('cat', [two('a', []), ...stock])], installed: [lonely] };
  };
  const brought = chosen(request([provider])).filter(({ origin }) => origin !== undefined);
  expect(brought.map(({ candidate }) => candidate.name)).toEqual(['k.v1.0.0', 'a.v1.1.0']);
  const refused = conflict(request([]));
  expect(refused.message).toContain('bundle lonely.v1.0.0 requires an operator providing an API with group: g.io');
  expect(refused.action).toBe(
    'Add a catalog that has what lonely 1.0.0 needs (API K.v1.g.io), or remove it; if it works without, use installed constraints BestEffort.',
  );
});

test('an update that meets missing dependencies of the installed version is preferred to staying', () => {
  const stock = stockedPackage('a', { stable: '1.0.0;2.0.0 <1.0.0' }, { '1.0.0': [needsApi('K')] });
  const installed = [present('a', '1.0.0', [needsApi('K')])];
  const requested = [want('a', { installed: 'a.v1.0.0', updates: 'ifNeeded' })];
  const bundles = chosen({ catalogs: [stockedCatalog('cat', [stock])], requested, installed });
  expect(bundles.map(({ candidate }) => candidate.name)).toEqual(['a.v2.0.0']);
});

test('an installed bundle that is deprecated may not stay, unless constraints are BestEffort', () => {
  const old = present('old', '1.0.0', [{ type: 'olm.deprecated', value: {} }]);
  const request = { catalogs: [stockedCatalog('cat', [two('a', [])])], installed: [old] };
  expect(conflict(request).message).toContain('bundle @existing//old.v1.0.0 is deprecated');
  expect(chosen({ ...request, installedConstraints: 'BestEffort' })).toHaveLength(2);
});

test('versions older than what is installed are called a downgrade, with what to do instead', () => {
  const refused = conflict({
    catalogs: [stockedCatalog('cat', [two('a', [])])],
    requested: [want('a', { installed: 'a.v1.1.0', versions: within('<1.1.0') })],
    installed: [present('a', '1.1.0')],
  });
  expect(refused.sentences).toEqual([
    'package a is requested in range <1.1.0: it has 1.0.0, older than 1.1.0, which is installed: updates lead to newer versions only.',
  ]);
  expect(refused.action).toBe(
    'Request a newer version. There is no update to an older one: remove a and install <1.1.0 where it can start from scratch.',
  );
});

test('a start without a channel takes the default channel first, whatever the names of channels', () => {
  const drawing = { stable: '1.0.0;2.0.0 <1.0.0', alpha: '1.0.0' };
  const requested = [want('a', { startingBundle: 'a.v1.0.0' })];
  const bundles = chosen({
    catalogs: [stockedCatalog('cat', [stockedPackage('a', drawing)])],
    requested,
    installed: [],
  });
  expect(bundles.map(({ origin }) => origin?.channel)).toEqual(['stable']);
});

test('a dependency of an installed bundle is not removed', () => {
  const user = present('user', '1.0.0', [needsApi('K')]);
  const bundles = chosen({
    catalogs: [stockedCatalog('cat', [two('a', [], [provides('K')])])],
    requested: [want('a', { installed: 'a.v1.0.0' })],
    installed: [user, present('a', '1.0.0', [provides('K')])],
  });
  expect(bundles.map(({ candidate }) => candidate.id)).toEqual(['@existing//a.v1.0.0', '@existing//user.v1.0.0']);
});
