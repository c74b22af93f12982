import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { readSemverTemplate } from './semver-template.ts';
import type { BuiltTemplate } from './template.ts';

/** A bundle whose reference is its version. */
function bundleOf(version: string, changes: JsonObject = {}): JsonObject {
  const csv = {
    kind: 'ClusterServiceVersion',
    spec: { description: `of ${version}`, icon: [{ base64data: 'aGk=', mediatype: 'image/png' }] },
  };
  return {
    schema: 'olm.bundle',
    package: 'p',
    name: `p.v${version}`,
    image: version,
    properties: [
      { type: 'olm.package', value: { packageName: 'p', version } },
      { type: 'olm.bundle.object', value: { data: Buffer.from(JSON.stringify(csv)).toString('base64') } },
    ],
    ...changes,
  };
}

type Archetypes = Readonly<Record<string, readonly string[]>>;

function templateOf(archetypes: Archetypes, head: JsonObject = {}): string {
  const lists = Object.entries(archetypes).map(([name, images]) => [
    name,
    { bundles: images.map((image) => ({ image })) },
  ]);
  return JSON.stringify({ schema: 'olm.semver', ...head, ...Object.fromEntries(lists) });
}

function build(template: string, bundleFor: (reference: string) => JsonObject = bundleOf): BuiltTemplate {
  const read = readSemverTemplate(template);
  return read.build(new Map(read.references.map((reference) => [reference, [bundleFor(reference)]])));
}

/** `1.1.1 replaces 1.0.1 skips 1.0.0,1.1.0`, by channel. */
function edges({ documents }: BuiltTemplate): Readonly<Record<string, string>> {
  const bare = (name: string): string => name.replace('p.v', '');
  const channels = documents.filter(({ schema }) => schema === 'olm.channel') as unknown as {
    name: string;
    entries: { name: string; replaces?: string; skips?: string[] }[];
  }[];
  const shown = channels.map(({ name, entries }) => [
    name,
    entries
      .map((entry) => {
        const replaces = entry.replaces === undefined ? '' : ` replaces ${bare(entry.replaces)}`;
        const skips = entry.skips === undefined ? '' : ` skips ${entry.skips.map(bare).join(',')}`;
        return `${bare(entry.name)}${replaces}${skips}`;
      })
      .join('; '),
  ]);
  return Object.fromEntries(shown) as Record<string, string>;
}

function defaultChannel({ documents }: BuiltTemplate): unknown {
  return documents.find(({ schema }) => schema === 'olm.package')?.['defaultChannel'];
}

const both = { generateMajorChannels: true, generateMinorChannels: true };
const worked = ['1.1.0', '1.0.0', '2.0.0', '1.0.1', '1.1.1'];

test('the worked example has the edges of the reference, whatever the order of its bundles', () => {
  const built = build(templateOf({ stable: worked }, both));
  expect(edges(built)).toEqual({
    'stable-v1': '1.0.0; 1.0.1 skips 1.0.0; 1.1.0; 1.1.1 replaces 1.0.1 skips 1.0.0,1.1.0',
    'stable-v1.0': '1.0.0; 1.0.1 skips 1.0.0',
    'stable-v1.1': '1.1.0; 1.1.1 replaces 1.0.1 skips 1.0.0,1.1.0',
    'stable-v2': '2.0.0',
    'stable-v2.0': '2.0.0',
  });
  expect(defaultChannel(built)).toBe('stable-v2.0');
  expect(build(templateOf({ stable: worked.toReversed() }, both)).documents.slice(0, 6)).toEqual(
    built.documents.slice(0, 6),
  );
});

test('CR-C11 a template without options for channels gets minor ones', () => {
  expect(Object.keys(edges(build(templateOf({ fast: ['1.0.0', '1.1.0'] }))))).toEqual(['fast-v1.0', 'fast-v1.1']);
});

test('CR-C11 with major channels only, stable is the default and no edge leads from 0.x to 1.x', () => {
  const candidate = ['0.1.0', '0.1.1', '0.2.0', '1.0.0', '1.0.1', '1.1.0'];
  const built = build(
    templateOf({ candidate, fast: ['0.2.0', '1.0.0', '1.0.1'], stable: ['1.0.1'] }, { generateMajorChannels: true }),
  );
  expect(defaultChannel(built)).toBe('stable-v1');
  expect(edges(built)).toEqual({
    'candidate-v0': '0.1.0; 0.1.1 skips 0.1.0; 0.2.0 replaces 0.1.1 skips 0.1.0',
    'candidate-v1': '1.0.0; 1.0.1 skips 1.0.0; 1.1.0 replaces 1.0.1 skips 1.0.0',
    'fast-v0': '0.2.0',
    'fast-v1': '1.0.0; 1.0.1 skips 1.0.0',
    'stable-v1': '1.0.1',
  });
});

test('CR-C11 one image in two archetypes is one bundle with two entries', () => {
  const { documents } = build(templateOf({ candidate: ['1.0.0'], stable: ['1.0.0'] }));
  expect(documents.map(({ schema, name }) => [schema, name])).toEqual([
    ['olm.package', 'p'],
    ['olm.channel', 'candidate-v1.0'],
    ['olm.channel', 'stable-v1.0'],
    ['olm.bundle', 'p.v1.0.0'],
  ]);
});

test('CR-C11 versions that differ by build metadata alone are refused', () => {
  expect(() => build(templateOf({ stable: ['1.0.0+b', '1.0.0+a'] }))).toThrow(
    'render: unable to post-process bundle info: encountered bundle versions which differ only by build metadata, ' +
      'which cannot be ordered: bundle version "1.0.0+b" cannot be compared to "1.0.0"',
  );
});

test('a release gives equal versions an order', () => {
  const withRelease = (reference: string): JsonObject => {
    const [version = '', release = ''] = reference.split('/');
    const value = { packageName: 'p', version, release };
    return { ...bundleOf(version), name: `p.v${version}-${release}`, properties: [{ type: 'olm.package', value }] };
  };
  const built = build(templateOf({ stable: ['1.0.0/10', '1.0.0/9'] }), withRelease);
  expect(edges(built)).toEqual({ 'stable-v1.0': '1.0.0-9; 1.0.0-10 skips 1.0.0-9' });
});

test('with both kinds a later minor channel is the default whatever is preferred, which is reported', () => {
  const built = build(templateOf({ stable: ['1.0.0', '1.1.0'] }, { ...both, defaultChannelTypePreference: 'major' }));
  expect(defaultChannel(built)).toBe('stable-v1.1');
  expect(built.warnings).toEqual([
    expect.stringMatching(/^the default channel is stable-v1\.1, although major channels are preferred/),
  ]);
  const one = build(templateOf({ stable: ['1.0.0'] }, { ...both, defaultChannelTypePreference: 'major' }));
  expect([defaultChannel(one), one.warnings]).toEqual(['stable-v1', []]);
});

test('the package has description and icon of the last bundle of its default channel', () => {
  const { documents } = build(templateOf({ candidate: ['2.0.0'], stable: ['1.0.0', '1.0.1'] }));
  expect(documents[0]).toEqual({
    schema: 'olm.package',
    name: 'p',
    defaultChannel: 'stable-v1.0',
    description: 'of 1.0.1',
    icon: { base64data: 'aGk=', mediatype: 'image/png' },
  });
});

test('keys may have any case', () => {
  const built = build('Schema: olm.semver\nGENERATEMAJORCHANNELS: true\nStable: {Bundles: [{Image: 1.0.0}]}\n');
  expect(Object.keys(edges(built))).toEqual(['stable-v1']);
});

const mismatch = 'schema attribute mismatch: DefaultChannelTypePreference set to';

test.each([
  ['schema: olm.template.basic', 'readFile: input file has unknown schema, should be "olm.semver"'],
  ['schema: olm.semver\nfoo: 1', 'json: unknown field "foo"'],
  ['schema: olm.semver\nstable: {bundles: [{image: a, name: b}]}', 'json: unknown field "name"'],
  ['schema: olm.semver\nstable: []', 'json: cannot unmarshal array into Go struct field'],
  ['schema: olm.semver\nstable: {bundles: [{}]}', 'stable.bundles[0]: image must be set'],
  ['a: [', 'error converting YAML to JSON: '],
  [
    'schema: olm.semver\ndefaultChannelTypePreference: major',
    `${mismatch} 'major' doesn't make sense if not generating major-version channels`,
  ],
  [
    'schema: olm.semver\ngenerateMajorChannels: true\ndefaultChannelTypePreference: minor',
    `${mismatch} 'minor' doesn't make sense if not generating minor-version channels`,
  ],
  [
    'schema: olm.semver\ndefaultChannelTypePreference: none',
    `unknown DefaultChannelTypePreference: "none"\nValid values are 'major' or 'minor'`,
  ],
])('the template %j cannot be read', (template, text) => {
  expect(() => readSemverTemplate(template)).toThrow(/^render: unable to read file: /);
  expect(() => readSemverTemplate(template)).toThrow(text);
});

test('bundles must be there, of one package, with names of their own', () => {
  expect(() => build(templateOf({ stable: [] }))).toThrow(
    'render: no bundles specified or no bundles could be rendered',
  );
  const template = templateOf({ stable: ['1.0.0', '1.1.0'] });
  const prefix = 'render: unable to post-process bundle info: ';
  const other = (reference: string): JsonObject =>
    bundleOf(reference, reference === '1.1.0' ? { package: 'q', name: 'q.v1.1.0' } : {});
  expect(() => build(template, other)).toThrow(`${prefix}bundle "q.v1.1.0" does not belong to this package: "p"`);
  const twin = (reference: string): JsonObject => bundleOf(reference, { name: 'p.v1' });
  expect(() => build(template, twin)).toThrow(`${prefix}duplicate bundle name "p.v1"`);
  const read = readSemverTemplate(template);
  expect(() => read.build(new Map([['1.0.0', []]]))).toThrow(
    'bundle reference "1.0.0" resulted in 0 bundles, expected 1',
  );
});
