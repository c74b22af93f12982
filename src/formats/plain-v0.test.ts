import { expect, test } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { formatOf } from './index.ts';
import { readManifestFile } from './manifest-file.ts';

const parse = (text: string): JsonObject[] => {
  const objects: JsonObject[] = [];
  readManifestFile('manifests/f', Buffer.from(text), { take: (object) => objects.push(object) });
  return objects;
};
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

test.each([
  {
    name: 'several documents, empty ones left out',
    text: `---\n---\n${JSON.stringify(configMap)}\n---\n# nothing\n`,
    objects: [configMap],
  },
  { name: 'a tag alone, which is no object', text: '!.gitignore\n', objects: [] },
  { name: 'JSON with tabs', text: JSON.stringify(configMap, null, '\t'), objects: [configMap] },
  {
    name: 'lists, flattened',
    text: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [configMap, { apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'b' } }] }],
    }),
    objects: [configMap, { ...configMap, metadata: { name: 'b' } }],
  },
  {
    name: 'text that looks like a template, verbatim',
    text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "{{ .Values }}"}',
    objects: [{ ...configMap, data: { x: '{{ .Values }}' } }],
  },
])('reads $name', ({ text, objects }) => expect(parse(text)).toEqual(objects));

test.each([
  {
    name: 'text that is no map',
    text: '""',
    message:
      'unable to decode "manifests/f": json: cannot unmarshal string into Go value of type unstructured.detector',
  },
  { name: 'plain words', text: 'hello there', message: 'json: cannot unmarshal string into Go value of type' },
  { name: 'a list', text: '- a', message: 'json: cannot unmarshal array into Go value of type' },
  { name: 'a number', text: '7', message: 'json: cannot unmarshal number into Go value of type' },
  {
    name: 'a document without kind',
    text: 'b: 1\na: x',
    message: `unable to decode "manifests/f": Object 'Kind' is missing in '{"a":"x","b":1}'`,
  },
  {
    name: 'bad YAML',
    text: 'a: b: c',
    message: /^error parsing manifests\/f: error converting YAML to JSON: yaml: line 1: [^\n]+$/,
  },
  {
    name: 'the key __proto__',
    text: '{"__proto__": {"kind": "x"}}',
    message: 'error parsing manifests/f: the key "__proto__" is not accepted',
  },
  {
    name: 'alias bombs',
    text: `a: &a [${'x,'.repeat(9)}x]\n${Array.from('bcdefghi')
      .map((c, i) => `${c}: &${c} [${`*${'abcdefgh'[i]},`.repeat(9)}1]`)
      .join('\n')}`,
    message: /^error parsing manifests\/f: aliases expand to more than \d+ nodes$/,
  },
  {
    name: 'deep nesting in JSON',
    text: `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    message: 'error parsing manifests/f: nested deeper than 256 levels',
  },
])('refuses $name', ({ text, message }) => expect(() => parse(text)).toThrow(message));

test('a class without a format is named', () => {
  expect(() => formatOf('my-class')).toThrow('provisioner class "my-class" has no bundle format');
});

test('the name of a file cannot steer a terminal', () => {
  const reader = formatOf('core-rukpak-io-plain').begin('');
  const entry = { kind: 'file', name: 'a\n\u001B[2J.yaml', content: Buffer.from('7') } as const;
  reader.add('manifests', entry);
  expect(() => reader.finish(new Set(['manifests']))).toThrow('unable to decode "manifests/a\\x0a\\x1b[2J.yaml": ');
});

test.each([
  { name: 'its kind', text: 'apiVersion: v1\nKind: Secret\ndata: {a: c2VjcmV0}\nstringData: {b: secret}\n' },
  { name: 'its version', text: 'kind: Secret\nstringData:\n  b: secret\n' },
  { name: 'the kind of its list', text: 'apiVersion: v1\nitems: [{kind: Secret, data: {a: c2VjcmV0}}]\n' },
])('a Secret that lacks $name is shown without its values', ({ text }) => {
  const reader = formatOf('core-rukpak-io-plain').begin('');
  reader.add('manifests', { kind: 'file', name: 's.yaml', content: Buffer.from(text) });
  const finish = (): unknown => reader.finish(new Set(['manifests']));
  expect(finish).toThrow(/ is missing in '.*"(data|stringData)":"\[hidden\]"/);
  expect(finish).not.toThrow(/c2VjcmV0|:"secret"/);
});

test('all faults are one error: of several files, of several documents, of several items', () => {
  const reader = formatOf('core-rukpak-io-plain').begin('');
  const files = {
    'a.yaml': '7\n---\nkind: A\n',
    'aa.yaml': 'a: b: c',
    'b.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ kind: 'C' }, configMap, { kind: 'D' }] }),
  };
  for (const [name, text] of Object.entries(files)) {
    reader.add('manifests', { kind: 'file', name, content: Buffer.from(text) });
  }
  reader.add('manifests', { kind: 'directory', name: 'c' });
  const refused = [
    /^unable to decode "manifests\/a.yaml": json: cannot unmarshal number .* \(manifests\/a.yaml:1:1, written as 7\)$/,
    /^unable to decode "manifests\/a.yaml": Object 'apiVersion' is missing in '\{"kind":"A"\}' \(manifests\/a.yaml:3:1\)$/,
    /^error parsing manifests\/aa.yaml: error converting YAML to JSON: yaml: line 1: /,
    /^unable to decode "manifests\/b.yaml": Object 'apiVersion' is missing in '.*"C".*' /,
    /^unable to decode "manifests\/b.yaml": Object 'apiVersion' is missing in '.*"D".*' /,
    /^subdirectories are not allowed .*: found "manifests\/c"$/,
  ];
  let lines: readonly string[] = [];
  try {
    reader.finish(new Set(['manifests']));
  } catch (thrown) {
    lines = (thrown as Error).message.split('\n');
  }
  expect(lines).toHaveLength(refused.length);
  for (const [index, pattern] of refused.entries()) expect(lines[index]).toMatch(pattern);
});

test('of thousands of faults the first are listed, in a text that fits into a condition', () => {
  const reader = formatOf('core-rukpak-io-plain').begin('');
  const content = Buffer.from(`kind: ${'x'.repeat(900)}\n---\n`.repeat(5000));
  for (const name of ['a.yaml', 'b.yaml']) reader.add('manifests', { kind: 'file', name, content });
  expect(() => reader.finish(new Set(['manifests']))).toThrow(/^(.{1,520}\n){1,20}there may be more$/);
});

test('more values than all manifests of a bundle may have together are refused', () => {
  const text = JSON.stringify({ ...configMap, data: Array.from({ length: 1_200_000 }, () => 1) });
  const read = (names: readonly string[]): unknown => {
    const reader = formatOf('core-rukpak-io-plain').begin('');
    for (const name of names) reader.add('manifests', { kind: 'file', name, content: Buffer.from(text) });
    return reader.finish(new Set(['manifests'])).objects.length;
  };
  expect(read(['a.yaml'])).toBe(1);
  expect(() => read(['a.yaml', 'b.yaml'])).toThrow('more than the limit of 2000000 values');
});
