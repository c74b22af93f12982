import { expect, test } from 'vitest';
import { whyUnknown } from './bundle-facts.ts';
import { readBundleMetadata } from './bundle-metadata.ts';

const registry = 'core-rukpak-io-registry';
const plain = 'core-rukpak-io-plain';

function files(texts: Readonly<Record<string, string>>): ReadonlyMap<string, Buffer> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
}

function problemsOf(name: string, text: string): readonly string[] {
  return readBundleMetadata(files({ [name]: text }), plain).problems;
}

test('content without metadata declares nothing', () => {
  expect(readBundleMetadata(new Map(), plain)).toMatchObject({ problems: [], warnings: [], properties: [] });
});

test('BF-A10 an annotation that is not a string is read as text, and a mapping is refused by its key; BF-A3 so is a missing package', () => {
  const text = `annotations:
  com.redhat.delivery.operator.bundle: true
  com.example.list: [a]
  operators.operatorframework.io.bundle.channels.v1: 1.2
  operators.operatorframework.io.bundle.manifests.v1: {a: b}
`;
  expect(readBundleMetadata(files({ 'annotations.yaml': text }), registry)).toMatchObject({
    problems: [
      'metadata/annotations.yaml: annotation "operators.operatorframework.io.bundle.manifests.v1": expected a string, found a mapping',
      'Missing annotation "operators.operatorframework.io.bundle.package.v1"',
    ],
    warnings: [
      'metadata/annotations.yaml: annotation "operators.operatorframework.io.bundle.channels.v1": expected a string, found 1.2: quote it',
    ],
  });
  expect(problemsOf('annotations.yaml', 'a: b')).toEqual([
    'metadata/annotations.yaml: expected a mapping "annotations"',
  ]);
});

test('a dependencies file that is not YAML is a warning, one with wrong content is refused', () => {
  const broken = files({ 'dependencies.yaml': 'dependencies:\n- type: olm.package\n value: {}\n' });
  const { problems, warnings, properties } = readBundleMetadata(broken, registry);
  expect(problems).toEqual([]);
  expect(whyUnknown(properties)).toContain('metadata/dependencies.yaml: line 3');
  expect(whyUnknown(properties, { 'core.rukpak.io/dependencies': '[]' })).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('metadata/dependencies.yaml')]);
  expect(warnings[0]).toContain('the dependencies of the bundle are unknown and not awaited: correct the file, or set');
  expect(problemsOf('properties.yaml', 'a: [')).toHaveLength(1);
});

test('dependencies become properties of what is required', () => {
  const text = `dependencies:
- {type: olm.package, value: {packageName: core, version: ">=1.0.0"}}
- {type: olm.gvk, value: {group: a.example, version: v1, kind: A}}
- {type: olm.constraint, value: {all: {constraints: []}}}
`;
  expect(readBundleMetadata(files({ 'dependencies.yaml': text }), plain).properties).toEqual([
    { type: 'olm.package.required', value: { packageName: 'core', versionRange: '>=1.0.0' } },
    { type: 'olm.gvk.required', value: { group: 'a.example', version: 'v1', kind: 'A' } },
    { type: 'olm.constraint', value: { all: { constraints: [] } } },
  ]);
});

test.each([
  [
    '- {type: olm.foo, value: {}}',
    "couldn't parse dependency of type olm.foo: expected one of olm.package, olm.gvk, olm.constraint",
  ],
  ['- {type: olm.gvk, value: {version: v1, kind: A}}', 'API Group is empty'],
  ['- {type: olm.package, value: {packageName: a, version: ""}}', 'Package version is empty'],
  [
    '- {type: olm.constraint, value: {cel: {rule: "1 + 1"}}}',
    'Invalid CEL expression: cel expressions must have type Bool',
  ],
  [
    '- {type: olm.constraint, value: {package: {}, gvk: {}}}',
    'expected one of gvk, package, all, any, not, cel, found gvk and package',
  ],
])('refuses the dependency %s', (entry, text) => {
  expect(problemsOf('dependencies.yaml', `dependencies:\n${entry}`)).toEqual([
    `metadata/dependencies.yaml: dependencies[0]: ${text}`,
  ]);
});

test('more requirements among properties than there may be dependencies are refused, other properties do not count', () => {
  const constraint = '- {type: olm.constraint, value: {cel: {rule: "false"}}}\n';
  const other = '- {type: olm.gvk, value: {group: a, version: v1, kind: A}}\n'.repeat(300);
  expect(problemsOf('properties.yaml', `properties:\n${other}${constraint.repeat(257)}`)).toEqual([
    'metadata/properties.yaml: properties: dependencies: 257 entries, more than the limit of 256',
  ]);
  expect(problemsOf('properties.yaml', `properties:\n${other}${constraint.repeat(256)}`)).toEqual([]);
});

test('ten thousand entries, and trees deeper than eight, are refused', () => {
  const many = '- {type: olm.gvk, value: {group: a, version: v1, kind: A}}\n'.repeat(10_000);
  expect(problemsOf('dependencies.yaml', `dependencies:\n${many}`)).toEqual([
    'metadata/dependencies.yaml: dependencies: 10000 entries, more than the limit of 256',
  ]);
  const deep = `${'{all: {constraints: ['.repeat(9)}${']}}'.repeat(9)}`;
  expect(problemsOf('dependencies.yaml', `dependencies: [{type: olm.constraint, value: ${deep}}]`)).toEqual([
    'metadata/dependencies.yaml: dependencies[0]: nested deeper than 8 levels',
  ]);
});

test('properties without type or value are refused by their place, and so is what they require', () => {
  const text = `properties:
- {value: 1}
- {type: a}
- {type: olm.package, value: {packageName: own, version: 1.0.0}}
- {type: olm.package.required, value: {packageName: core, versionRange: "v1"}}
`;
  const { problems } = readBundleMetadata(files({ 'properties.yaml': text }), plain);
  expect(problems).toHaveLength(3);
  expect(problems.slice(0, 2)).toEqual([
    'metadata/properties.yaml: properties[0]: type must be set',
    'metadata/properties.yaml: properties[1]: value must be set',
  ]);
  expect(problems[2]).toContain('Invalid semver format version');
});

test('a file that is not YAML is named', () => {
  expect(problemsOf('properties.yaml', 'a: [')[0]).toContain('metadata/properties.yaml');
});

test('of very many problems the first are reported, and how many there are', () => {
  const problems = problemsOf('properties.yaml', `[${'1,'.repeat(499)}1]`);
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)).toBe('400 more problems');
});
