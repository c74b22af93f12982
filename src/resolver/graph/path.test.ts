import { expect, test } from 'vitest';
import { drawnPackage } from '../../../test/support/drawn-package.ts';
import type { CatalogPackage } from '../package.ts';
import { findBundle, findInstalled, firstInstalled, pathBetween, type UpdatePath } from './path.ts';
import { describeEdge } from './steps.ts';
import { offerOf, type Policy } from './updates.ts';

function pathOf(graph: CatalogPackage, policy: Policy, [from, to]: readonly [string, string?]): UpdatePath {
  const offer = offerOf(policy, graph, ['stable']);
  const target = to === undefined ? undefined : findBundle(graph, to);
  return pathBetween(offer, findInstalled(graph, from), target);
}

function hops({ hops: made }: UpdatePath): readonly string[] {
  return made.map(({ to, edge, isPinned }) => `${to.name} ${describeEdge(edge)}${isPinned ? ' (pinned)' : ''}`);
}

const pinned = drawnPackage({ stable: '1.0.0; 1.0.1 <1.0.0; 1.1.0 <1.0.1 s:1.0.0; 2.0.0 <1.1.0' });
const ranges = drawnPackage({ stable: '1.0.0; 2.0.0 <1.0.0 R:>=1.0.0 <1.5.0; 3.0.0 <2.0.0', next: '4.0.0 <3.0.0' });

test('a path has the edge of each hop, and the reason why it ends', () => {
  const path = pathOf(ranges, 'v0', ['1.2.0']);
  expect(hops(path)).toEqual(['p.v2.0.0 skipRange ">=1.0.0 <1.5.0" covers 1.2.0', 'p.v3.0.0 replaces p.v2.0.0']);
  expect(path.end).toEqual(['p.v3.0.0 is the head of channel stable.']);
  expect(pathOf(ranges, 'v1', ['1.2.0']).end).toEqual([
    'p.v3.0.0 is the last: no entry of channel stable replaces, skips or covers p.v3.0.0.',
  ]);
});

test('a version that updates pass over is reached with v1 by asking for it, and not with v0', () => {
  expect(hops(pathOf(pinned, 'v1', ['1.0.0', '1.0.1']))).toEqual(['p.v1.0.1 replaces p.v1.0.0 (pinned)']);
  const path = pathOf(pinned, 'v0', ['1.0.0', '1.0.1']);
  expect([path.isReached, path.end]).toEqual([
    false,
    [
      '1.0.1 is not reachable from 1.0.0.',
      'From p.v1.0.0 the update goes to p.v1.1.0 (skips p.v1.0.0): the nearest to the head is taken.',
      'What leads to p.v1.0.1: it replaces p.v1.0.0.',
    ],
  ]);
});

test.each([
  [
    ['1.7.0', '2.0.0'],
    [
      '2.0.0 is not reachable: no entry replaces, skips or covers 1.7.0.',
      'What leads to p.v2.0.0: it replaces p.v1.0.0; its skipRange covers >=1.0.0 <1.5.0.',
      'An entry between them, or an entry of p.v2.0.0 with "skips: [p.v1.7.0]" or a skipRange that covers 1.7.0 would do.',
    ],
  ],
  [
    ['1.0.0', '4.0.0'],
    [
      '4.0.0 is not reachable: no entry replaces, skips or covers 3.0.0.',
      'It is not in channel stable; it is in next.',
    ],
  ],
  [
    ['3.0.0', '2.0.0'],
    [
      '2.0.0 is not reachable: no entry replaces, skips or covers 3.0.0.',
      'It is older than p.v3.0.0: updates lead back only if an entry allows it.',
      'What leads to p.v2.0.0: it replaces p.v1.0.0; its skipRange covers >=1.0.0 <1.5.0.',
    ],
  ],
] as const)('from %o it names what is missing', (ends, sentences) => {
  for (const policy of ['v0', 'v1'] as const) {
    const path = pathOf(ranges, policy, ends);
    expect([path.isReached, path.end]).toEqual([false, sentences]);
  }
});

test('a skipped entry is reported as unreachable with v0', () => {
  const graph = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.0.0 s:1.1.0' });
  expect(pathOf(graph, 'v0', ['1.0.0', '1.1.0']).end).toContain(
    'p.v1.2.0 skips it: it is installed only where a subscription starts with it, never by an update.',
  );
});

test('a dead end is explained for each policy', () => {
  expect(pathOf(ranges, 'v0', ['0.9.0']).end).toEqual([
    'Nothing leads on: no entry of channel stable replaces, skips or covers p.v0.9.0; with policy v0 it stays as it is, without a notice.',
  ]);
  expect(pathOf(ranges, 'v1', ['0.9.0']).end).toEqual([
    'Nothing leads on: no entry of channel stable replaces, skips or covers p.v0.9.0, and it is not in the catalog itself; with policy v1 that is an error, and nothing changes.',
  ]);
});

test('v1 stays if only deprecated bundles follow', () => {
  const graph = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, ['1.1.0']);
  const path = pathOf(graph, 'v1', ['1.0.0']);
  expect([hops(path), path.end]).toEqual([[], ['p.v1.0.0 stays: it is preferred to p.v1.1.0, which is deprecated.']]);
});

test('a cycle ends', () => {
  const graph = drawnPackage({ stable: '1.0.0 <1.1.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' });
  expect(hops(pathOf(graph, 'v1', ['1.1.0', '1.0.0']))).toEqual(['p.v1.0.0 replaces p.v1.1.0 (pinned)']);
});

test('the installed bundle is found by name and by version, and need not be in the catalog', () => {
  expect(findInstalled(pinned, 'p.v1.0.1').name).toBe('p.v1.0.1');
  expect(findInstalled(pinned, '1.1').name).toBe('p.v1.1.0');
  expect(findInstalled(pinned, 'v1.0.7').name).toBe('p.v1.0.7');
  expect(findInstalled(pinned, 'old-p.v1.0.7')).toMatchObject({ name: 'old-p.v1.0.7', version: { patch: 7n } });
  expect(() => findInstalled(pinned, 'newest')).toThrow(
    '"newest" is neither a bundle of package p nor a version, such as 1.2.3',
  );
  expect(firstInstalled(offerOf('v0', pinned)).name).toBe('p.v2.0.0');
});

test('a channel of a thousand entries is walked', () => {
  const entries = Array.from({ length: 1000 }, (_, index) =>
    index === 0 ? '1.0.0' : `1.${index}.0 <1.${index - 1}.0 R:>=1.${index - 1}.0 <1.${index}.0`,
  );
  const graph = drawnPackage({ stable: entries.join(';') });
  for (const policy of ['v0', 'v1'] as const) {
    expect(pathOf(graph, policy, ['1.0.0', '1.999.0']).hops).toHaveLength(999);
  }
});

test('an invalid range is reported with its entry', () => {
  const graph = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0 R:~1.0.0' });
  expect(() => offerOf('v1', graph)).toThrow(
    /^package p, channel stable, entry p\.v1\.1\.0: invalid skipRange "~1\.0\.0": .*Could not parse comparator "~" in "~1\.0\.0"$/,
  );
});
