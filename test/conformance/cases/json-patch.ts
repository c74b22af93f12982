import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { configMap, jsonPatch, mergePatch, pathOf, podTemplate, withoutPatched } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const data: JsonObject = { a: '1', b: '2' };
const annotations: JsonObject = { 'example.com/c': '3', d: '4' };

interface Row {
  readonly name: string;
  readonly ops: JsonValue;
}

const add = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });
const op = (name: string, path: string, rest: JsonObject = {}): JsonObject => ({ op: name, path, ...rest });

const rows: readonly Row[] = [
  { name: 'adds a member', ops: [add('/data/x', 'y')] },
  { name: 'adds over a member', ops: [add('/data/a', 'y')] },
  { name: 'adds below an absent parent', ops: [add('/binaryData/x', 'AA==')] },
  { name: 'adds a whole map', ops: [add('/metadata/labels', { x: 'y' })] },
  { name: 'adds without a value', ops: [op('add', '/data/x')] },
  { name: 'adds null', ops: [add('/data/x', null)] },
  { name: 'removes', ops: [op('remove', '/data/a')] },
  { name: 'removes what is absent', ops: [op('remove', '/data/x')] },
  { name: 'removes below what is absent', ops: [op('remove', '/x/y')] },
  { name: 'replaces', ops: [op('replace', '/data/a', { value: '9' })] },
  { name: 'replaces what is absent', ops: [op('replace', '/data/x', { value: '9' })] },
  { name: 'replaces without a value', ops: [op('replace', '/data/a')] },
  { name: 'moves', ops: [op('move', '/data/x', { from: '/data/a' })] },
  { name: 'moves what is absent', ops: [op('move', '/data/x', { from: '/data/y' })] },
  { name: 'moves without from', ops: [op('move', '/data/x')] },
  { name: 'copies', ops: [op('copy', '/data/x', { from: '/data/a' })] },
  { name: 'copies what is absent', ops: [op('copy', '/data/x', { from: '/data/y' })] },
  { name: 'tests and goes on', ops: [op('test', '/data/a', { value: '1' }), op('remove', '/data/a')] },
  { name: 'W113 tests and fails', ops: [op('test', '/data/a', { value: '2' }), op('remove', '/data/a')] },
  { name: 'W113 tests what is absent', ops: [op('test', '/data/x', { value: '2' })] },
  { name: 'tests that a member is absent', ops: [op('test', '/data/x', { value: null })] },
  { name: 'tests below what is absent', ops: [op('test', '/x/y', { value: null })] },
  { name: 'tests a map', ops: [op('test', '/data', { value: data })] },
  { name: 'reads escapes', ops: [op('remove', '/metadata/annotations/example.com~1c')] },
  { name: 'reads escapes that are none', ops: [op('remove', '/metadata/annotations/d~2')] },
  { name: 'reads an escaped tilde', ops: [add('/metadata/annotations/d~01', 'x')] },
  { name: 'refuses an unknown operation', ops: [op('spam', '/data/a')] },
  { name: 'refuses an operation without op', ops: [{ path: '/data/a' }] },
  { name: 'refuses an operation without path', ops: [{ op: 'remove' }] },
  { name: 'refuses a path that does not start with a slash', ops: [op('remove', 'data/a')] },
  { name: 'refuses an op that is no text', ops: [{ op: 1, path: '/data/a' }] },
  { name: 'refuses a path that is no text', ops: [{ op: 'remove', path: 1 }] },
  { name: 'refuses an operation that is no object', ops: ['x'] },
  { name: 'refuses null among the operations', ops: [null] },
  { name: 'refuses a patch that is no list', ops: { op: 'remove', path: '/data/a' } },
  { name: 'refuses a patch that is a text', ops: 'x' },
  { name: 'takes an empty list', ops: [] },
  { name: 'takes null', ops: null },
  { name: 'replaces the whole document', ops: [op('replace', '', { value: configMap('a', { data: { z: '1' } }) })] },
  { name: 'replaces the whole document by a text', ops: [op('replace', '', { value: 'x' })] },
  { name: 'adds the whole document', ops: [add('', configMap('a', { data: { z: '1' } }))] },
  { name: 'removes the whole document', ops: [op('remove', '')] },
  { name: 'adds a text as a number', ops: [add('/data/x', 1)] },
  { name: 'renames', ops: [op('replace', '/metadata/name', { value: 'b' })] },
  { name: 'removes the name', ops: [op('remove', '/metadata/name')] },
  { name: 'changes the kind', ops: [op('replace', '/kind', { value: 'Endpoints' })] },
  { name: 'changes the version', ops: [op('replace', '/apiVersion', { value: 'v2' })] },
  { name: 'removes the kind', ops: [op('remove', '/kind')] },
  { name: 'removes metadata', ops: [op('remove', '/metadata')] },
  { name: 'sets a stale version', ops: [op('replace', '/metadata/resourceVersion', { value: '1' })] },
  { name: 'leaves all as it was when a later operation fails', ops: [add('/data/x', 'y'), op('remove', '/nope')] },
];

const containers = [
  { name: 'a', image: 'a', command: ['x', 'y', 'z'] },
  { name: 'b', image: 'b' },
];
const at = '/template/spec/containers';

const listRows: readonly Row[] = [
  { name: 'adds at the end', ops: [add(`${at}/-`, { name: 'c', image: 'c' })] },
  { name: 'inserts', ops: [add(`${at}/0`, { name: 'c', image: 'c' })] },
  { name: 'inserts behind the last', ops: [add(`${at}/2`, { name: 'c', image: 'c' })] },
  { name: 'inserts beyond the end', ops: [add(`${at}/3`, { name: 'c', image: 'c' })] },
  { name: 'inserts at a negative index', ops: [add(`${at}/-1`, { name: 'c', image: 'c' })] },
  { name: 'inserts far below zero', ops: [add(`${at}/-9`, { name: 'c', image: 'c' })] },
  { name: 'inserts at no number', ops: [add(`${at}/x`, { name: 'c', image: 'c' })] },
  { name: 'inserts at a number with zeros', ops: [add(`${at}/01`, { name: 'c', image: 'c' })] },
  { name: 'removes an item', ops: [op('remove', `${at}/0`)] },
  { name: 'removes the last by a negative index', ops: [op('remove', `${at}/-1`)] },
  { name: 'removes beyond the end', ops: [op('remove', `${at}/2`)] },
  { name: 'removes the end', ops: [op('remove', `${at}/-`)] },
  { name: 'replaces an item', ops: [op('replace', `${at}/1`, { value: { name: 'c', image: 'c' } })] },
  { name: 'replaces at a negative index', ops: [op('replace', `${at}/-1`, { value: { name: 'c', image: 'c' } })] },
  { name: 'replaces beyond the end', ops: [op('replace', `${at}/5`, { value: {} })] },
  { name: 'replaces the end', ops: [op('replace', `${at}/-`, { value: { name: 'c', image: 'c' } })] },
  { name: 'moves within a list', ops: [op('move', `${at}/0/command/2`, { from: `${at}/0/command/0` })] },
  { name: 'copies within a list', ops: [op('copy', `${at}/0/command/-`, { from: `${at}/0/command/0` })] },
  {
    name: 'copies an item and changes the copy',
    ops: [op('copy', `${at}/-`, { from: `${at}/0` }), op('replace', `${at}/2/name`, { value: 'c' })],
  },
  {
    name: 'tests an item',
    ops: [op('test', `${at}/1/name`, { value: 'b' }), op('test', `${at}/-1/name`, { value: 'b' })],
  },
  { name: 'tests beyond the end', ops: [op('test', `${at}/7`, { value: null })] },
  { name: 'walks through a text', ops: [op('remove', `${at}/0/name/x`)] },
];

/** JSON patch and merge patch. */
export const cases: Area = area('JSON patch and merge patch', (it) => {
  for (const { name, ops } of rows) {
    it(`JSON patch: ${name}`, async (api) => {
      await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data, metadata: { annotations } }) });
      const path = pathOf(api, 'configmaps', 'a');
      await api.ask('PATCH', path, { body: ops, contentType: jsonPatch, keep: withoutPatched });
      await api.ask('GET', path, { keep: (body) => (body as JsonObject)['data'] });
    });
  }

  for (const { name, ops } of listRows) {
    it(`JSON patch of a list: ${name}`, async (api) => {
      await api.setUp('POST', pathOf(api, 'podtemplates'), { body: podTemplate('a', { containers }) });
      await api.ask('PATCH', pathOf(api, 'podtemplates', 'a'), {
        body: ops,
        contentType: jsonPatch,
        keep: withoutPatched,
      });
    });
  }

  it('W114 limits the operations of a JSON patch', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data }) });
    const path = pathOf(api, 'configmaps', 'a');
    for (const count of [10_000, 10_001]) {
      const ops = Array.from({ length: count }, () => op('test', '/data/a', { value: '1' }));
      await api.ask('PATCH', path, { body: ops, contentType: jsonPatch, keep: withoutPatched });
    }
  });

  it('refuses patches that are no JSON', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data }) });
    const path = pathOf(api, 'configmaps', 'a');
    for (const rawBody of ['', '{', 'x', '[', '{"a":1} x', 'null', '[]', '"x"', '1', '{"data":']) {
      await api.ask('PATCH', path, { rawBody, contentType: jsonPatch, keep: withoutPatched });
      await api.ask('PATCH', path, { rawBody, contentType: mergePatch });
    }
  });

  const merges: readonly JsonValue[] = [
    { data: { a: null } },
    { data: { a: '9', x: 'y' } },
    { data: null },
    { data: {} },
    { data: { a: null, b: null } },
    { metadata: { labels: { a: null } } },
    { metadata: { labels: null, annotations: { a: 'b' } } },
    { metadata: { finalizers: ['a/b'] } },
    { metadata: { finalizers: [] } },
    { metadata: { name: null } },
    { metadata: { uid: null, creationTimestamp: null, resourceVersion: null } },
    { metadata: { managedFields: null } },
    { nothing: null },
    { data: { x: { y: null } } },
    { binaryData: { x: 'AA==' }, data: { a: '9' } },
    { immutable: true },
    { kind: null },
  ];
  for (const patch of merges) {
    it(`merge patch: ${JSON.stringify(patch)}`, async (api) => {
      const metadata = { labels: { a: 'b' }, finalizers: ['c/d'] };
      await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data, metadata }) });
      const path = pathOf(api, 'configmaps', 'a');
      await api.ask('PATCH', path, { body: patch, contentType: mergePatch, keep: withoutPatched });
      await api.setUp('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    });
  }

  it('merge patch: replaces lists, merges maps deep inside', async (api) => {
    await api.setUp('POST', pathOf(api, 'podtemplates'), {
      body: podTemplate('a', { containers, nodeSelector: { a: 'b' } }),
    });
    const path = pathOf(api, 'podtemplates', 'a');
    await api.ask('PATCH', path, {
      body: { template: { spec: { containers: [{ name: 'c', image: 'c' }] } } },
      contentType: mergePatch,
    });
    await api.ask('PATCH', path, {
      body: { template: { spec: { nodeSelector: { c: 'd', a: null } } } },
      contentType: mergePatch,
    });
    await api.ask('PATCH', path, { body: { template: { spec: 'x' } }, contentType: mergePatch, keep: withoutPatched });
  });
});
