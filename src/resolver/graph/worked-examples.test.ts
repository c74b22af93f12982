import { expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { errorMessage } from '../../base/index.ts';
import { formatVersion } from '../../constraints/index.ts';
import { type CatalogBundle, type CatalogPackage, findInstalled, resolveV1, type V1Request } from '../index.ts';
import { firstInstalls, nextUpdates, offerOf, startingInstalls } from './updates.ts';

interface Walk {
  readonly channel?: string;
  readonly startingAt?: string;
}

function short(name: string): string {
  return name.replace(/^p\.v/, '');
}

function firstV0(graph: CatalogPackage, named: readonly string[], startingAt?: string): CatalogBundle {
  const found =
    startingAt === undefined
      ? firstInstalls(offerOf('v0', graph, named))
      : startingInstalls(graph, `p.v${startingAt}`, named);
  if (found[0] === undefined) throw new Error('nothing');
  return found[0].bundle;
}

/** The classic walk: one hop after the other, and `=` where it stays at once. */
function walkV0(graph: CatalogPackage, from: string, { channel = 'stable', startingAt }: Walk = {}): string {
  const named = channel === '' ? [] : [channel];
  const path: string[] = [];
  try {
    const first = from === 'none' ? firstV0(graph, named, startingAt) : undefined;
    if (first !== undefined) path.push(short(first.name));
    let current = first ?? findInstalled(graph, from);
    const offer = offerOf('v0', graph, named);
    for (let next = nextUpdates(offer, current)[0]; next !== undefined; next = nextUpdates(offer, current)[0]) {
      current = next.bundle;
      path.push(short(current.name));
    }
  } catch (thrown) {
    return errorMessage(thrown);
  }
  return path.length === 0 ? '=' : path.join(', ');
}

type Request = Partial<Pick<V1Request, 'version' | 'channels' | 'upgradeConstraintPolicy'>>;

/** Resolved again and again, until it stays. */
function walkV1(graph: CatalogPackage, from: string, request: Request = { channels: ['stable'] }): string {
  const path: string[] = [];
  try {
    let installed = from === 'none' ? undefined : findInstalled(graph, from);
    for (;;) {
      const choice = resolveV1([drawnCatalog([graph])], {
        packageName: 'p',
        ...request,
        ...(installed && { installed }),
      });
      if (choice.isInstalled) break;
      installed = choice.bundle;
      path.push(short(choice.bundle.name));
    }
  } catch (thrown) {
    return errorMessage(thrown);
  }
  return path.length === 0 ? '=' : path.join(', ');
}

function none(version: string, more = ''): string {
  return `error upgrading from currently installed version "${version}": no bundles found for package "p"${more}`;
}

const all: Request = {};
const line = { stable: '1.0; 1.1 <1.0; 1.2 <1.1' };
const skipping = { stable: '1.0; 1.1 <1.0; 1.2 <1.0 s:1.1' };
const covering = { stable: '1.0; 1.1 <1.0; 1.2 <1.1 R:>=1.0.0 <1.2.0' };
const alone = { stable: '2.0 R:>=1.0.0 <2.0.0' };
const below = { stable: '1.0; 1.1 <1.0; 1.2 <1.1 R:>=1.0.0 <1.2.0; 1.3 <1.2' };
const patches = { stable: '4.1.0; 4.1.1 <4.1.0; 4.1.2 <4.1.0 s:4.1.1; 4.2.0 <4.1.2; 4.2.1 <4.1.2 s:4.2.0' };
const virtual = { stable: '1.2.0 <1.1.0 s:1.1.1' };
const skippedRange = { stable: '1.0; 2.0 <1.0 R:>=1.0.0 <2.0.0; 3.0 <1.0 s:2.0' };
const pinned = { stable: '1.0.0; 1.0.1 <1.0.0; 1.1.0 <1.0.1 s:1.0.0; 2.0.0 <1.1.0' };
const twoChannels = { stable: '1.0; 1.1 <1.0', candidate: '1.0; 1.1 <1.0; 1.2.0-rc.1 <1.1' };
const dropped = { stable: '2.0; 2.1 <2.0' };
const ranges = { stable: '1.0; 1.1 <1.0 R:<1.1.0; 1.2 <1.1; 1.3 <1.2 R:>=1.1.0 <1.3.0' };
const unnamed = { stable: '1.0; 1.2 <1.0', alpha: '1.0; 1.5 <1.0' };
const candidate = { stable: '1.0.0-rc.1; 1.0.0 <1.0.0-rc.1 R:<1.0.0' };
const doubleSkip = { stable: '1.0; 1.1 <1.0; 1.1.1 <1.0 s:1.1; 1.2 <1.1.1 s:1.1' };

const bothPolicies = (
  [
    ['CR-W1', line, 'none', '1.2', '1.2'],
    ['CR-W1', line, '1.0', '1.1, 1.2', '1.1, 1.2'],
    ['CR-W2', skipping, '1.0', '1.2', '1.2'],
    ['CR-W2', skipping, '1.1', '1.2', '1.2'],
    ['CR-W3', covering, '1.0', '1.2', '1.2'],
    ['CR-W3', covering, '1.0.5', '1.2', '1.2'],
    ['CR-W3', covering, '0.9', '=', none('0.9.0', ' in channels [stable]')],
    ['CR-W4', alone, '1.3', '2.0', '2.0'],
    ['CR-W4', alone, '0.9', '=', none('0.9.0', ' in channels [stable]')],
    ['CR-W5', below, '1.0', '1.2, 1.3', '1.2, 1.3'],
    ['CR-W6', patches, '4.1.0', '4.1.2, 4.2.1', '4.1.2, 4.2.1'],
    ['CR-W6', patches, '4.1.1', '4.1.2, 4.2.1', '4.1.2, 4.2.1'],
    ['CR-W6', patches, '4.2.0', '4.2.1', '4.2.1'],
    ['CR-W7', virtual, '1.1.0', '1.2.0', '1.2.0'],
    ['CR-W7', virtual, '1.1.1', '1.2.0', '1.2.0'],
    ['CR-W7', virtual, '1.0.0', '=', none('1.0.0', ' in channels [stable]')],
    ['CR-W8', skippedRange, '1.0', '3.0', '3.0'],
    ['CR-W8', skippedRange, '1.5', '=', '2.0, 3.0'],
    ['CR-W9', pinned, '1.0.0', '1.1.0, 2.0.0', '1.1.0, 2.0.0'],
    ['CR-W10', twoChannels, '1.0', '1.1', '1.1'],
    ['CR-W10', twoChannels, '1.2.0-rc.1', '=', none('1.2.0-rc.1', ' in channels [stable]')],
    ['CR-W16', dropped, '1.0', '=', none('1.0.0', ' in channels [stable]')],
    ['CR-W17', ranges, '0.5', '1.1, 1.3', '1.1, 1.3'],
    ['CR-W17', ranges, '1.0', '1.1, 1.3', '1.1, 1.3'],
    ['CR-W20', candidate, '0.9.0', '1.0.0', '1.0.0'],
    ['CR-W20', candidate, '1.0.0-rc.1', '1.0.0', '1.0.0'],
    ['CR-W21', doubleSkip, '1.1', '1.2', '1.2'],
  ] as const
).map(([id, drawing, from, v0, v1]) => ({ id, drawing, from, v0, v1 }));

test.each(bothPolicies)('$id in channel stable of $drawing, from $from both policies lead on', (row) => {
  const { drawing, from, v0, v1 } = row;
  const graph = drawnPackage(drawing);
  expect(walkV0(graph, from)).toBe(v0);
  expect(walkV1(graph, from)).toBe(v1);
});

const newerPolicy = (
  [
    ['CR-W2', skipping, 'none', { version: '1.1.0' }, '1.1'],
    ['CR-W3', covering, '0.9', all, none('0.9.0')],
    ['CR-W8', skippedRange, '1.0', { version: '<3.0.0' }, '2.0'],
    ['CR-W9', pinned, '1.0.0', { version: '1.0.x' }, '1.0.1'],
    ['CR-W9', pinned, '1.0.0', { version: '1.x' }, '1.1.0'],
    ['CR-W9', pinned, '1.0.0', { version: '>=1.1' }, '1.1.0, 2.0.0'],
    ['CR-W9, CR-C37', pinned, '1.0.0', { version: '2.0.0' }, none('1.0.0', ' matching version "2.0.0"')],
    [
      'CR-W9, CR-C37',
      pinned,
      '1.0.0',
      { version: '2.0.0', upgradeConstraintPolicy: 'SelfCertified' as const },
      '2.0.0',
    ],
    ['CR-W9', pinned, '2.0.0', { version: '1.0.0' }, none('2.0.0', ' matching version "1.0.0"')],
    ['CR-W9', pinned, '2.0.0', { version: '1.0.0', upgradeConstraintPolicy: 'SelfCertified' as const }, '1.0.0'],
    ['CR-W10', twoChannels, '1.0', { channels: ['candidate'] }, '1.1, 1.2.0-rc.1'],
    ['CR-W10', twoChannels, '1.0', all, '1.1, 1.2.0-rc.1'],
    ['CR-W10', twoChannels, '1.1', { version: '>=1.1' }, '='],
    ['CR-W10', twoChannels, '1.1', { version: '>=1.1-0' }, '1.2.0-rc.1'],
    ['CR-W19', unnamed, 'none', all, '1.5'],
    ['CR-W19', unnamed, '1.0', all, '1.5'],
    ['CR-W19', unnamed, '1.2', all, '='],
    ['CR-W20', candidate, 'none', { version: '1.x' }, '1.0.0'],
    ['CR-W20', candidate, 'none', { version: '1.0.0-rc.1' }, '1.0.0-rc.1'],
  ] as const
).map(([id, drawing, from, request, v1]) => ({ id, drawing, from, request, v1 }));

test.each(newerPolicy)('$id of $drawing, from $from with the request $request policy v1 leads to $v1', (row) => {
  const { drawing, from, request, v1 } = row;
  expect(walkV1(drawnPackage(drawing), from, request)).toBe(v1);
});

test('CR-W2, CR-W15 a subscription starts with the bundle it names, even one that is skipped', () => {
  expect(walkV0(drawnPackage(skipping), 'none', { startingAt: '1.1' })).toBe('1.1, 1.2');
  expect(walkV0(drawnPackage(line), 'none', { startingAt: '1.0' })).toBe('1.0, 1.1, 1.2');
  expect(walkV0(drawnPackage(line), 'none', { startingAt: '9.9.9' })).toBe('nothing');
});

test('CR-W10 the classic walk keeps to its channel', () => {
  const graph = drawnPackage(twoChannels);
  expect(walkV0(graph, '1.0', { channel: 'candidate' })).toBe('1.1, 1.2.0-rc.1');
});

test('CR-W11 what is deprecated is the last choice of v1, and any choice of v0', () => {
  const graph = drawnPackage({ stable: '1.0; 1.1 <1.0; 1.2 <1.1 s:1.0' }, ['1.2']);
  expect(['none', '1.0', '1.1'].map((from) => walkV0(graph, from))).toEqual(['1.2', '1.2', '1.2']);
  expect(['none', '1.0', '1.1'].map((from) => walkV1(graph, from))).toEqual(['1.1', '1.1', '=']);
});

test('CR-W12, CR-H2 of two heads v0 takes none, v1 the higher', () => {
  const graph = drawnPackage({ stable: '1.0; 1.1 <1.0; 1.2 <1.0' });
  for (const from of ['none', '1.0']) {
    expect(walkV0(graph, from)).toBe(
      'a unique replacement chain within a channel is required to determine the relative order between channel entries, but 2 replacement chains were found in channel "stable" of package "p": p.v1.1...p.v1.0, p.v1.2...p.v1.0',
    );
    expect(walkV1(graph, from)).toBe('1.2');
  }
});

test('CR-H2 chains are shown by their ends: a lone entry by its name, one that is skipped as nothing', () => {
  const graph = drawnPackage({ stable: '1.0; 1.1; 1.2 <1.0 s:0.9; 1.3 <1.1' });
  expect(walkV0(graph, 'none')).toContain(
    'but 2 replacement chains were found in channel "stable" of package "p": p.v1.2...p.v1.0, p.v1.3...p.v1.1',
  );
  expect(walkV0(drawnPackage({ stable: '2.0; 1.0' }), 'none')).toContain(': p.v1.0, p.v2.0');
});

test('CR-W13, CR-W14, CR-H0, CR-H1 a cycle is no order for v0, and nothing to v1', () => {
  const cycle = drawnPackage({ stable: '1.0 <1.1; 1.1 <1.0; 1.2 <1.1' });
  expect(walkV0(cycle, 'none')).toBe(
    'a cycle exists in the chain of replacement beginning with "p.v1.2" in channel "stable" of package "p"',
  );
  expect(walkV1(cycle, 'none')).toBe('1.2');
  const headless = drawnPackage({ stable: '1.0 <1.1; 1.1 <1.0' });
  expect(walkV0(headless, 'none')).toBe(
    'no channel heads (entries not replaced by another entry) found in channel "stable" of package "p"',
  );
  expect(walkV1(headless, 'none')).toBe('1.1');
});

test('CR-W18, CR-C34 of two catalogs v1 chooses the one of higher priority, and none of equals', () => {
  const a = drawnPackage({ stable: '1.0; 1.1 <1.0' });
  const b = drawnPackage({ stable: '1.0; 1.2 <1.0' });
  expect([walkV0(a, '1.0'), walkV0(b, '1.0')]).toEqual(['1.1', '1.2']);
  const request = { packageName: 'p', installed: findInstalled(a, '1.0') };
  const catalogs = (priority: number) => [drawnCatalog([b], { name: 'b' }), drawnCatalog([a], { name: 'a', priority })];
  expect(() => resolveV1(catalogs(0), request)).toThrow(
    'error upgrading from currently installed version "1.0.0": found bundles for package "p" in multiple catalogs with the same priority [a b]',
  );
  expect(formatVersion(resolveV1(catalogs(10), request).bundle.version)).toBe('1.1.0');
});

test('CR-W19 without a channel v0 prefers the default one', () => {
  const graph = drawnPackage(unnamed);
  expect(['none', '1.0', '1.2'].map((from) => walkV0(graph, from, { channel: '' }))).toEqual(['1.2', '1.2', '=']);
});
