import { expect, test } from 'vitest';
import type { PayloadDirectory } from './manifest.ts';
import { type PayloadFile, readManifests } from './read-manifests.ts';

const values = { releaseImage: 'example.com/release@sha256:1', clusterProfile: 'default', images: new Map() };
const file = (name: string, text: string, directory: PayloadDirectory = 'release-manifests'): PayloadFile => ({
  directory,
  name,
  content: Buffer.from(text),
});
const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

test('the engine comes first, then files in byte order, documents as written', () => {
  const { manifests } = readManifests(
    [
      file('0000_10_b_x.yaml', configMap('b')),
      file('0000_10_a_x.yml', `${configMap('a1')}---\n# nothing\n---\n${configMap('a2')}`),
      file('0000_90_engine_x.json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"e"}}', 'manifests'),
    ],
    values,
  );
  expect(manifests.map(({ key }) => key.name)).toEqual(['e', 'a1', 'a2', 'b']);
});

test('CV-70: files with other extensions are no manifests', () => {
  const { manifests } = readManifests([file('README.md', '{'), file('LICENSE', '{')], values);
  expect(manifests).toEqual([]);
});

test('CV-69: a template with an unknown field is passed over', () => {
  const files = [
    file('0000_00_e_1.yaml', `${configMap('one')}data: {a: "{{.New}}"}`, 'manifests'),
    file('0000_00_e_2.yaml', `${configMap('two')}data: {a: "{{.ReleaseImage}}"}`, 'manifests'),
    file('0000_00_a_1.yaml', `${configMap('three')}data: {a: "{{.New}}"}`),
  ];
  const { manifests, warnings } = readManifests(files, values);
  expect(manifests.map(({ object }) => object['data'])).toEqual([
    { a: 'example.com/release@sha256:1' },
    { a: '{{.New}}' },
  ]);
  expect(warnings).toEqual([
    expect.stringContaining('manifests/0000_00_e_1.yaml: passed over: template action {{.New}}'),
  ]);
});

test('YAML is hashed as sorted JSON with escapes, JSON as written', () => {
  const { manifests } = readManifests(
    [
      file('0000_10_a_1.yaml', 'kind: A\nmetadata: {name: a}\nb: <1>\na: 010\nn: yes\n'),
      file('0000_10_a_2.json', ' {"kind":"A", "metadata":{"name":"b"}}\n'),
    ],
    values,
  );
  expect(manifests.map(({ canonicalText }) => canonicalText)).toEqual([
    String.raw`{"a":8,"b":"\u003c1\u003e","false":true,"kind":"A","metadata":{"name":"a"}}`,
    '{"kind":"A", "metadata":{"name":"b"}}',
  ]);
});

test.each([
  [
    'a list',
    'apiVersion: v1\nkind: List\nitems: []\n',
    'Resource with fields Group: "" Kind: "List" Name: "" must contain kubernetes required fields kind and name',
  ],
  [
    'an object twice',
    `${configMap('a')}---\n${configMap('a')}`,
    'duplicate resource: (Group: "" Kind: "ConfigMap" Name: "a")',
  ],
  ['bad syntax', 'a: [', 'error parsing: document: '],
  ['a text', 'nothing but a text', `unable to decode manifest: Object 'Kind' is missing in '"nothing but a text"'`],
])('%s is refused with the name of its file', (_, text, message) => {
  const read = (): unknown =>
    readManifests([file('0000_10_a_x.yaml', text), file('0000_10_b_x.yaml', configMap('b'))], values);
  expect(read).toThrow('Error loading manifests: parse 0000_10_a_x.yaml: ');
  expect(read).toThrow(message);
});

test('every file with a fault is named, at most twenty', () => {
  const files = Array.from({ length: 30 }, (_, at) => file(`0000_10_a_${String(at).padStart(2, '0')}.yaml`, 'a: ['));
  expect(() => readManifests(files, values)).toThrow(/parse 0000_10_a_00.*parse 0000_10_a_19.*and 10 more\]$/s);
});
