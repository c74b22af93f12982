import { expect, test } from 'vitest';
import {
  bundle,
  channel,
  check,
  deprecations,
  identity,
  pkg,
  reference,
  whole,
  withBundle,
  withDeprecations,
  withProperties,
} from '../../../test/support/catalog-documents.ts';
import { findingTree } from './tree.ts';

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const long = 'a'.repeat(64);
const pull = 'invalid image pull spec';
interface Row {
  readonly rule: string;
  readonly catalog: readonly string[];
  readonly message: string;
  /** Of the document that is reported. */
  readonly line: number;
}

const structural: readonly Row[] = [
  { rule: 'S1', line: 4, catalog: [...whole, pkg('')], message: 'config contains package with no name' },
  { rule: 'S2', line: 4, catalog: [...whole, pkg()], message: 'duplicate package "p"' },
  {
    rule: 'S3',
    line: 1,
    catalog: [pkg('a.b'), channel('{name: a.b.v1.0.0}', 'c', 'a.b'), bundle('1.0.0', { of: 'a.b' })],
    message: `invalid package name "a.b": [${label}]`,
  },
  {
    rule: 'S3',
    line: 1,
    catalog: [pkg(long), channel(`{name: ${long}.v1.0.0}`, 'c', long), bundle('1.0.0', { of: long })],
    message: `invalid package name "${long}": [must be no more than 63 characters]`,
  },
  {
    rule: 'S4',
    line: 4,
    catalog: [...whole, channel('{name: q.v1.0.0}', 'c', 'q')],
    message: 'unknown package "q" for channel "c"',
  },
  {
    rule: 'S5',
    line: 4,
    catalog: [...whole, channel('{name: p.v1.0.0}', '')],
    message: 'package "p" contains channel with no name',
  },
  {
    rule: 'S6',
    line: 4,
    catalog: [...whole, channel('{name: p.v1.0.0}')],
    message: 'package "p" has duplicate channel "c"',
  },
  {
    rule: 'S7',
    line: 2,
    catalog: [pkg(), channel('{name: p.v1.0.0}, {name: p.v1.0.0}'), bundle('1.0.0')],
    message: 'invalid package "p", channel "c": duplicate entry "p.v1.0.0"',
  },
  {
    rule: 'S9',
    line: 4,
    catalog: [
      ...whole,
      bundle('2.0.0', {
        of: '',
        name: 'x',
        image: 'a/b',
        properties: '{type: olm.package, value: {packageName: "", version: 2.0.0}}',
      }),
    ],
    message: 'package name must be set for bundle "x"',
  },
  {
    rule: 'S10',
    line: 4,
    catalog: [...whole, bundle('1.0.0', { of: 'q' })],
    message: 'unknown package "q" for bundle "q.v1.0.0"',
  },
  {
    rule: 'S11',
    line: 4,
    catalog: [...whole, bundle('1.0.0')],
    message: 'package "p" has duplicate bundle "p.v1.0.0"',
  },
  {
    rule: 'S12',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.gvk, value: 5}`),
    message:
      'parse properties for bundle "p.v1.0.0": parse property[1] of type "olm.gvk": json: cannot unmarshal number into Go value of type property.GVK',
  },
  {
    rule: 'S12',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.gvk, value: {kind: [a]}}`),
    message:
      'parse properties for bundle "p.v1.0.0": parse property[1] of type "olm.gvk": json: cannot unmarshal array into Go struct field GVK.kind of type string',
  },
  {
    rule: 'S12',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: thing}`),
    message: 'parse properties for bundle "p.v1.0.0": parse property[1] of type "thing": unexpected end of JSON input',
  },
  {
    rule: 'parse',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.bundle.object, value: {data: "YTogYjogYw=="}}`),
    message:
      'read bundle objects: package "p", bundle "p.v1.0.0": convert bundle object property at index 1 to JSON: yaml: line 1: bad indentation of a mapping entry',
  },
  {
    rule: 'parse',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.bundle.object, value: {data: "!"}}`),
    message:
      'read bundle objects: package "p", bundle "p.v1.0.0": parse property at index 1 as bundle object: illegal base64 data at input byte 0',
  },
  {
    rule: 'parse',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, {type: olm.bundle.object}`),
    message:
      'read bundle objects: package "p", bundle "p.v1.0.0": parse property at index 1 as bundle object: unexpected end of JSON input',
  },
  {
    rule: 'S17',
    line: 3,
    catalog: [
      pkg(),
      channel('{name: p.v1.0.0}'),
      bundle('1.0.0', { properties: identity('18446744073709551616.0.0') }),
    ],
    message:
      'error parsing bundle "p.v1.0.0" version "18446744073709551616.0.0": strconv.ParseUint: parsing "18446744073709551616": value out of range',
  },
  {
    rule: 'S13',
    line: 3,
    catalog: withProperties(''),
    message: 'package "p" bundle "p.v1.0.0" must have exactly 1 "olm.package" property, found 0',
  },
  {
    rule: 'S13',
    line: 3,
    catalog: withProperties(`${identity('1.0.0')}, ${identity('1.0.1')}`),
    message: 'package "p" bundle "p.v1.0.0" must have exactly 1 "olm.package" property, found 2',
  },
  {
    rule: 'S14',
    line: 3,
    catalog: withProperties(identity('1.0.0', 'q')),
    message: 'package "p" does not match "olm.package" property "q"',
  },
  {
    rule: 'S15',
    line: 3,
    catalog: withBundle(bundle('1.0.0', { image: 'registry.example/P:1' })),
    message: `package "p" bundle "p.v1.0.0" image: ${pull} "registry.example/P:1": invalid reference format: repository name must be lowercase`,
  },
  {
    rule: 'S15',
    line: 3,
    catalog: withBundle(bundle('1.0.0', { image: `registry.example/p@sha999:${'a'.repeat(64)}` })),
    message: `package "p" bundle "p.v1.0.0" image: ${pull} "registry.example/p@sha999:${'a'.repeat(64)}": unsupported digest algorithm`,
  },
  {
    rule: 'S16',
    line: 3,
    catalog: withBundle(
      bundle('1.0.0', { more: ', relatedImages: [{name: "", image: a/b}, {name: x, image: "oci://host/name:tag"}]' }),
    ),
    message: `package "p" bundle "p.v1.0.0" relatedImages[1].image: ${pull} "oci://host/name:tag": invalid reference format`,
  },
  {
    rule: 'S17',
    line: 3,
    catalog: withBundle(bundle('v1.0', { name: 'p.v1.0.0' })),
    message: 'error parsing bundle "p.v1.0.0" version "v1.0": No Major.Minor.Patch elements found',
  },
  {
    rule: 'S18',
    line: 3,
    catalog: withProperties('{type: olm.package, value: {packageName: p, version: 1.0.0, release: "a..b"}}'),
    message:
      'error parsing bundle "p.v1.0.0" release version "a..b": invalid release "a..b": segment 1: Prerelease is empty',
  },
  {
    rule: 'S18',
    line: 3,
    catalog: withProperties(
      '{type: olm.package, value: {packageName: p, version: 1.0.0, release: "123456789012345678901"}}',
    ),
    message:
      'error parsing bundle "p.v1.0.0" release version "123456789012345678901": invalid release "123456789012345678901": exceeds maximum length of 20 characters',
  },
  {
    rule: 'S19',
    line: 4,
    catalog: [...whole, bundle('2.0.0')],
    message: 'package "p", bundle "p.v2.0.0" not found in any channel entries',
  },
  {
    rule: 'S20',
    line: 2,
    catalog: [
      pkg(),
      channel('{name: p.v2, replaces: p.v1}, {name: p.v1, replaces: p.v1.0.0}, {name: p.v1.0.0}'),
      bundle('1.0.0'),
    ],
    message: 'no olm.bundle blobs found in package "p" for olm.channel entries [p.v1 p.v2]',
  },
  {
    rule: 'S21',
    line: 4,
    catalog: withDeprecations(deprecations('', '')),
    message: 'package name must be set for deprecation item 0',
  },
  {
    rule: 'S22',
    line: 4,
    catalog: withDeprecations(deprecations('', 'q')),
    message: 'cannot apply deprecations to an unknown package "q"',
  },
  {
    rule: 'S23',
    line: 5,
    catalog: withDeprecations(deprecations(''), deprecations('')),
    message: 'expected a maximum of one deprecation per package: "p"',
  },
  {
    rule: 'S24',
    line: 4,
    catalog: withDeprecations(deprecations(reference('', 'x'))),
    message: 'schema must be set for deprecation entry [0] for package "p"',
  },
  {
    rule: 'S25',
    line: 4,
    catalog: withDeprecations(
      deprecations(`${reference('olm.bundle', 'p.v1.0.0')}, ${reference('olm.bundle', 'p.v1.0.0')}`),
    ),
    message:
      'duplicate deprecation entry declcfg.PackageScopedReference{Schema:"olm.bundle", Name:"p.v1.0.0"} for package "p"',
  },
  {
    rule: 'S26',
    line: 4,
    catalog: withDeprecations(deprecations(reference('olm.bundle', 'x'))),
    message: 'cannot deprecate bundle "x" for package "p": bundle not found',
  },
  {
    rule: 'S27',
    line: 4,
    catalog: withDeprecations(deprecations(reference('olm.channel', 'x'))),
    message: 'cannot deprecate channel "x" for package "p": channel not found',
  },
  {
    rule: 'S28',
    line: 4,
    catalog: withDeprecations(deprecations(reference('olm.package', 'p'))),
    message: 'package name must be empty for deprecated package "p" (specified "p")',
  },
  {
    rule: 'S29',
    line: 4,
    catalog: withDeprecations(deprecations(`${reference('olm.package', '')}, ${reference('olm.thing', 'x')}`)),
    message:
      'cannot deprecate object declcfg.PackageScopedReference{Schema:"olm.thing", Name:"x"} referenced by entry 1 for package "p": object schema unknown',
  },
];

test.each(structural)(
  'CR-$rule is reported with its text and its line: $message',
  ({ rule, catalog, message, line }) => {
    expect(check(...catalog).findings).toEqual([
      expect.objectContaining({ rule, severity: 'error', message, place: { file: 'catalog.yaml', line } }),
    ]);
  },
);

test('CR-S8 a default channel that the package does not have is taken for an empty one', () => {
  const { findings } = check(pkg('p', 'stable'), channel('{name: p.v1.0.0}'), bundle('1.0.0'));
  expect(findings).toEqual([
    expect.objectContaining({ rule: 'V12', package: 'p', channel: 'stable', place: { file: 'catalog.yaml', line: 1 } }),
  ]);
  expect(findingTree(findings)).toBe(
    'invalid index:\n└── invalid package "p":\n    └── invalid channel "stable":\n        └── channel must contain at least one bundle',
  );
  expect(findings[0]?.advice).toContain('no such channel');
});

test('CR-S20 entries without a bundle are reported for each channel', () => {
  const { findings } = check(
    pkg(),
    channel('{name: p.v1.0.0, replaces: p.v0.9.0}, {name: p.v0.9.0}'),
    channel('{name: p.v1.0.0, replaces: p.v0.8.0}, {name: p.v0.8.0}', 'd'),
    bundle('1.0.0'),
  );
  expect(findings.map(({ rule, channel: name, message }) => [rule, name, message])).toEqual([
    ['S20', 'c', 'no olm.bundle blobs found in package "p" for olm.channel entries [p.v0.9.0]'],
    ['S20', 'd', 'no olm.bundle blobs found in package "p" for olm.channel entries [p.v0.8.0]'],
  ]);
});
