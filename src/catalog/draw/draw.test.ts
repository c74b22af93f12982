import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseVersion } from '../../constraints/index.ts';
import type { CatalogPackage, ChannelEntry } from '../../resolver/index.ts';
import { assignLanes } from './lanes.ts';
import { layOutChannel } from './layout.ts';
import { drawMermaid } from './mermaid.ts';
import { drawSvg } from './picture.ts';
import { drawText } from './text.ts';

/** `1.2.0`, what it replaces, what it skips, its range. */
type Written = readonly [version: string, replaces?: string, skips?: readonly string[], skipRange?: string];

const nameOf = (version: string): string => `p.v${version}`;

function packageOf(
  channels: Readonly<Record<string, readonly Written[]>>,
  change: Partial<CatalogPackage> = {},
): CatalogPackage {
  const entryOf = ([version, replaces, skips = [], skipRange]: Written): ChannelEntry => ({
    name: nameOf(version),
    ...(replaces === undefined || replaces === '' ? {} : { replaces: nameOf(replaces) }),
    skips: skips.map(nameOf),
    ...(skipRange === undefined ? {} : { skipRange }),
  });
  const versions = new Set(Object.values(channels).flatMap((entries) => entries.map(([version]) => version)));
  const bundles = [...versions].map((version) => {
    const bundle = { name: nameOf(version), packageName: 'p', version: parseVersion(version), properties: [] };
    return [bundle.name, bundle] as const;
  });
  return {
    name: 'p',
    defaultChannel: 'stable',
    channels: Object.entries(channels).map(([name, entries]) => ({ name, entries: entries.map(entryOf) })),
    bundles: new Map(bundles),
    ...change,
  };
}

const w2: readonly Written[] = [['1.0.0'], ['1.1.0', '1.0.0'], ['1.2.0', '1.0.0', ['1.1.0']]];

function deprecatedW2(): CatalogPackage {
  const found = packageOf({ stable: w2 });
  const bundles = new Map(
    [...found.bundles].map(([name, one]) => [name, name === 'p.v1.0.0' ? { ...one, deprecation: 'old' } : one]),
  );
  const channels = found.channels.map((channel) => ({ ...channel, deprecation: 'old' }));
  return { ...found, bundles, channels, deprecation: 'old' };
}

test('CR-C12 the graph of W2, where package, channel and a bundle are deprecated, is drawn for mermaid as the reference does', () => {
  expect(drawMermaid([deprecatedW2()], { hasV0Semantics: true })).toBe(`graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
  %% package "p"
  subgraph "p"
    %% channel "stable"
    subgraph p-stable["stable"]
      p-stable-p.v1.2.0["p.v1.2.0"]
      p-stable-p.v1.1.0["p.v1.1.0"]-- skip --> p-stable-p.v1.2.0["p.v1.2.0"]
      p-stable-p.v1.0.0["p.v1.0.0"]-- replace --> p-stable-p.v1.2.0["p.v1.2.0"]
      p-stable-p.v1.1.0["p.v1.1.0"]
      p-stable-p.v1.0.0["p.v1.0.0"]-- replace --> p-stable-p.v1.1.0["p.v1.1.0"]
      p-stable-p.v1.0.0["p.v1.0.0"]
    end
  end
style p fill:#989695
style p-stable fill:#DCD0FF
class p-stable-p.v1.0.0 deprecated
class p-stable-p.v1.1.0 skipped
linkStyle 2 stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;
`);
});

test('CR-C12 a minimum edge leaves out what is older, and must be a bundle', () => {
  const text = drawMermaid([packageOf({ stable: w2 })], { minimumEdge: 'p.v1.1.0' });
  expect(text).not.toContain('p.v1.0.0');
  expect(text).toContain('-- skip -->');
  expect(() => drawMermaid([packageOf({ stable: w2 })], { minimumEdge: 'x' })).toThrow(
    'unknown minimum edge name: "x"',
  );
});

test('CR-C12 for mermaid a range leads in from the members that it covers, and all deprecated packages are marked', () => {
  const ranged = packageOf(
    { stable: [['1.0.0'], ['1.1.0', '1.0.0', [], '>=1.0.0 <1.1.0']] },
    { name: 'q', deprecation: 'old' },
  );
  const text = drawMermaid([deprecatedW2(), ranged]);
  expect(text).toContain(
    'q-stable-p.v1.0.0["p.v1.0.0"]-- "skipRange(>=1.0.0 <1.1.0)" --> q-stable-p.v1.1.0["p.v1.1.0"]',
  );
  expect(text).toContain('style p fill:#989695\nstyle p-stable fill:#DCD0FF\nstyle q fill:#989695\n');
  expect(text).not.toContain('linkStyle');
});

test('a name with quotes and line feeds does not break out of its place, neither for mermaid nor in SVG', () => {
  const hostile = 'p"]\n<script>&';
  const found = packageOf({}, { channels: [{ name: hostile, entries: [{ name: hostile, skips: [] }] }] });
  expect(
    drawMermaid([found])
      .split('\n')
      .filter((line) => line.includes('script')),
  ).toEqual([
    '    %% channel "p\\"]\\n<script>&"',
    '    subgraph p-p____script__["p#quot;] <script>&"]',
    '      p-p____script__-p____script__["p#quot;] <script>&"]',
  ]);
  expect(drawSvg(found, undefined)).not.toContain('<script>');
  expect(drawText(found, undefined)).toContain('p"]\\x0a<script>&');
});

test('a terminal is shown the newest first, lines from what is replaced and skipped, and remarks', () => {
  const found = packageOf({
    stable: [['1.0.0'], ['1.1.0', '1.0.0'], ['1.2.0', '1.0.0', ['1.1.0', '1.0.5']], ['2.0.0', '1.2.0', [], '<1.0.0']],
    old: [['1.0.0', '0.9.0']],
  });
  const installed = { name: 'p.v1.1.0', version: parseVersion('1.1.0') };
  const path = [
    { from: 'p.v1.1.0', to: 'p.v1.2.0', channel: 'stable' },
    { from: 'p.v1.2.0', to: 'p.v2.0.0', channel: 'stable' },
  ];
  expect(drawText(found, undefined, { installed, target: 'p.v2.0.0', path })).toBe(`package p

channel stable (default)
◉           2.0.0  head, target, skipRange <1.0.0
●◀──┬─╮     1.2.0  on the path
│ ○◀┴─┼─╮   1.1.0  installed
│ ·───╯ ╎   1.0.5  not in the catalog
●───────╯   1.0.0

channel old
◉     1.0.0  head
·     0.9.0  not in the catalog

● an update stops here   ○ skipped   · no entry of the channel
`);
});

test('what is installed and in no catalog is shown where a range leads on from it', () => {
  const found = packageOf({ stable: [['2.0.0', '', [], '>=1.0.0 <2.0.0']] });
  const installed = { name: 'p.v1.3.0', version: parseVersion('1.3.0') };
  expect(drawText(found, ['stable'], { installed })).toBe(`package p

channel stable (default)
◉◀──╮   2.0.0  head, skipRange >=1.0.0 <2.0.0
  ·─╯   1.3.0  installed, not in the catalog

● an update stops here   · no entry of the channel
`);
});

test('two heads and cycles are drawn as they are', () => {
  const twoHeads = layOutChannel(
    packageOf({}),
    packageOf({ stable: [['1.0.0'], ['1.1.0', '1.0.0'], ['1.2.0', '1.0.0']] }).channels[0] ?? { name: '', entries: [] },
  );
  expect(twoHeads.rows.map(({ kind }) => kind)).toEqual(['head', 'head', 'stop']);
  const cycle = packageOf({
    stable: [
      ['1.0.0', '1.1.0'],
      ['1.1.0', '1.0.0'],
    ],
  });
  expect(drawText(cycle, undefined).match(/nothing leads on/g)).toHaveLength(3);
});

test('lines of one lane never have a row in common', () => {
  const span = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const lanes = assignLanes(spans);
      for (const [i, one] of spans.entries()) {
        for (const [j, other] of spans.entries()) {
          if (i >= j || lanes[i] !== lanes[j]) continue;
          expect(one.last < other.first || other.last < one.first).toBe(true);
        }
      }
    }),
  );
});

test('pictures have a node and a label for each bundle', () => {
  const found = packageOf({ stable: w2 });
  const svg = drawSvg(found, undefined);
  expect(svg.match(/<circle/g)).toHaveLength(3);
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) expect(svg).toContain(`>${version}</text>`);
});

test('many lines to skipped bundles are left out, as far as others lead on from the same bundles, and that is reported', () => {
  const versions = Array.from({ length: 20 }, (_, index) => `1.${index}.0`);
  const written = versions.map(
    (version, index): Written => [version, versions[index - 1] ?? '', versions.slice(0, Math.max(0, index - 1))],
  );
  const { tracks, leftOut, rows } = layOutChannel(
    packageOf({}),
    packageOf({ stable: written }).channels[0] ?? { name: '', entries: [] },
  );
  expect(rows).toHaveLength(20);
  expect(tracks.length).toBeLessThan(8);
  expect(drawText(packageOf({ stable: written }), undefined)).toContain(
    `${leftOut} lines to skipped bundles are left out`,
  );
});

test('a channel that is too large to be drawn is reported, whatever its edges are', () => {
  const skips = Array.from({ length: 20_000 }, (_, index) => `p.v0.0.${index}`);
  const stable = { name: 'stable', entries: [{ name: 'p.v1.0.0', skips }] };
  const found = packageOf({}, { channels: [stable] });
  const text = 'channel "stable" has 20001 bundles, more than the 20000 that are drawn: draw another channel';
  expect(() => drawText(found, undefined)).toThrow(text);
  const wide = Array.from({ length: 1_200 }, (_, index): Written => [`1.${index}.0`, '', [`0.${1_200 - index}.0`]]);
  expect(() => drawText(packageOf({ stable: wide }), undefined)).toThrow('more than 5000000: draw one channel');
});
