import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { convertTemplate, templateEntry } from './convert-template.ts';
import { readTemplate } from './templates.ts';

function bundleOf(name: string, version: string, release?: string): JsonObject {
  const value = { packageName: 'p', version, ...(release === undefined ? {} : { release }) };
  return { schema: 'olm.bundle', package: 'p', name, image: `r/${name}`, properties: [{ type: 'olm.package', value }] };
}

const channel = (entries: JsonObject[]): JsonObject => ({ schema: 'olm.channel', package: 'p', name: 'c', entries });

function build(template: JsonObject, rendered: Readonly<Record<string, JsonObject>>): readonly JsonObject[] {
  const documents = new Map(Object.entries(rendered).map(([reference, bundle]) => [reference, [bundle]]));
  return readTemplate(JSON.stringify(template)).build(documents).documents;
}

test('a basic template passes documents through, and has its bundles rendered', () => {
  const package_ = { schema: 'olm.package', name: 'p', defaultChannel: 'c' };
  const custom = { schema: 'my.notes', package: 'p', text: 'hello' };
  const entries = [package_, channel([{ name: 'p.v1' }]), { schema: 'olm.bundle', image: 'r/one' }, custom];
  const template = { schema: 'olm.template.basic', entries };
  expect(readTemplate(JSON.stringify(template)).references).toEqual(['r/one']);
  const bundle = bundleOf('p.v1', '1.0.0');
  expect(build(template, { 'r/one': bundle })).toEqual([package_, channel([{ name: 'p.v1' }]), bundle, custom]);
});

test.each<[JsonValue, string]>([
  [{ entries: [] }, "template input missing required 'schema' field"],
  [{ schema: 'olm.template.other' }, 'unknown template schema: olm.template.other'],
  [[], 'decoding template schema: expected an object'],
  [{ schema: 'olm.template.basic', entries: {} }, 'entries: expected a list'],
  [{ schema: 'olm.template.basic', entries: [{ name: 'a' }] }, 'entries[0]: schema must be set'],
  [
    { schema: 'olm.template.basic', entries: [{ schema: 'olm.bundle', image: 'a', package: 'p' }] },
    'unexpected fields present in basic template bundle',
  ],
  [
    { schema: 'olm.template.basic', entries: [{ schema: 'olm.bundle' }] },
    'unexpected fields present in basic template bundle',
  ],
])('the template %j is refused', (template, text) => {
  expect(() => readTemplate(JSON.stringify(template))).toThrow(text);
});

test('a template of another type than was asked for is refused, and so is a type that is not known', () => {
  const template = '{"schema": "olm.semver"}';
  expect(() => readTemplate(template, 'basic')).toThrow(
    'template has unknown schema ("olm.semver"), should be "olm.template.basic"',
  );
  expect(() => readTemplate(template, 'complex')).toThrow('unknown template type: complex');
});

const chain = [
  { name: 'p.v1' },
  { name: 'p.v2', replaces: 'p.v1', skips: ['p.v0'], skipRange: '<2.0.0' },
  { name: 'p.v3', replaces: 'p.v2' },
  { name: 'p.v4', replaces: 'p.v3', skips: ['p.v2'] },
];
const catalog = [channel(chain), bundleOf('p.v1', '1.0.0'), bundleOf('p.v2', '2.0.0')];
const template = (substitutions: JsonObject[]): JsonObject => ({
  schema: 'olm.template.substitutes',
  entries: catalog,
  substitutions,
});

test('a substitute takes the place of its base', () => {
  const rebuilt = bundleOf('p.v2-1', '2.0.0', '1');
  const documents = build(template([{ name: 'r/new', base: 'p.v2' }]), { 'r/new': rebuilt });
  expect(documents).toEqual([
    channel([
      { name: 'p.v1' },
      { name: 'p.v2' },
      { name: 'p.v2-1', replaces: 'p.v1', skips: ['p.v0', 'p.v2'], skipRange: '<2.0.0' },
      { name: 'p.v3', replaces: 'p.v2-1', skips: ['p.v2'] },
      { name: 'p.v4', replaces: 'p.v3', skips: ['p.v2', 'p.v2-1'] },
    ]),
    ...catalog.slice(1),
    rebuilt,
  ]);
});

test('bundles of a template for substitutes may be named by their images, too', () => {
  const entries = [channel([{ name: 'p.v1' }]), { schema: 'olm.bundle', image: 'r/one' }];
  const documents = build(
    { schema: 'olm.template.substitutes', entries, substitutions: [{ name: 'r/new', base: 'p.v1' }] },
    { 'r/one': bundleOf('p.v1', '1.0.0'), 'r/new': bundleOf('p.v1.0.1', '1.0.1') },
  );
  expect(documents[0]?.['entries']).toEqual([{ name: 'p.v1' }, { name: 'p.v1.0.1', skips: ['p.v1'] }]);
  expect(documents.map(({ name }) => name)).toEqual(['c', 'p.v1', 'p.v1.0.1']);
});

test('the build metadata of an old rebuild counts as its release', () => {
  const rebuild = { type: 'olm.csv.metadata', value: { annotations: { 'olm.substitutesFor': 'p.v2' } } };
  const rebuilt = bundleOf('p.v2+1', '2.0.0+1');
  const marked = { ...rebuilt, properties: [...(rebuilt['properties'] as JsonObject[]), rebuild] };
  const requested = template([{ name: 'r/new', base: 'p.v2' }]);
  expect(build(requested, { 'r/new': marked })).toHaveLength(4);
  expect(() => build(requested, { 'r/new': rebuilt })).toThrow(
    'render: error processing substitution p.v2->r/new: base bundle "p.v2" is not less than substitute bundle "p.v2+1"',
  );
});

test.each<[JsonObject[], string]>([
  [[{ name: '', base: 'p.v1' }], 'substitutions[0]: substitution name cannot be empty'],
  [[{ name: 'r/new' }], 'substitutions[0]: substitution base cannot be empty'],
  [[{ name: 'a', base: 'a' }], 'substitutions[0]: substitution name and base cannot be the same'],
  [
    [
      { name: 'a', base: 'b' },
      { name: 'c', base: 'b' },
    ],
    'substitutions[1]: "b" is used in another substitution already',
  ],
  [[{ name: 'r/new', base: 'p.v9' }], 'base bundle "p.v9" does not exist in catalog'],
  [[{ name: 'r/other', base: 'p.v1' }], 'bundle "q.v9" does not belong to this package: "p"'],
  [[{ name: 'r/same', base: 'p.v1' }], 'bundle "p.v2" is in the catalog already'],
  [[{ name: 'r/none', base: 'p.v1' }], 'bundle reference "r/none" resulted in 0 bundles, expected 1'],
  [[{ name: 'r/faulty', base: 'p.v1' }], 'bundle "p.v5" has invalid version "5": No Major.Minor.Patch elements found'],
])('substitutions %j are refused', (substitutions, text) => {
  const rendered = {
    'r/new': bundleOf('p.v5', '5.0.0'),
    'r/other': { ...bundleOf('q.v9', '9.0.0'), package: 'q' },
    'r/same': bundleOf('p.v2', '9.0.0'),
    'r/faulty': bundleOf('p.v5', '5'),
  };
  expect(() => build(template(substitutions), rendered)).toThrow(text);
});

test('a catalog becomes a template from which it can be rendered again', () => {
  const documents = [{ schema: 'olm.package', name: 'p' }, ...catalog];
  const entries = documents.map(templateEntry);
  const converted = convertTemplate('basic', entries);
  expect(converted['entries']).toEqual([
    documents[0],
    catalog[0],
    { schema: 'olm.bundle', image: 'r/p.v1' },
    { schema: 'olm.bundle', image: 'r/p.v2' },
  ]);
  const rendered = { 'r/p.v1': bundleOf('p.v1', '1.0.0'), 'r/p.v2': bundleOf('p.v2', '2.0.0') };
  expect(build(converted, rendered)).toEqual(documents);
  const substitutes = convertTemplate('substitutes', entries);
  expect(substitutes).toMatchObject({ schema: 'olm.template.substitutes', substitutions: [] });
  expect(build(substitutes, rendered)).toEqual(documents);
  expect(() => convertTemplate('semver', entries)).toThrow('unknown template type: semver');
  expect(() => templateEntry({ schema: 'olm.bundle', name: 'x' })).toThrow('bundle "x" has no image');
});
