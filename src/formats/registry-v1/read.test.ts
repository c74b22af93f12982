import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type BundleFiles, readRegistryBundle } from './read.ts';
import type { RegistryBundle } from './registry-bundle.ts';

const read = (
  manifests: readonly (JsonObject | string)[],
  metadata: Readonly<Record<string, JsonObject | string>> = {},
): RegistryBundle => readRegistryBundle(registryFiles(manifests, metadata));

const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

test('RV-P1 without metadata/annotations.yaml nothing is read', () => {
  const { manifests } = registryFiles([acmeCsv()]);
  expect(() => readRegistryBundle({ manifests, metadata: [] })).toThrow(
    'open metadata/annotations.yaml: no such file or directory',
  );
});

test('RV-P2 annotations that name no package are read', () => {
  expect(read([acmeCsv()], { 'annotations.yaml': 'annotations: {a: b}' }).packageName).toBe('');
});

test('RV-P3 a directory in manifests is refused', () => {
  const files: BundleFiles = { ...registryFiles([]), manifests: [{ kind: 'directory', name: 'sub' }] };
  expect(() => readRegistryBundle(files)).toThrow(
    'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/sub"',
  );
});

test('a bundle without manifests is refused', () => {
  expect(() => readRegistryBundle({ ...registryFiles([]), manifests: undefined })).toThrow(
    'stat manifests: no such file or directory',
  );
});

test('RV-P4 prose among the manifests is refused by file', () => {
  expect(() => read([acmeCsv(), '# Readme\n\nInstall it.'])).toThrow(
    'error parsing objects in "manifests/1.yaml": unable to decode "manifests/1.yaml"',
  );
});

test('RV-P5 several documents in a file, empty ones left out', () => {
  const text = `---\n${JSON.stringify(configMap('a'))}\n---\n# nothing\n---\n${JSON.stringify(configMap('b'))}\n`;
  expect(read([acmeCsv(), text]).others.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
});

test('RV-P6 a list is its items', () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [configMap('a'), configMap('b')] };
  expect(read([acmeCsv(), list]).others).toEqual([configMap('a'), configMap('b')]);
});

test('RV-P7, RV-P8 exactly one ClusterServiceVersion is needed', () => {
  expect(() => read([configMap('a')])).toThrow('no ClusterServiceVersion found in "manifests"');
  const second = acmeCsv({}, { name: 'acme-widget.v2.0.0' });
  expect(() => read([acmeCsv(), second])).toThrow(
    'bundle contains 2 ClusterServiceVersions: "acme-widget.v1.2.3", "acme-widget.v2.0.0"',
  );
});

const propertiesOf = ({ csv }: RegistryBundle): string | undefined => csv.metadata.annotations?.['olm.properties'];

test('RV-P9 properties of the file come behind those of the annotation, keys sorted, some characters escaped', () => {
  const annotations = { 'olm.properties': '[{"type":"olm.maxOpenShiftVersion","value":"4.20"}]' };
  const file = 'properties: [{type: acme.flags, value: {b: "x<y", a: 1}}]';
  expect(propertiesOf(read([acmeCsv({}, { annotations })], { 'properties.yaml': file }))).toBe(
    '[{"type":"olm.maxOpenShiftVersion","value":"4.20"},{"type":"acme.flags","value":{"a":1,"b":"x\\u003cy"}}]',
  );
});

test.for([
  ['no file leaves the annotation as it is written', undefined, ' [ ] ', ' [ ] '],
  ['an empty file counts as none', '', ' [ ] ', ' [ ] '],
  ['a file without properties and no annotation make null', 'dependencies: []', undefined, 'null'],
  ['a file without properties and an empty annotation make an empty list', 'dependencies: []', '[]', '[]'],
])('properties: %s', ([_name, file, annotation, result]) => {
  const annotations = annotation === undefined ? {} : { 'olm.properties': annotation };
  const files = file === undefined ? {} : { 'properties.yaml': file };
  expect(propertiesOf(read([acmeCsv({}, { annotations })], files as Record<string, string>))).toBe(result);
});

test('RV-P10 an annotation of properties that is no JSON is refused, file or not', () => {
  expect(() => read([acmeCsv({}, { annotations: { 'olm.properties': '{' } })])).toThrow(
    /^failed to unmarshal csv\.metadata\.annotations\['olm\.properties'\]: /,
  );
});

test('a properties file that is no list is refused', () => {
  expect(() => read([acmeCsv()], { 'properties.yaml': 'properties: 7' })).toThrow(
    /^failed to unmarshal metadata\/properties\.yaml: /,
  );
});

test.each<[string, JsonObject, string]>([
  ['a string for a list', { installModes: 'all' }, 'spec.installModes: expected a list, found the string "all"'],
  [
    'a number for a name',
    { install: { strategy: 'deployment', spec: { deployments: [{ name: 7, spec: {} }] } } },
    'spec.install.spec.deployments[0].name: expected a string, found the number 7',
  ],
  [
    'a fraction for replicas',
    { install: { strategy: 'deployment', spec: { deployments: [{ name: 'a', spec: { replicas: 1.5 } }] } } },
    'spec.install.spec.deployments[0].spec.replicas: expected a whole number of 32 bits, found the number 1.5',
  ],
  [
    'a list for labels',
    { install: { strategy: 'deployment', spec: { deployments: [{ name: 'a', spec: {}, label: [] }] } } },
    'spec.install.spec.deployments[0].label: expected an object, found a list',
  ],
])('%s names file, field, what was expected and what was found', (_name, spec, text) => {
  expect(() => read([acmeCsv(spec)])).toThrow(`error parsing objects in "manifests/0.yaml": ${text}`);
});

test('unknown fields are dropped, and what is empty is written as a typed program writes it', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.b', surprise: true },
    spec: {
      group: 'b',
      names: { kind: 'A', plural: 'a' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', description: '', properties: { x: { minimum: 0, nullable: false } } },
          },
        },
      ],
    },
    status: { conditions: [] },
  };
  const [read1] = read([acmeCsv(), crd]).crds;
  expect(read1?.metadata).toEqual({ name: 'a.b' });
  expect(read1).not.toHaveProperty('status');
  expect(JSON.stringify(read1)).toContain('"openAPIV3Schema":{"properties":{"x":{"minimum":0}},"type":"object"}');
});

test('a byte order mark and Windows line ends do no harm', () => {
  const annotations = '\uFEFFannotations:\r\n  operators.operatorframework.io.bundle.package.v1: tide\r\n';
  expect(read([acmeCsv()], { 'annotations.yaml': annotations }).packageName).toBe('tide');
});

const pod = (members: string): string =>
  `  install:\n    spec:\n      deployments:\n      - name: a\n        spec:\n          template: {spec: {${members}}}\n`;
const csvText = (spec: string): string =>
  `apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1}\nspec:\n${spec}`;

test.each<[string, string, string]>([
  [
    'a list for a map',
    csvText('  installModes: []\n  customresourcedefinitions: []\n'),
    '"manifests/0.yaml": spec.customresourcedefinitions: expected an object, found a list (manifests/0.yaml:6:3)',
  ],
  [
    'a number in a list of texts of the second document',
    `kind: ConfigMap\n---\n${csvText('  keywords:\n  - a\n  - 1.10\n')}`,
    'spec.keywords[1]: expected a string, found the number 1.1: put it in quotes (manifests/0.yaml:9:5, written as 1.10)',
  ],
  [
    'an item of a list without kind',
    'apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n- metadata: {}\n',
    `unable to decode "manifests/0.yaml": Object 'Kind' is missing in '{"metadata":{}}' (manifests/0.yaml:5:3)`,
  ],
  [
    'an unclosed quote',
    csvText('  description: "open\n'),
    /error converting YAML to JSON: yaml: line 6: .* \(manifests\/0\.yaml:6:1\)$/ as unknown as string,
  ],
])('%s: an error with file, line and column', (_name, manifest, text) => {
  expect(() => read([manifest])).toThrow(text);
});

test('RV-P6 what has items is a list, whatever its kind', () => {
  const read1 = read([acmeCsv(), { apiVersion: 'v1', kind: 'ConfigMap', items: [{ metadata: { name: 'a' } }] }]);
  expect(read1.others).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
  expect(() => read([acmeCsv(), { apiVersion: 'v1', kind: 'Basket', items: 'eggs' }])).toThrow(
    'unable to decode "manifests/1.yaml": items: expected a list, found string (manifests/1.yaml:1:',
  );
});

test.each(['annotations.yaml', 'properties.yaml'])('metadata/%s of more than 1 MiB is refused unread', (name) => {
  expect(() => read([acmeCsv()], { [name]: `a: ${'x'.repeat(2 ** 20)}` })).toThrow(
    `metadata/${name}: 1048579 bytes, more than the limit of 1048576 bytes`,
  );
});

test.each<[string, JsonObject, string]>([
  [
    'a version that is no text',
    { ...configMap('a'), apiVersion: { toString: 'x' } },
    'apiVersion: expected a string, found an object',
  ],
  [
    'a name that is no text',
    { ...configMap('a'), metadata: { name: 7 } },
    'metadata.name: expected a string, found the number 7',
  ],
  [
    'a label that is no text',
    { ...configMap('a'), metadata: { name: 'a', labels: { b: true } } },
    'metadata.labels.b: expected a string, found the boolean true: put it in quotes (manifests/1.yaml:1:',
  ],
])('%s is refused by file and path', (_name, manifest, text) => {
  expect(() => read([acmeCsv(), manifest])).toThrow(`error parsing objects in "manifests/1.yaml": ${text}`);
});

test('a version that is left empty counts as missing', () => {
  expect(read([acmeCsv(), 'apiVersion:\nkind: ConfigMap\nmetadata: {name: a}\n']).others).toHaveLength(1);
});

test.each<[string, string, string]>([
  [
    'a word that YAML 1.1 reads as true',
    '  displayName: yes\n',
    'the boolean true: put it in quotes (manifests/0.yaml:5:3, written as yes)',
  ],
  [
    'a number of more than 64 bits',
    pod('terminationGracePeriodSeconds: 99999999999999999999'),
    ', written as 99999999999999999999)',
  ],
  ['a number of more than 32 bits', pod('priority: 3000000000'), 'found the number 3000000000 (manifests/0.yaml:10:'],
  [
    'a quantity that is none',
    pod('overhead: {cpu: 100mm}'),
    'a quantity, such as 100m or 1.5Gi, found the string "100mm" (manifests',
  ],
  [
    'a Helm template',
    '  version: {{ .Values.version }}\n',
    'line 5: invalid map key: a mapping cannot be a key; "{{ … }}" looks like a Helm template: render it first, for instance with helm template (manifests/0.yaml:5:12)',
  ],
  ['a tab', '\tversion: 1.0.0\n', 'tab characters must not be used in indentation (manifests/0.yaml:5:1)'],
  [
    'a boolean in quotes',
    '  installModes: [{type: AllNamespaces, supported: "true"}]\n',
    '.supported: expected true or false, found the string "true" (manifests/0.yaml:5:',
  ],
])('%s in a ClusterServiceVersion: reported as written, with its place', (_name, spec, text) => {
  expect(() => read([csvText(spec)])).toThrow(text);
});

test.each<[string, string]>([
  ['a text in quotes that goes on with less indentation', '  description: "one\n  two"\n'],
  ['merge keys', '  labels: &a {a: b}\n  annotations: {<<: *a}\n'],
  ['null for what may be left out', '  keywords: null\n  description:\n'],
  ['quantities of every form', pod('overhead: {a: 1, b: 1.5, c: "1e3", d: .5Gi, e: 100m, f: "-1"}')],
])('%s: read as Kubernetes reads it', (_name, spec) => {
  expect(read([csvText(spec)]).csv.metadata.name).toBe('a.v1');
});

test('of two members of one name the last one counts, as for every tool that reads bundles', () => {
  const files = registryFiles([acmeCsv()], {
    'annotations.yaml':
      'annotations:\n  operators.operatorframework.io.bundle.package.v1: a\n  operators.operatorframework.io.bundle.package.v1: b\n',
  });
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1", b: "2"}\ndata: {a: "3"}\n';
  const extra = { kind: 'file' as const, name: 'z.yaml', content: Buffer.from(config) };
  const bundle = readRegistryBundle({ ...files, manifests: [...(files.manifests ?? []), extra] });
  expect(bundle.packageName).toBe('b');
  expect(bundle.others.map(({ data }) => data)).toEqual([{ a: '3' }]);
});

test.each(['!.gitignore', '# all\n!.gitignore\n', '!!null', '---\n'])('the file %j holds no object', (text) => {
  const files = registryFiles([acmeCsv()]);
  const extra = { kind: 'file' as const, name: '.gitignore', content: Buffer.from(text) };
  expect(readRegistryBundle({ ...files, manifests: [...(files.manifests ?? []), extra] }).others).toEqual([]);
});

test('a package name that is a number is read as text', () => {
  const annotations = 'annotations:\n  operators.operatorframework.io.bundle.package.v1: 12\n';
  expect(readRegistryBundle(registryFiles([acmeCsv()], { 'annotations.yaml': annotations })).packageName).toBe('12');
});
