import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { establish, thing } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const merge = { contentType: 'application/merge-patch+json' };
const inSpec = (properties: object): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
});
const mapList = (keys: readonly string[], properties: object): object => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required: keys, properties },
});

const lists = {
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  setOfNumbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
  setOfLists: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'array', items: text } },
  setOfObjects: {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
  },
  map: mapList(['name'], { name: text, set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } }),
  mapOfTwo: mapList(['name', 'port'], { name: text, port: { type: 'integer' } }),
  mapByDefault: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'kind'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: text, kind: { type: 'string', default: 'usual' } },
    },
  },
  inMap: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
  inList: { type: 'array', items: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
};

const listValues: readonly object[] = [
  { set: ['a', 'b', 'a'] },
  { set: ['a', 'a', 'a', 'b', 'b'] },
  { set: ['a', 'b'] },
  { setOfNumbers: [1, 2.5, 1, 2.5] },
  { setOfLists: [['a'], ['b'], ['a']] },
  { setOfObjects: [{ a: 'x', b: 'y' }, { b: 'y', a: 'x' }, { a: 'x' }] },
  { map: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
  { map: [{}, {}] },
  { map: ['x'] },
  { map: [{ name: 'a', set: ['x', 'x'] }] },
  {
    mapOfTwo: [
      { name: 'a', port: 1 },
      { name: 'a', port: 2 },
      { port: 1, name: 'a' },
    ],
  },
  { mapOfTwo: [{ name: 'a' }, { name: 'a' }] },
  { mapByDefault: [{ name: 'a' }, { name: 'a', kind: 'usual' }, { name: 'a', kind: 'other' }] },
  { inMap: { k: ['a', 'a'] } },
  { inList: [['a', 'a'], ['b']] },
];

const objects: readonly object[] = [
  { apiVersion: 'v1', kind: 'Pod' },
  {},
  { apiVersion: 'v1' },
  { apiVersion: '', kind: 'Pod' },
  { apiVersion: 'v1', kind: '' },
  { apiVersion: 'a/b/c', kind: 'Pod' },
  { apiVersion: 'v1', kind: 'Bad_Kind' },
  { apiVersion: 1, kind: 'Pod' },
  { apiVersion: 'v1', kind: true },
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b', generateName: 'A_b%', namespace: 'B_d' } },
  { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { 'a b': 'c d' }, annotations: { 'a b': 'x' } } },
  { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 1 } } },
  { apiVersion: 'v1', kind: 'Pod', metadata: 'x' },
  { apiVersion: 'v1', kind: 'Pod', metadata: null },
  { apiVersion: 'v1', kind: 'Pod', metadata: { foo: 1, creationTimestamp: null, labels: {} }, spec: { x: null } },
  { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['x y'], ownerReferences: [{ name: 'x' }] } },
];

const specOf = (body: JsonValue): JsonValue => {
  const found = body as { readonly kind: string; readonly spec?: JsonValue };
  return found.kind === 'Status' ? body : (found.spec ?? null);
};

/** Rules of custom resources beyond their values: lists with identity, embedded objects, what an update may leave as it was. */
export const cases: Area = area('Rules of custom resources', (it) => {
  it('CR-16 CR-17 duplicates in sets and maps', async (api) => {
    const { things } = await establish(api, { schema: inSpec(lists) });
    for (const spec of listValues) {
      await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'x', { spec }), keep: specOf });
    }
  });

  it('CR-41 embedded objects', async (api) => {
    const x = { type: 'object', [embedded]: true, [preserve]: true };
    const { things } = await establish(api, {
      schema: inSpec({ x, list: { type: 'array', items: x }, map: { type: 'object', additionalProperties: x } }),
    });
    for (const object of objects) {
      await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'x', { spec: { x: object } }), keep: specOf });
    }
    await api.ask('POST', `${things}?dryRun=All`, {
      body: thing(api, 'x', { spec: { list: [{ kind: 'A' }] } }),
      keep: specOf,
    });
    await api.ask('POST', `${things}?dryRun=All`, {
      body: thing(api, 'x', { spec: { map: { k: { kind: 'A' } } } }),
      keep: specOf,
    });
  });

  it('rules for the name', async (api) => {
    const name = { type: 'string', maxLength: 5, pattern: '^a' };
    const schema = { type: 'object', properties: { metadata: { type: 'object', properties: { name } } } };
    const { things } = await establish(api, { schema });
    await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'abcdefg') });
    await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'b') });
    await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'abc'), keep: () => null });
  });

  it('CR-25 CR-26 what was stored before stays accepted until it changes', async (api) => {
    const properties = {
      a: text,
      b: { type: 'integer' },
      list: { type: 'array', items: text },
      map: mapList(['name'], { name: text, v: text }),
      needs: { type: 'object', properties: { x: text, y: text } },
      set: { type: 'array', items: text },
    };
    const { things, path } = await establish(api, { schema: inSpec(properties) });
    const spec = {
      a: 'bad',
      b: 100,
      list: ['bad'],
      map: [
        { name: 'a', v: 'bad' },
        { name: 'b', v: 'bad' },
      ],
      needs: { x: 'x' },
      set: ['a', 'a'],
    };
    await api.setUp('POST', things, { body: thing(api, 'old', { spec }) });
    const short = { type: 'string', maxLength: 2 };
    const tight = {
      a: short,
      b: { type: 'integer', maximum: 9 },
      list: { type: 'array', items: short },
      map: mapList(['name'], { name: text, v: short }),
      needs: { type: 'object', required: ['y'], properties: { x: text, y: text } },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: inSpec(tight) } }];
    await api.setUp('PATCH', path, { ...merge, body: { spec: { versions } } });
    // The new schema is in force when a bad object is refused.
    const probe = thing(api, 'probe', { spec: { a: 'too long' } });
    await api.untilRefused('POST', `${things}?dryRun=All`, { body: probe });
    const changes: readonly object[] = [
      { metadata: { labels: { x: 'y' } } },
      { spec: { a: 'worse' } },
      { spec: { a: 'ok' } },
      { spec: { b: 200 } },
      { spec: { list: ['bad', 'ok'] } },
      {
        spec: {
          map: [
            { name: 'b', v: 'bad' },
            { name: 'a', v: 'bad' },
          ],
        },
      },
      {
        spec: {
          map: [
            { name: 'a', v: 'worse' },
            { name: 'b', v: 'bad' },
          ],
        },
      },
      { spec: { map: [{ name: 'c', v: 'bad' }] } },
      { spec: { needs: { x: 'z' } } },
      { spec: { set: ['a', 'a', 'b'] } },
      { spec: { set: ['a', 'b'] } },
    ];
    for (const body of changes) await api.ask('PATCH', `${things}/old?dryRun=All`, { ...merge, body, keep: specOf });
  });

  it('CR-40 finalizers without a domain', async (api) => {
    const { things } = await establish(api, { schema: inSpec({}) });
    const finalizers = ['foo', 'example.com', 'example.com/x', 'orphan', 'Bar'];
    const keep = (body: JsonValue): JsonValue => ((body as JsonObject)['metadata'] as JsonObject)['finalizers'] ?? body;
    await api.ask('POST', `${things}?dryRun=All`, {
      body: { ...thing(api, 'x'), metadata: { name: 'x', finalizers } },
      keep,
    });
    await api.ask('POST', `${things}?dryRun=All`, {
      body: { ...thing(api, 'x'), metadata: { name: 'x', finalizers: ['a b'] } },
    });
    await api.setUp('POST', things, { body: { ...thing(api, 'x'), metadata: { name: 'x', finalizers: ['foo'] } } });
    await api.ask('PATCH', `${things}/x`, { ...merge, body: { metadata: { finalizers: ['foo', 'bar'] } }, keep });
    await api.ask('PATCH', `${things}/x`, { ...merge, body: { metadata: { finalizers: [] } }, keep: () => null });
  });
});
