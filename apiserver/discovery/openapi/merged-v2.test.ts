import { expect, test } from 'vitest';
import { convertToV3 } from './converted-v3.ts';
import { mergeDocumentV2 } from './merged-v2.ts';

const ref = (name: string): { $ref: string } => ({ $ref: `#/definitions/${name}` });
const own = { swagger: '2.0', info: { title: 'Kubernetes', version: '1' }, paths: {}, definitions: {} };
const example = { group: 'example.com', version: 'v1' };
const root = '/apis/example.com/v1';

function answering(name: string): { get: { responses: { 200: { description: string; schema: { $ref: string } } } } } {
  return { get: { responses: { 200: { description: 'OK', schema: ref(name) } } } };
}

test('paths of the group and version are added, with the definitions that they need', () => {
  const extension = {
    paths: {
      [`${root}/widgets`]: answering('List'),
      '/apis/other.example.com/v1/things': answering('Thing'),
      '/apis/example.com/v1beta1/widgets': answering('Thing'),
    },
    definitions: {
      List: { properties: { items: ref('Widget') } },
      Widget: { type: 'object' },
      Thing: { type: 'object' },
    },
  };
  const { paths, definitions } = mergeDocumentV2(own, extension, example);
  expect(Object.keys(paths ?? {})).toEqual([`${root}/widgets`]);
  expect(Object.keys(definitions ?? {})).toEqual(['List', 'Widget']);
});

test('a definition whose name is taken by another is renamed, an equal one is shared', () => {
  const document = { ...own, definitions: { Meta: { type: 'object' }, Same: { type: 'string' } } };
  const extension = {
    paths: { [`${root}/widgets`]: answering('Widget') },
    definitions: {
      Widget: { properties: { metadata: ref('Meta'), same: ref('Same') } },
      Meta: { type: 'string' },
      Same: { type: 'string' },
    },
  };
  expect(mergeDocumentV2(document, extension, example)['definitions']).toEqual({
    Meta: { type: 'object' },
    Meta_v2: { type: 'string' },
    Same: { type: 'string' },
    Widget: { properties: { metadata: ref('Meta_v2'), same: ref('Same') } },
  });
});

test('definitions that refer to themselves or to nothing end', () => {
  const extension = {
    paths: { [`${root}/a`]: answering('A') },
    definitions: { A: { items: ref('A'), not: ref('B') } },
  };
  expect(mergeDocumentV2(own, extension, example)['definitions']).toEqual({ A: { items: ref('A'), not: ref('B') } });
});

test('a definition stands for kinds of its own group alone', () => {
  const kinds = [
    { group: 'apps', version: 'v1', kind: 'Deployment' },
    { ...example, kind: 'A' },
  ];
  const definition = { type: 'object', 'x-kubernetes-group-version-kind': kinds };
  const extension = { paths: { [`${root}/a`]: answering('A') }, definitions: { A: definition } };
  const expected = { type: 'object', 'x-kubernetes-group-version-kind': kinds.slice(1) };
  expect(mergeDocumentV2(own, extension, example)['definitions']).toEqual({ A: expected });
});

test.each([
  ['responses', { paths: { [`${root}/a`]: { get: { responses: 7 } } }, definitions: {} }],
  ['a parameter', { paths: { [`${root}/a`]: { get: { parameters: ['x'] } } }, definitions: {} }],
  ['a schema', { paths: { [`${root}/a`]: answering('A') }, definitions: { A: { properties: { b: [] } } } }],
  ['a definition', { paths: { [`${root}/a`]: answering('A') }, definitions: { A: 'text' } }],
])('a document in which %s is none is left out', (_what, extension) => {
  expect(mergeDocumentV2(own, extension, example)).toEqual(own);
});

test('OpenAPI 2 becomes OpenAPI 3', () => {
  const document = {
    paths: { [`${root}/a`]: answering('A'), '/other/a': answering('A') },
    definitions: { A: { items: ref('A') } },
  };
  const { paths, components } = convertToV3(document, root);
  const schema = { $ref: '#/components/schemas/A' };
  const response = { description: 'OK', content: { 'application/json': { schema } } };
  expect(paths).toEqual({ [`${root}/a`]: { get: { responses: { 200: response } } } });
  expect(components).toEqual({ schemas: { A: { items: schema } } });
});

test('definitions that lead to one another in a very long row are all read', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `D${index}`);
  const definitions = Object.fromEntries(names.map((name, index) => [name, ref(names[index + 1] ?? name)]));
  const extension = { paths: { [`${root}/widgets`]: answering('D0') }, definitions };
  const { definitions: merged } = mergeDocumentV2(own, extension, example);
  expect(Object.keys(merged ?? {})).toHaveLength(names.length);
});
