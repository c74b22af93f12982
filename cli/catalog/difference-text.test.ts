import { expect, test } from 'vitest';
import {
  areSameCatalogs,
  type CatalogDifference,
  ComparedCatalog,
  compareCatalogs,
  readCatalogStream,
} from '../../src/catalog/index.ts';
import { differenceText } from './difference-text.ts';

async function compared(...documents: readonly string[]): Promise<ComparedCatalog> {
  const catalog = new ComparedCatalog();
  for await (const meta of readCatalogStream([Buffer.from(documents.join('\n---\n'))], 'catalog')) catalog.add(meta);
  return catalog;
}

async function difference(from: readonly string[], to: readonly string[]): Promise<CatalogDifference> {
  return compareCatalogs(await compared(...from), await compared(...to));
}

const bundle = (name: string, more = '', properties = ''): string =>
  `{schema: olm.bundle, package: p, name: p.v${name}, image: r.example/p:${name}${more}, properties: [{type: olm.package, value: {packageName: p, version: ${name}}}${properties}]}`;
const packageText = '{schema: olm.package, name: p, defaultChannel: a}';
const channel =
  '{schema: olm.channel, package: p, name: a, entries: [{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}]}';
const old = [
  packageText,
  channel,
  bundle('1.0.0'),
  bundle('1.1.0'),
  '{schema: my.schema, package: p, name: x, a: 1}',
  '{schema: olm.package, name: gone, defaultChannel: c}',
];

test('order, files and format make no difference', async () => {
  const found = await difference(old, [...old].reverse());
  expect(areSameCatalogs(found)).toBe(true);
  expect(differenceText(found)).toBe('');
});

test('everything that updates depend on is shown, and that other fields differ', async () => {
  const found = await difference(old, [
    '{schema: olm.package, name: p, defaultChannel: b}',
    '{schema: olm.channel, package: p, name: a, entries: [{name: p.v1.0.0}, {name: p.v1.1.0, skips: [p.v1.0.0], skipRange: <1.1.0}, {name: p.v1.2.0, replaces: p.v1.1.0}]}',
    '{schema: olm.channel, package: p, name: b, entries: [{name: p.v1.2.0}]}',
    bundle('1.0.0', ', relatedImages: [{name: x, image: y}]'),
    bundle('1.1.0', '-rebuilt', ', {type: olm.gvk, value: {group: g, version: v1, kind: K}}'),
    bundle('1.2.0'),
    '{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.channel, name: a}, message: use b}, {reference: {schema: olm.bundle, name: p.v1.0.0}, message: "old\\u001b"}]}',
    '{schema: my.schema, package: p, name: x, a: 2}',
    '{schema: my.schema, name: global}',
  ]);
  expect(areSameCatalogs(found)).toBe(false);
  expect(differenceText(found)).toBe(
    [
      '- package gone (default channel c; channels: 0, bundles: 0)',
      '~ package p',
      '    default channel: a -> b',
      '    + channel b, head p.v1.2.0',
      '    ~ channel a',
      '        head: p.v1.1.0 -> p.v1.2.0',
      '        deprecation: none -> use b',
      '        + p.v1.2.0 replaces p.v1.1.0',
      '        ~ p.v1.1.0',
      '            replaces: p.v1.0.0 -> none',
      '            skips: none -> p.v1.0.0',
      '            skip range: none -> <1.1.0',
      '    + bundle p.v1.2.0 (1.2.0)',
      '    ~ bundle p.v1.0.0',
      '        deprecation: none -> old\\x1b',
      '        related images, manifests or what is shown to people',
      '    ~ bundle p.v1.1.0',
      '        image: r.example/p:1.1.0 -> r.example/p:1.1.0-rebuilt',
      '        + property olm.gvk {"group":"g","version":"v1","kind":"K"}',
      '+ my.schema global',
      '~ my.schema p/x',
      '',
    ].join('\n'),
  );
});
