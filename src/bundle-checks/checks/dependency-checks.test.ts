import { expect, test } from 'vitest';
import { findingsOf, tideFiles } from '../../../test/support/checked-bundle.ts';
import type { JsonValue } from '../../base/index.ts';
import { isInRange, parseVersion, parseVersionRange } from '../../constraints/index.ts';
import { compilePropertyRule } from '../../constraints/property-rule.ts';

const file = 'metadata/dependencies.yaml';

/** The findings about one dependency, without its place in the list. */
function messagesOf(type: string, value: JsonValue): readonly string[] {
  const lines = findingsOf({ ...tideFiles, [file]: { dependencies: [{ type, value }] } });
  return lines
    .filter((line) => line.startsWith(file))
    .map((line) => line.replace(/^\S+ error (D\d+) dependencies\[0\]: /, '$1 '));
}

const rows: readonly { name: string; type: string; value: JsonValue; expected: readonly string[] }[] = [
  {
    name: 'BF-D1 a gvk without group',
    type: 'olm.gvk',
    value: { version: 'v1', kind: 'K' },
    expected: ['D1 API Group is empty'],
  },
  {
    name: 'BF-D2 a package with an empty version',
    type: 'olm.package',
    value: { packageName: 'p', version: '' },
    expected: ['D3 Package version is empty'],
  },
  {
    name: 'BF-D3 a package with version v1.0.0',
    type: 'olm.package',
    value: { packageName: 'p', version: 'v1.0.0' },
    expected: [expect.stringContaining('D4 Invalid semver format version')],
  },
  {
    name: 'BF-D4 a range with alternatives and a wildcard',
    type: 'olm.package',
    value: { packageName: 'p', version: '>=1.0.0 <2.0.0 || 3.1.x' },
    expected: [],
  },
  {
    name: 'BF-D5 an empty label',
    type: 'olm.label',
    value: { label: '' },
    expected: ['D5 Label information is missing'],
  },
  {
    name: 'BF-D6 a rule that is no truth value',
    type: 'olm.constraint',
    value: { cel: { rule: '1 + 1' } },
    expected: ['D8 Invalid CEL expression: cel expressions must have type Bool'],
  },
  {
    name: 'BF-D7 an empty rule',
    type: 'olm.constraint',
    value: { cel: { rule: '' } },
    expected: ['D7 The CEL expression is missing'],
  },
  {
    name: 'BF-D8 a compound constraint',
    type: 'olm.constraint',
    value: { all: { constraints: [{ package: { packageName: 'p', versionRange: '>=1.0.0' } }] } },
    expected: [],
  },
  {
    name: 'BF-D9 a constraint with none',
    type: 'olm.constraint',
    value: { none: { constraints: [] } },
    expected: ['D10 json: unknown field "none": it is called "not"'],
  },
  {
    name: 'BF-D10 an unknown type',
    type: 'olm.foo',
    value: {},
    expected: [expect.stringContaining("D9 couldn't parse dependency of type olm.foo")],
  },
  {
    name: 'BF-D11 a constraint of 131073 bytes',
    type: 'olm.constraint',
    value: { failureMessage: 'x'.repeat(131_073 - 21) },
    expected: ['D10 olm.constraint value is greater than max constraint size 131072 bytes'],
  },
  {
    name: 'a value that is a string of JSON',
    type: 'olm.package',
    value: '{"packageName": "p", "version": ">=1.0.0"}',
    expected: [expect.stringContaining("D9 couldn't parse dependency of type olm.package")],
  },
];

test.each(rows)('$name', ({ type, value, expected }) => {
  expect(messagesOf(type, value)).toEqual(expected);
});

test('every dependency has the place of its entry', () => {
  const text = 'dependencies:\n- type: olm.label\n  value: {label: x}\n- type: olm.gvk\n  value: {}\n';
  expect(findingsOf({ ...tideFiles, [file]: text }).filter((line) => line.startsWith(file))).toEqual([
    `${file}:4:3 error D1 dependencies[1]: API Group is empty`,
  ]);
});

test('fields beside the type are named', () => {
  const text = 'dependencies:\n- type: olm.package\n  packageName: p\n  version: 1.0.0\n';
  const [line = ''] = findingsOf({ ...tideFiles, [file]: text }).filter((one) => one.startsWith(file));
  expect(line).toContain('packageName, version belong under value');
});

test('BF-R1 the range 1.2.x on 1.2.9 and 1.3.0', () => {
  const range = parseVersionRange('1.2.x');
  expect(['1.2.9', '1.3.0'].map((version) => isInRange(parseVersion(version), range))).toEqual([true, false]);
});

test('BF-R2 the range <2.0.0 on 2.0.0-rc.1', () => {
  expect(isInRange(parseVersion('2.0.0-rc.1'), parseVersionRange('<2.0.0'))).toBe(true);
});

test('BF-R3 the range >=1.0.0 on 1.0.0-rc.1', () => {
  expect(isInRange(parseVersion('1.0.0-rc.1'), parseVersionRange('>=1.0.0'))).toBe(false);
});

test('BF-R7 semver_compare of 1.2 and v1.2.0', () => {
  expect(compilePropertyRule("semver_compare('1.2','v1.2.0') == 0").isTrueOf([])).toBe(true);
});

test('properties need type and value, and must not contain what catalogs derive', () => {
  const text = 'properties:\n- value: 1\n- type: a\n- type: olm.package\n  value: {}\n';
  const lines = findingsOf({ ...tideFiles, 'metadata/properties.yaml': text });
  expect(lines.filter((line) => line.startsWith('metadata/properties')).map((line) => line.slice(25, 60))).toEqual([
    expect.stringContaining('2:3 error P1'),
    expect.stringContaining('3:3 error P2'),
    expect.stringContaining('4:3 error P3'),
  ]);
});
