import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from './index.ts';

const rejected = 'the server rejected our request due to an error in our request';

describe('applyJsonPatch', () => {
  const document = { metadata: { name: 'a', annotations: { 'x/y': '1' } }, list: [1, 2, 3] };

  test.each([
    ['adds', [{ op: 'add', path: '/metadata/annotations/a~1b', value: 'c' }], { 'x/y': '1', 'a/b': 'c' }],
    ['removes', [{ op: 'remove', path: '/metadata/annotations/x~1y' }], {}],
    [
      'tests and replaces',
      [
        { op: 'test', path: '/list/0', value: 1 },
        { op: 'replace', path: '/metadata/annotations', value: { z: '1' } },
      ],
      { z: '1' },
    ],
    ['moves', [{ op: 'move', from: '/metadata/annotations/x~1y', path: '/metadata/annotations/w' }], { w: '1' }],
  ])('%s', (_name, patch, annotations) => {
    expect(applyJsonPatch(document, patch)['metadata']).toEqual({ name: 'a', annotations });
    expect(document.metadata.annotations).toEqual({ 'x/y': '1' });
  });

  test('inserts, appends and counts from the end in lists', () => {
    const patch = [
      { op: 'add', path: '/list/0', value: 0 },
      { op: 'add', path: '/list/-', value: 4 },
      { op: 'remove', path: '/list/-2' },
      { op: 'copy', from: '/list/0', path: '/list/1' },
    ];
    expect(applyJsonPatch(document, patch)['list']).toEqual([0, 0, 1, 2, 4]);
    expect(document.list).toEqual([1, 2, 3]);
  });

  test.each<[string, JsonValue[]]>([
    ['an absent parent', [{ op: 'add', path: '/a/b', value: 1 }]],
    ['removing what is absent', [{ op: 'remove', path: '/a' }]],
    ['replacing an item that is absent', [{ op: 'replace', path: '/list/3', value: 1 }]],
    ['a failed test', [{ op: 'test', path: '/list/0', value: 2 }]],
    ['an unknown operation', [{ op: 'merge', path: '/list' }]],
    ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }]],
    ['an operation without a path', [{ op: 'add', value: 1 }]],
    ['an index beyond the end', [{ op: 'add', path: '/list/4', value: 1 }]],
    ['a prototype key', [{ op: 'add', path: '/__proto__', value: {} }]],
    ['reading below a prototype', [{ op: 'copy', from: '/constructor/name', path: '/a' }]],
    ['a document that is no object', [{ op: 'replace', path: '', value: [] }]],
    ['a copy bomb', Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/list', path: `/list/${index}` }))],
    [
      'a depth bomb',
      Array.from({ length: 300 }, (_, depth) => ({ op: 'add', path: '/d'.repeat(depth + 1), value: {} })),
    ],
  ])('refuses %s', (_name, patch) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(rejected);
  });

  test('refuses to move the items of a very long list ten thousand times', () => {
    const long = { list: Array.from({ length: 100_000 }, () => 1) };
    const moves = Array.from({ length: 10_000 }, () => ({ op: 'move', from: '/list/0', path: '/list/0' }));
    expect(() => applyJsonPatch(long, moves)).toThrow(rejected);
    expect(applyJsonPatch(long, moves.slice(0, 1000))).toEqual(long);
  });

  test('refuses a path with more steps than an object has levels', () => {
    const steps = (count: number): string => '/a'.repeat(count);
    const nested = (depth: number): JsonValue => (depth === 0 ? {} : { a: nested(depth - 1) });
    const patch = [
      { op: 'add', path: '/a', value: nested(199) },
      { op: 'add', path: steps(200), value: nested(100) },
      { op: 'add', path: steps(300), value: 1 },
      { op: 'remove', path: '/a' },
    ];
    expect(() => applyJsonPatch({}, patch)).toThrow(rejected);
    expect(applyJsonPatch({}, patch.toSpliced(2, 1))).toEqual({});
  });

  test('refuses more than 10,000 operations', () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/list/0', value: 1 }));
    expect(() => applyJsonPatch(document, patch)).toThrow(
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });
});

test('applyMergePatch deletes by null, replaces lists, shares what it does not touch', () => {
  const document = { a: { b: 1, c: 2 }, list: [1], kept: { x: 1 } };
  const merged = applyMergePatch(document, { a: { b: null, d: { e: null, f: 1 } }, list: [2] });
  expect(merged).toEqual({ a: { c: 2, d: { f: 1 } }, list: [2], kept: { x: 1 } });
  expect(merged['kept']).toBe(document.kept);
  expect(() => applyMergePatch(document, [])).toThrow('Invalid JSON Patch');
});

const container: Schema = {
  definition: 'io.k8s.api.core.v1.Container',
  type: 'object',
  properties: {
    name: { type: 'string' },
    image: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    limits: { type: 'object', additionalProperties: { type: 'string' } },
    claims: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
  },
};
const schema: Schema = {
  definition: 'io.k8s.api.core.v1.PodSpec',
  type: 'object',
  properties: {
    containers: {
      type: 'array',
      items: container,
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    nodeSelector: { type: 'object', additionalProperties: { type: 'string' } },
    tolerations: { type: 'array', items: { type: 'object' } },
    strategy: {
      type: 'object',
      properties: { type: {}, rollingUpdate: { type: 'object' } },
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
  },
};

describe('applyStrategicMergePatch', () => {
  const live = {
    containers: [
      { name: 'a', image: '1' },
      { name: 'b', image: '2' },
      { name: 'c', image: '3' },
    ],
    finalizers: ['x', 'y'],
    nodeSelector: { a: '1' },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
  };
  const cases: [string, JsonObject, JsonObject][] = [
    [
      'merges a keyed list by key',
      { containers: [{ name: 'b', image: '9' }] },
      { containers: [live.containers[0], { name: 'b', image: '9' }, live.containers[2]] as JsonValue[] },
    ],
    [
      'puts new items before live ones that it does not name',
      { containers: [{ name: 'd' }] },
      { containers: [{ name: 'd' }, ...live.containers] },
    ],
    [
      'deletes an item',
      { containers: [{ name: 'b', $patch: 'delete' }] },
      { containers: [live.containers[0], live.containers[2]] as JsonValue[] },
    ],
    ['replaces a list', { containers: [{ $patch: 'replace' }, { name: 'z' }] }, { containers: [{ name: 'z' }] }],
    [
      'orders by $setElementOrder',
      { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] },
      { containers: [live.containers[1], live.containers[2], live.containers[0]] as JsonValue[] },
    ],
    ['adds to a list of scalars', { finalizers: ['z'] }, { finalizers: ['z', 'x', 'y'] }],
    ['removes scalars', { '$deleteFromPrimitiveList/finalizers': ['x'] }, { finalizers: ['y'] }],
    ['merges maps', { nodeSelector: { a: null, b: '2' } }, { nodeSelector: { b: '2' } }],
    ['replaces a map', { nodeSelector: { $patch: 'replace', b: '2' } }, { nodeSelector: { b: '2' } }],
    ['empties a map', { nodeSelector: { $patch: 'delete' } }, { nodeSelector: {} }],
    [
      'retains listed keys alone',
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'drops directives and nulls from new content',
      { tolerations: [{ key: 'a', x: null }, { $patch: 'delete' }] },
      { tolerations: [{ key: 'a' }] },
    ],
  ];
  test.each(cases)('%s', (_name, patch, expected) => {
    const before = structuredClone(live);
    expect(applyStrategicMergePatch(live, patch, schema)).toEqual({ ...live, ...expected });
    expect(live).toEqual(before);
  });

  test.each<[JsonObject, string]>([
    [{ containers: [{ image: '1' }] }, 'map: map[image:1] does not contain declared merge key: name'],
    [{ $setElementOrder: ['a'] }, 'invalid patch format of setElementOrder list'],
    [{ '$setElementOrder/x': [] }, 'unable to find api field in struct PodSpec for the json field "x"'],
    [{ nodeSelector: { $patch: 'bad' } }, 'unknown patch type: bad in map: map[$patch:bad]'],
    [{ containers: [{ name: 'a', $patch: 'merge' }] }, 'merging lists cannot yet be specified in the patch'],
    [
      { containers: [['a']] },
      'list element types are not identical: [[map[image:1 name:a] map[image:2 name:b] map[image:3 name:c]] [[a]]]',
    ],
    [{ strategy: { $retainKeys: ['x'], type: 'Recreate' } }, 'invalid patch format of retainKeys'],
    [{ '$setElementOrder/containers': 'x' }, 'expected a []interface {}, but received a string'],
    [
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [{ name: 'a' }, { name: 'b' }] },
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
  ])('refuses %j', (patch, message) => {
    expect(() => applyStrategicMergePatch(live, patch, schema)).toThrow(expect.objectContaining({ message }));
  });

  const names = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
  const long = {
    ...live,
    containers: [{ name: 'a', limits: Object.fromEntries(names.map((name) => [name, ''])), claims: names }],
  };
  test.each<[string, JsonObject]>([
    ['a map', { limits: { x: '' } }],
    ['a list', { claims: ['n0'] }],
    ['the order of a list', { '$setElementOrder/claims': ['n0'] }],
    ['deletions from a list', { '$deleteFromPrimitiveList/claims': ['x'] }],
  ])('refuses to merge %s that is long into an item again and again', (_what, patch) => {
    const containers = Array.from({ length: 100 }, () => ({ name: 'a', ...patch }));
    const few = { containers: containers.slice(0, 10) };
    expect(applyStrategicMergePatch(long, few, schema)['containers']).toHaveLength(1);
    expect(() => applyStrategicMergePatch(long, { containers }, schema)).toThrow('name each item once');
  });
});
