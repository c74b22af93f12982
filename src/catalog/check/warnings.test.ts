import { expect, test } from 'vitest';
import {
  bundle,
  channel,
  check,
  entry,
  graph,
  identity,
  pkg,
  whole,
  withProperties,
} from '../../../test/support/catalog-documents.ts';

const [v1, v2, v3] = ['1.0.0', '2.0.0', '3.0.0'];

const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
const iconOf = (data: string, type: string): readonly string[] => [
  `{schema: olm.package, name: p, defaultChannel: c, icon: {base64data: "${data}", mediatype: "${type}"}}`,
  ...whole.slice(1),
];

const advised: readonly { readonly rule: string; readonly catalog: readonly string[]; readonly message: string }[] = [
  { rule: 'icon', catalog: iconOf('', 'image/png'), message: 'icon data must be set if icon is defined' },
  { rule: 'icon', catalog: iconOf(svg, ''), message: 'icon mediatype must be set if icon is defined' },
  { rule: 'icon', catalog: iconOf('YQ==', 'image/png'), message: 'icon data is not an image' },
  {
    rule: 'icon',
    catalog: iconOf(svg, 'image/png'),
    message: 'icon media type "image/png" does not match detected media type "image/svg+xml"',
  },
  {
    rule: 'typo',
    catalog: [...whole, '{schema: olm.chanel, package: p, name: x}'],
    message: 'schema "olm.chanel" is unknown: the document is retained and ignored',
  },
  {
    rule: 'typo',
    catalog: graph('{name: p.v2.0.0, replaces: p.v1.0.0, skipRanges: "<2.0.0"}, {name: p.v1.0.0}', v1, v2),
    message: 'olm.channel has no field "entries[0].skipRanges": it is left out',
  },
  {
    rule: 'typo',
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.skiprange, value: "<1.0.0"}`),
    message: 'property type "olm.skiprange" means nothing to anyone',
  },
  {
    rule: 'property',
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.gvk, value: {group: g, version: v1}}`),
    message: 'property[1] of type "olm.gvk": API Kind is empty',
  },
  {
    rule: 'property',
    catalog: withProperties(
      `${identity('1.0.0')}, {type: olm.package.required, value: {packageName: q, versionRange: "??"}}`,
    ),
    message:
      'property[1] of type "olm.package.required": Invalid semver format version: "??": Could not get version from string: "??"',
  },
  {
    rule: 'property',
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.constraint, value: {}}`),
    message: 'property[1] of type "olm.constraint": constraint is empty',
  },
  {
    rule: 'property',
    catalog: withProperties(`${identity('1.0.0')}, {type: "", value: 1}`),
    message: 'property[1] of type "": type must be set',
  },
  {
    rule: 'property',
    catalog: withProperties(
      `${identity('1.0.0')}, {type: olm.csv.metadata, value: {}}, {type: olm.csv.metadata, value: {}}`,
    ),
    message: 'expected at most 1 property of type "olm.csv.metadata", found 2',
  },
  {
    rule: 'range',
    catalog: graph('{name: p.v1.0.0, skipRange: ">2.0.0 <1.0.0"}', v1),
    message: 'skipRange ">2.0.0 <1.0.0" of p.v1.0.0 covers no version at all',
  },
  {
    rule: 'range',
    catalog: graph('{name: p.v1.0.0, skipRange: "<=1.0.0"}', v1),
    message: 'skipRange "<=1.0.0" of p.v1.0.0 covers the entry\'s own version 1.0.0',
  },
  {
    rule: 'unknown-name',
    catalog: graph('{name: p.v2.0.0, replaces: p.v1.0.0, skips: [p.v2.0.1, p.v0.9.0]}, {name: p.v1.0.0}', v1, v2),
    message: 'entries replace or skip what is no bundle of the package: p.v2.0.1',
  },
  {
    rule: 'head',
    catalog: graph('{name: p.v1.0.0, replaces: p.v2.0.0}, {name: p.v2.0.0}', v1, v2),
    message: 'the head, p.v1.0.0, is older than p.v2.0.0',
  },
  {
    rule: 'unreachable',
    catalog: graph([entry('v1'), entry('v2←v1; v1'), entry('v3←v2; v2')].join(', '), v1, v2, v3),
    message: 'no update leads to the head, p.v3.0.0, from: p.v1.0.0',
  },
  {
    rule: 'equal-versions',
    catalog: graph('{name: p.v1.0.0+a}, {name: p.v1.0.0+b, replaces: p.v1.0.0+a}', '1.0.0+a', '1.0.0+b'),
    message: 'p.v1.0.0+a, p.v1.0.0+b differ in build metadata alone, which orders nothing: all are version 1.0.0',
  },
];

test.each(advised)('warns of what is legal and yet a mistake ($rule): $message', ({ rule, catalog, message }) => {
  expect(check(...catalog).findings).toEqual([expect.objectContaining({ rule, severity: 'warning', message })]);
});

test('names older than the oldest bundle, wide ranges and good icons are no mistakes', () => {
  const history = graph(
    '{name: p.v2.0.0, replaces: p.v1.9.0, skips: [p.v1.8.0], skipRange: ">=1.0.0 <2.0.0 || <0.1.0"}',
    v2,
  );
  for (const catalog of [history, iconOf(svg, 'image/svg+xml')]) expect(check(...catalog).findings).toEqual([]);
});

test('CR-V18 a property that does not decode is reported once, and the bundle not called one without a package', () => {
  const catalog = withProperties('{type: olm.package, value: [p]}');
  expect(check(...catalog).findings.map(({ rule }) => rule)).toEqual(['S12']);
});

test('catalogs made to be slow to validate are validated at once', () => {
  const names = Array.from({ length: 400 }, (_, index) => `p.v1.${index}.0`);
  const versions = names.map((name) => name.slice('p.v'.length));
  const everySkip = names.map(
    (name, index) => `{name: ${name}, skips: [${names.slice(0, index).slice(-100).join(', ')}], skipRange: "<1.0.0"}`,
  );
  const longRange = Array.from({ length: 400 }, (_, index) => `<${index + 2}.0.0`).join(' ');
  const ranged = graph(`{name: p.v1.0.0, skipRange: "${longRange}"}`, v1);
  const fields = Array.from({ length: 5_000 }, (_, index) => `field${index}: 1`).join(', ');
  const found = check(
    pkg(),
    channel(everySkip.join(', ')),
    ...versions.map((version) => bundle(version)),
    `{schema: olm.deprecations, package: p, ${fields}}`,
  );
  expect(found.findings.filter(({ rule }) => rule === 'typo')).toHaveLength(20);
  expect(check(...ranged).findings.map(({ rule }) => rule)).toEqual(['range']);
});

test('a catalog without any package is probably the wrong place', () => {
  expect(check().findings).toMatchObject([{ rule: 'empty', severity: 'warning', message: 'there is no package' }]);
  expect(check(...whole).findings).toEqual([]);
});
