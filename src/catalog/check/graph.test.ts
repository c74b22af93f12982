import { expect, test } from 'vitest';
import {
  bundle,
  channel,
  check,
  deprecations,
  entry,
  graph,
  identity,
  pkg,
  reference,
  whole,
  withBundle,
  withDeprecations,
  withProperties,
} from '../../../test/support/catalog-documents.ts';
import type { CatalogFinding } from './finding.ts';
import { findingTree } from './tree.ts';

const [v1, v2, v3] = ['1.0.0', '2.0.0', '3.0.0'];

const results: readonly { readonly entries: readonly string[]; readonly rule?: string; readonly message?: string }[] = [
  { entries: ['v1', 'v2←v1', 'v3←v1; v2'] },
  {
    entries: ['v1', 'v2←v1', 'v3; v2'],
    rule: 'V16',
    message: 'channel contains one or more stranded bundles: p.v1.0.0',
  },
  { entries: ['v1', 'v2←v1', 'v3; v1,v2'] },
  {
    entries: ['v1', 'v2←v1', 'v3←v0; v2; <3.0.0'],
    rule: 'V16',
    message: 'channel contains one or more stranded bundles: p.v1.0.0',
  },
  {
    entries: ['v1', 'v2←v1', 'v3←v1'],
    rule: 'V14',
    message: 'multiple channel heads found in graph: p.v2.0.0, p.v3.0.0',
  },
  {
    entries: ['v1←v2', 'v2←v1', 'v3←v2'],
    rule: 'V15',
    message: 'detected cycle in replaces chain of upgrade graph: p.v2.0.0 -> p.v1.0.0 -> p.v2.0.0',
  },
  { entries: ['v1←v2', 'v2←v1'], rule: 'V13', message: 'no channel head found in graph' },
  { entries: ['v3←v2'] },
  {
    entries: ['v1', 'v2←v1', 'v3←v2; v2'],
    rule: 'V16',
    message: 'channel contains one or more stranded bundles: p.v1.0.0',
  },
  { entries: ['v2', 'v3←v3'], rule: 'V16', message: 'channel contains one or more stranded bundles: p.v3.0.0' },
  { entries: ['v2', 'v3←v2; v3'], rule: 'V13', message: 'no channel head found in graph' },
];

test.each(results)('CR-V13, CR-V14, CR-V15, CR-V16 the result for $entries', ({ entries, rule, message }) => {
  const catalog = graph(entries.map(entry).join(', '), ...entries.map((text) => `${text.slice(1, 2)}.0.0`));
  const errors = check(...catalog).findings.filter(({ severity }) => severity === 'error');
  expect(errors.map((one) => [one.rule, one.channel, one.message])).toEqual(
    rule === undefined ? [] : [[rule, 'c', message]],
  );
});

const modelRows: readonly {
  rule: string;
  catalog: readonly string[];
  message: string;
  level: Partial<CatalogFinding>;
}[] = [
  {
    rule: 'V3',
    catalog: [pkg('p', ''), ...whole.slice(1)],
    message: 'default channel must be set',
    level: { package: 'p' },
  },
  {
    rule: 'V4',
    catalog: [pkg('p', ''), '{schema: x}'],
    message: 'package must contain at least one channel',
    level: { package: 'p' },
  },
  {
    rule: 'V6',
    catalog: graph(
      '{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}, {name: p.v4, replaces: p.v3}',
    ).concat(
      bundle('1.0.0', { name: 'p.v2' }),
      bundle('1.0.0', { name: 'p.v1' }),
      bundle('2.0.0', { name: 'p.v3' }),
      bundle('2.0.0', { name: 'p.v4' }),
    ),
    message: 'duplicate versions found in bundles: [{1.0.0: [p.v1, p.v2]} {2.0.0: [p.v3, p.v4]}]',
    level: { package: 'p' },
  },
  {
    rule: 'V7',
    catalog: withDeprecations(deprecations(reference('olm.package', '', ''))),
    message: 'invalid deprecation: message must be set',
    level: { package: 'p' },
  },
  {
    rule: 'V10',
    catalog: withDeprecations(deprecations(reference('olm.channel', 'c', ''))),
    message: 'invalid deprecation: message must be set',
    level: { package: 'p', channel: 'c' },
  },
  {
    rule: 'V23',
    catalog: withDeprecations(deprecations(reference('olm.bundle', 'p.v1.0.0', ''))),
    message: 'invalid deprecation: message must be set',
    level: { package: 'p', channel: 'c', bundle: 'p.v1.0.0' },
  },
  {
    rule: 'V12',
    catalog: [...whole, channel('', 'd')],
    message: 'channel must contain at least one bundle',
    level: { package: 'p', channel: 'd' },
  },
  {
    rule: 'V19',
    catalog: graph('{name: p.v1.0.0, skips: [a, ""]}', v1),
    message: 'skip[1] is empty',
    level: { bundle: 'p.v1.0.0' },
  },
  {
    rule: 'V20',
    catalog: graph('{name: p.v1.0.0, skipRange: ">v0.1"}', v1),
    message: 'invalid skipRange ">v0.1": Could not parse Range ">v0.1": Could not parse comparator ">v" in ">v0.1"',
    level: { bundle: 'p.v1.0.0' },
  },
  {
    rule: 'V22',
    catalog: withBundle(bundle('1.0.0', { image: '' })),
    message: 'bundle image must be set',
    level: { bundle: 'p.v1.0.0' },
  },
  {
    rule: 'V24',
    catalog: withProperties('{type: olm.package, value: {packageName: p, version: 1.0.0, release: "2"}}'),
    message: 'name "p.v1.0.0" does not match normalized name "p-v1.0.0-2"',
    level: { bundle: 'p.v1.0.0' },
  },
  {
    rule: 'V25',
    catalog: [
      pkg(),
      channel('{name: p-v1.0.0+b-2}'),
      bundle('1.0.0+b', {
        name: 'p-v1.0.0+b-2',
        properties: '{type: olm.package, value: {packageName: p, version: 1.0.0+b, release: "2"}}',
      }),
    ],
    message: 'cannot use build metadata in version with a release version',
    level: { bundle: 'p-v1.0.0+b-2' },
  },
];

test.each(modelRows)('CR-$rule is reported at its level: $message', ({ rule, catalog, message, level }) => {
  const errors = check(...catalog).findings.filter((found) => found.severity === 'error' && found.rule === rule);
  expect(errors).toEqual([expect.objectContaining({ rule, message, ...level })]);
});

test('CR-V20, CR-V19, CR-1.7 faults are drawn as a tree', () => {
  const { findings } = check(
    ...graph('{name: p.v1.0.0, skipRange: ">v0.1"}, {name: p.v2.0.0, replaces: p.v1.0.0, skips: [""]}', v1, v2),
  );
  expect(findingTree(findings.filter(({ severity }) => severity === 'error'))).toBe(`invalid index:
└── invalid package "p":
    └── invalid channel "c":
        ├── invalid bundle "p.v1.0.0":
        │   └── invalid skipRange ">v0.1": Could not parse Range ">v0.1": Could not parse comparator ">v" in ">v0.1"
        └── invalid bundle "p.v2.0.0":
            └── skip[0] is empty`);
});

const digest = `sha256:${'0'.repeat(64)}`;

test('CR-C5 an image may have a tag and a digest', () => {
  expect(check(...withBundle(bundle('1.0.0', { image: `registry.example:5000/p:1.0@${digest}` }))).findings).toEqual(
    [],
  );
});

test('CR-C6 a tail that replaces and skips what the catalog does not have, and a skipped spine with the rest skipped too, are valid', () => {
  const tail = graph('{name: p.v2.0.0, replaces: p.v1.0.0, skips: [p.v1.1.0]}', v2);
  const spine = graph([entry('v1'), entry('v2←v1'), entry('v3←v2; v1,v2')].join(', '), v1, v2, v3);
  for (const catalog of [tail, spine]) expect(check(...catalog).findings).toEqual([]);
});

test('CR-C7 versions that differ in build metadata, or in a release of normalized names, are valid', () => {
  const released = (release: string): string =>
    bundle('1.0.0', {
      name: `p-v1.0.0-${release}`,
      properties: `{type: olm.package, value: {packageName: p, version: 1.0.0, release: "${release}"}}`,
    });
  const builds = graph('{name: p.v1.0.0+a}, {name: p.v1.0.0+b, replaces: p.v1.0.0+a}', '1.0.0+a', '1.0.0+b');
  const releases = [
    pkg(),
    channel('{name: p-v1.0.0-1}, {name: p-v1.0.0-2, replaces: p-v1.0.0-1}'),
    released('1'),
    released('2'),
  ];
  expect(check(...builds).findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ['equal-versions', 'warning'],
  ]);
  expect(check(...releases).findings).toEqual([]);
});

test('CR-C8 faults in two packages and three channels are all reported, and a bundle with its objects in the catalog needs no image', () => {
  const { findings, packages, channels } = check(
    pkg(),
    channel('{name: p.v1.0.0}, {name: p.v2.0.0}'),
    channel('{name: p.v1.0.0, skips: [""]}', 'd'),
    bundle('1.0.0'),
    bundle('2.0.0'),
    pkg('q'),
    channel('', 'c', 'q'),
  );
  expect([packages, channels]).toEqual([2, 3]);
  expect(findingTree(findings)).toBe(`invalid index:
├── invalid package "p":
│   ├── invalid channel "c":
│   │   └── multiple channel heads found in graph: p.v1.0.0, p.v2.0.0
│   └── invalid channel "d":
│       └── invalid bundle "p.v1.0.0":
│           └── skip[0] is empty
└── invalid package "q":
    └── invalid channel "c":
        └── channel must contain at least one bundle`);
  const inline = `${identity('1.0.0')}, {type: olm.bundle.object, value: {data: e30=}}`;
  expect(check(...withBundle(bundle('1.0.0', { image: '', properties: inline }))).findings).toEqual([]);
});

test('CR-1.3 a document that cannot be decoded is reported in the words of Go, and nothing that follows from it', () => {
  const { findings } = check(pkg(), '{schema: olm.channel, package: p, name: c, entries: 5}', bundle('1.0.0'));
  expect(findings).toEqual([
    expect.objectContaining({
      rule: 'parse',
      message:
        'parse channel: json: cannot unmarshal number into Go struct field Channel.entries of type []declcfg.ChannelEntry',
      place: { file: 'catalog.yaml', line: 2 },
    }),
  ]);
});

test('a fault in one package hides no fault of the others', () => {
  const { findings } = check(
    pkg('p.q'),
    pkg(),
    channel('{name: p.v1.0.0}'),
    bundle('1.0.0', { properties: '' }),
    pkg('r', ''),
  );
  expect(findings.map(({ rule, package: of }) => `${rule} ${of}`)).toEqual([
    'S3 p.q',
    'S13 p',
    'V12 p.q',
    'V3 r',
    'V4 r',
  ]);
});
