import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../base/index.ts';
import { describeConstraint, isMet, parseConstraint, type Surroundings } from './constraint.ts';
import { readDependencies, readRequiredProperties, unmetDependencies } from './dependency.ts';
import type { Property } from './property.ts';
import { compilePropertyRule } from './property-rule.ts';
import { compareVersions, formatVersion, parseTolerantVersion, parseVersion } from './version.ts';
import { formatRange, isInRange, parseVersionRange } from './version-range.ts';

const inRange = (range: string, version: string): boolean => isInRange(parseVersion(version), parseVersionRange(range));

test.each([
  ['>=1.0.0 <2.0.0 || >=3.0.0', '>=1.0.0 <2.0.0 || >=3.0.0'],
  ['>= 1.0.0', '>=1.0.0'],
  ['1.2.3', '=1.2.3'],
  ['==1.2.3', '=1.2.3'],
  ['!1.2.3', '!=1.2.3'],
  ['1.2.3 - 2.0.0', '=1.2.3 =2.0.0'],
  ['1.2.x', '>=1.2.0 <1.3.0'],
  ['1.x', '>=1.0.0 <2.0.0'],
  ['1.x.x', '>=1.0.0 <1.1.0'],
  ['>1.2.x', '>=1.3.0'],
  ['<=1.2.x', '<1.3.0'],
  ['<1.2.x', '<1.2.0'],
  ['>=1.2.x', '>=1.2.0'],
  ['!=1.2.x', '<1.2.0 >=1.3.0'],
  ['>=1.0.0-x1', '>=1.0.0-x1'],
])('the range %s means %s', (text, meaning) => expect(formatRange(parseVersionRange(text))).toBe(meaning));

test.each([
  ['v1.2.3', 'Could not parse Range "v1.2.3": Could not parse comparator "v" in "v1.2.3"'],
  [
    '>=1.0.0, <2.0.0',
    'Could not parse Range ">=1.0.0,": Could not parse version "1.0.0," in ">=1.0.0,": Invalid character(s) found in patch number "0,"',
  ],
  ['10', 'No Major.Minor.Patch elements found'],
  ['', "Last element in range is '||'"],
  ['1', "Last element in range is '||'"],
  ['|| 1.0.0', "First element in range is '||'"],
  ['1.0.0 ||', "Last element in range is '||'"],
  ['^1.0.0', 'Could not parse Range "^1.0.0": Could not parse comparator "^" in "^1.0.0"'],
  ['latest', 'Could not get version from string: "latest"'],
  ['x'.repeat(5000), 'longer than 4096 characters'],
])('BF-R4 the range %j is refused', (text, message) => expect(() => parseVersionRange(text)).toThrow(message));

test('BF-R1 to BF-R3 wildcards and pre-releases', () => {
  expect([inRange('1.2.x', '1.2.9'), inRange('1.2.x', '1.3.0')]).toEqual([true, false]);
  expect(inRange('<2.0.0', '2.0.0-rc.1')).toBe(true);
  expect(inRange('>=1.0.0', '1.0.0-rc.1')).toBe(false);
  expect(inRange('>=1.0.0 <2.0.0 || >=3.0.0', '3.1.0')).toBe(true);
});

test.each([
  ['v1.2', '1.2.0'],
  [' 1 ', '1.0.0'],
  ['01.02.03', '1.2.3'],
  ['v1.2.3-rc.1+b', '1.2.3-rc.1+b'],
])('BF-R5 the version %j is read as %s', (text, version) =>
  expect(formatVersion(parseTolerantVersion(text))).toBe(version),
);

test.each([
  ['1.2-rc', 'Short version cannot contain PreRelease/Build meta data'],
  ['', 'Invalid character(s) found in major number ""'],
  ['a.b.c', 'Invalid character(s) found in major number "a"'],
])('the version %j is refused even by the tolerant', (text, message) => {
  expect(() => parseTolerantVersion(text)).toThrow(message);
});

test.each([
  ['1.22', 'No Major.Minor.Patch elements found'],
  ['v1.2.3', 'Invalid character(s) found in major number "v1"'],
  ['1.02.3', 'Minor number must not contain leading zeroes "02"'],
  ['1.18446744073709551616.0', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ['1.2.3-18446744073709551616', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ['1.2.3-01', 'Numeric PreRelease version must not contain leading zeroes "01"'],
  ['1.2.3-', 'Prerelease is empty'],
  ['1.2.3+', 'Build meta data is empty'],
  ['1.2.3.4', 'Invalid character(s) found in patch number "3.4"'],
])('BF-R6 the strict version %s is refused', (text, message) => expect(() => parseVersion(text)).toThrow(message));

test('versions in their order', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
    '1.0.1',
    '2.0.0',
  ];
  const shuffled = [...ordered].reverse().map(parseVersion).sort(compareVersions).map(formatVersion);
  expect(shuffled).toEqual(ordered);
  expect(compareVersions(parseVersion('1.0.0+a'), parseVersion('1.0.0+b'))).toBe(0);
  expect(compareVersions(parseVersion('1.0.20260101120000123'), parseVersion('1.0.20260101120000124'))).toBe(-1);
});

test('any version is in the range that names it, and in no range below it', () => {
  const part = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(part, part, part, (major, minor, patch) => {
      const text = `${major}.${minor}.${patch}`;
      expect(formatVersion(parseVersion(text))).toBe(text);
      expect([inRange(text, text), inRange(`<${text}`, text), inRange(`<=${text}`, text)]).toEqual([true, false, true]);
    }),
  );
});

const core: readonly Property[] = [
  { type: 'olm.package', value: { packageName: 'tide-core', version: '1.3.0' } },
  { type: 'olm.gvk', value: { group: 'core.tide.example', version: 'v1', kind: 'Harbour' } },
];

const surroundings: Surroundings = {
  hasPackage: (name, range) => name === 'tide-core' && isInRange(parseVersion('1.3.0'), range),
  hasApi: ({ kind }) => kind === 'Harbour',
  bundles: [[], core],
};

const isTrue = (rule: string, properties: readonly Property[] = core): boolean =>
  compilePropertyRule(rule).isTrueOf(properties);

test('rules look at the properties of one bundle', () => {
  const wants = (version: string): string =>
    `properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'tide-core' && semver_compare(p.value.version, '${version}') >= 0)`;
  expect(isTrue(wants('1.2.0'))).toBe(true);
  expect(isTrue(wants('1.4.0'))).toBe(false);
  expect(isTrue('size(properties) == 2')).toBe(true);
});

test('BF-R7 semver_compare is tolerant', () => expect(isTrue("semver_compare('1.2','v1.2.0') == 0", [])).toBe(true));

test('a rule that does not evaluate to a boolean fails, and one that costs too much is stopped', () => {
  expect(() => isTrue("semver_compare('a', '1.0.0') == 0")).toThrow("unable to parse 'a' to semver format");
  const many = Array.from({ length: 300 }, (_, index) => ({ type: String(index), value: index }));
  const long = 'properties.all(a, properties.all(b, properties.all(c, a.type + b.type + c.type != "")))';
  expect(() => isTrue(long, many)).toThrow(/cost limit/);
});

const constraint = (value: JsonValue): ReturnType<typeof parseConstraint> => parseConstraint(value);
const gvk = (kind: string): JsonValue => ({ gvk: { group: 'core.tide.example', version: 'v1', kind } });
const rangeOf = (versionRange: string): JsonValue => ({ package: { packageName: 'tide-core', versionRange } });

test.each<[string, JsonValue, boolean]>([
  ['an API that is there', gvk('Harbour'), true],
  ['an API that is not', gvk('Boat'), false],
  ['a package in range', rangeOf('>=1.0.0'), true],
  ['a package out of range', rangeOf('>=2.0.0'), false],
  ['all', { all: { constraints: [gvk('Harbour'), rangeOf('1.x')] } }, true],
  ['all but one', { all: { constraints: [gvk('Harbour'), gvk('Boat')] } }, false],
  ['any', { any: { constraints: [gvk('Boat'), gvk('Harbour')] } }, true],
  ['none', { not: { constraints: [gvk('Boat')] } }, true],
  ['not none', { not: { constraints: [gvk('Boat'), gvk('Harbour')] } }, false],
  ['an empty all', { all: { constraints: [] } }, true],
  ['an empty any', { any: { constraints: [] } }, false],
  ['an empty not', { not: { constraints: [] } }, true],
  ['a rule', { cel: { rule: "properties.exists(p, p.type == 'olm.gvk')" } }, true],
])('BF-D8 a constraint is evaluated: %s', (_name, value, result) => {
  expect(isMet(constraint(value), surroundings)).toBe(result);
});

test('describes a constraint', () => {
  const value = { any: { constraints: [gvk('Boat'), rangeOf('1.x')] } };
  expect(describeConstraint(constraint(value))).toBe('any of (API Boat.v1.core.tide.example, package tide-core 1.x)');
});

const nested = (depth: number): JsonValue =>
  depth === 1 ? gvk('Boat') : { all: { constraints: [nested(depth - 1)] } };

test.each<[string, JsonValue, string]>([
  ['BF-D9 none', { none: { constraints: [] } }, 'json: unknown field "none": it is called "not"'],
  ['an empty one', {}, 'constraint is empty'],
  [
    'two kinds',
    { ...(gvk('A') as object), cel: { rule: 'true' } },
    'expected one of gvk, package, all, any, not, cel, found gvk and cel',
  ],
  [
    'BF-D11 a huge one',
    { failureMessage: 'x'.repeat(131_073), ...(gvk('A') as object) },
    'olm.constraint value is greater than max constraint size 131072 bytes',
  ],
  ['a deep one', nested(33), 'nested deeper than 32 levels'],
  [
    'BF-D6 a rule that is no truth value',
    { cel: { rule: '1 + 1' } },
    'Invalid CEL expression: cel expressions must have type Bool',
  ],
  ['BF-D7 an empty rule', { cel: { rule: '' } }, 'The CEL expression is missing'],
  ['a rule that does not compile', { cel: { rule: 'properties.exists(' } }, 'Invalid CEL expression: ERROR: <input>'],
  ['no list', { all: {} }, 'all: expected a list "constraints"'],
])('a bad constraint is refused: %s', (_name, value, message) => expect(() => constraint(value)).toThrow(message));

test('a long rule full of faults is refused in a few words', () => {
  const rule = `properties.exists(p, ${'\ud800'.repeat(500)})`;
  expect(() => constraint({ cel: { rule } })).toThrow(/^[^]{0,3000}\(and more\)$/);
});

test.each<[string, JsonValue, string]>([
  ['BF-D1', { type: 'olm.gvk', value: { version: 'v1', kind: 'A' } }, 'API Group is empty'],
  ['BF-D2', { type: 'olm.package', value: { packageName: 'a', version: '' } }, 'Package version is empty'],
  ['BF-D3', { type: 'olm.package', value: { packageName: 'a', version: 'v1.0.0' } }, 'Invalid semver format version'],
  ['BF-D5', { type: 'olm.label', value: { label: '' } }, 'Label information is missing'],
  ['BF-D10', { type: 'olm.foo', value: {} }, "couldn't parse dependency of type olm.foo"],
  [
    'D9 fields beside type',
    { type: 'olm.package', packageName: 'a', version: '1.0.0' },
    "couldn't parse dependency of type olm.package: packageName, version belong under value",
  ],
  [
    'a value in a string',
    { type: 'olm.package', value: '{"packageName":"a"}' },
    "couldn't parse dependency of type olm.package: value must be a mapping",
  ],
  ['no type', { value: {} }, 'type must be set'],
  ['no object', 7, 'expected an object with type and value'],
])('a bad dependency is reported with its place: %s', (_name, entry, message) => {
  const good = { type: 'olm.package', value: { packageName: 'a', version: '>=1.0.0 <2.0.0 || 3.1.x' } };
  const { dependencies, problems } = readDependencies('dependencies', [good, entry]);
  expect(dependencies).toHaveLength(1);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`dependencies[1]: ${message}`);
});

test('they are optional, limited in number, and must be a list', () => {
  expect(readDependencies('d', null)).toEqual({ dependencies: [], problems: [] });
  expect(readDependencies('d', {}).problems).toEqual(['d: expected a list']);
  expect(
    readDependencies(
      'd',
      Array.from({ length: 257 }, () => null),
    ).problems,
  ).toEqual(['d: 257 entries, more than the limit of 256']);
});

test('properties that require something are dependencies, and unmet ones are reported', () => {
  const { dependencies, problems } = readRequiredProperties('properties', [
    { type: 'acme.flag', value: true },
    { type: 'olm.package.required', value: { packageName: 'tide-core', versionRange: '>=2.0.0' } },
    { type: 'olm.gvk.required', value: { group: 'core.tide.example', version: 'v1', kind: 'Harbour' } },
    { type: 'olm.gvk.required', value: {} },
    {
      type: 'olm.constraint',
      value: { failureMessage: 'needs a boat', gvk: { group: 'b', version: 'v1', kind: 'Boat' } },
    },
  ]);
  expect(problems).toEqual(['properties[3]: API Group is empty']);
  expect(unmetDependencies(dependencies, surroundings)).toEqual([
    'package tide-core >=2.0.0',
    'needs a boat (API Boat.v1.b)',
  ]);
});

test('the rules of a bundle are limited together', () => {
  const rule = `properties.size() > 0${' && true'.repeat(1_000)}`;
  const value = { failureMessage: 'x', cel: { rule } };
  const list = (count: number) => Array.from({ length: count }, (): Property => ({ type: 'olm.constraint', value }));
  expect(readRequiredProperties('properties', list(4)).problems).toEqual([]);
  const { problems } = readRequiredProperties('properties', list(5));
  expect(problems).toEqual([
    expect.stringMatching(/^properties\[4\]: .*the rules of a bundle have more than 32768 characters/),
  ]);
});
