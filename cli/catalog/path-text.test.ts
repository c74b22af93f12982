import { expect, test } from 'vitest';
import { type CatalogPackage, findBundle, findInstalled, offerOf, pathBetween } from '../../src/resolver/index.ts';
import { drawnPackage } from '../../test/support/drawn-package.ts';
import { formatPath, pathDocument } from './path-text.ts';

const graph = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0 R:>=0.9.0 <1.1.0; 1.2.0 <1.0.0; 2.0.0 <1.2.0' }, ['1.2.0']);

function asked(found: CatalogPackage, from: string, to?: string): Parameters<typeof formatPath>[0] {
  const path = pathBetween(
    offerOf('v1', found),
    findInstalled(found, from),
    to === undefined ? undefined : findBundle(found, to),
  );
  return { package: found, policy: 'v1', channel: undefined, isInstalled: true, path };
}

test('a path is shown with a line a hop, and what is to be known of it', () => {
  expect(formatPath(asked(graph, '1.0.0', '2.0.0'))).toBe(
    [
      'package p, policy v1, from p.v1.0.0 (1.0.0)',
      'BUNDLE    VERSION  CHANNEL  BECAUSE IT         NOTE',
      'p.v1.2.0  1.2.0    stable   replaces p.v1.0.0  only when asked for; instead of p.v1.1.0; deprecated: too old',
      'p.v2.0.0  2.0.0    stable   replaces p.v1.2.0',
      '',
    ].join('\n'),
  );
  expect(formatPath(asked(graph, '0.9.5'))).toBe(
    [
      'package p, policy v1, from p.v0.9.5 (0.9.5)',
      'BUNDLE    VERSION  CHANNEL  BECAUSE IT                               NOTE',
      'p.v1.1.0  1.1.0    stable   skipRange ">=0.9.0 <1.1.0" covers 0.9.5',
      'p.v1.1.0 is the last: no entry of channel stable replaces, skips or covers p.v1.1.0.',
      '',
    ].join('\n'),
  );
});

test('what a catalog names does not change the terminal', () => {
  const found = asked(graph, '0.9.5');
  const name = 'p\u001b[2J\r\nfake\u202e';
  const { start, end } = found.path;
  const path = { ...found.path, start: { ...start, name }, end: [...end, `${name} is the last`] };
  expect(formatPath({ ...found, path })).not.toMatch(/[^\P{Cc}\n]|\u202e|\nfake/u);
});

test('programs are given the same', () => {
  expect(pathDocument(asked(graph, '1.1.0', '2.0.0'))).toMatchObject({
    package: 'p',
    policy: 'v1',
    from: { bundle: 'p.v1.1.0', version: '1.1.0' },
    isReached: false,
    hops: [],
    end: [
      expect.stringMatching(/^2\.0\.0 is not reachable: no entry replaces, skips or covers 1\.1\.0/),
      expect.any(String),
      expect.any(String),
    ],
  });
});
