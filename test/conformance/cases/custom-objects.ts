import type { JsonValue } from '../../../src/base/index.ts';
import { establish, settled, thing } from '../definitions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const merge = { contentType: 'application/merge-patch+json' };
const inSpec = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more }, status: { type: 'object', [preserve]: true } },
});

const known = {
  a: text,
  free: { type: 'object', [preserve]: true, properties: { known: { type: 'object', properties: { b: text } } } },
  list: { type: 'array', items: { type: 'object', properties: { a: text } } },
  freeList: { type: 'array', [preserve]: true, items: { type: 'object', properties: { a: { type: 'object' } } } },
  map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
  openMap: { type: 'object', additionalProperties: true },
  closedMap: { type: 'object', additionalProperties: false },
  template: { type: 'object', [embedded]: true, properties: { spec: { type: 'object', properties: { a: text } } } },
  anyTemplate: { type: 'object', [embedded]: true, [preserve]: true },
};

const unknown = {
  a: 'x',
  b: 1,
  free: { x: { y: 1 }, known: { b: 'x', c: 1 } },
  list: [{ a: 'x', b: 1 }, { c: { d: 1 } }],
  freeList: [{ x: 1, a: { b: 1 } }],
  map: { one: { a: 'x', b: 1 } },
  openMap: { a: 1, b: { c: 1 } },
  closedMap: { b: { c: 1 } },
  template: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x', foo: 1, labels: { a: 'b' } },
    spec: { a: 'x', b: 1 },
    x: 1,
  },
  anyTemplate: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'y' }, x: { y: 1 } },
};

const specOf = (body: JsonValue): JsonValue => {
  const found = body as { readonly kind: string; readonly spec?: JsonValue };
  return found.kind === 'Status' ? body : (found.spec ?? null);
};

const defaults = {
  a: { type: 'integer', default: 1 },
  nullable: { type: 'string', nullable: true, default: 'x' },
  gone: text,
  deep: { type: 'object', default: {}, properties: { b: { type: 'string', default: 'y' } } },
  absent: { type: 'object', properties: { c: { type: 'string', default: 'z' } } },
  list: {
    type: 'array',
    items: { type: 'object', default: { d: 'n' }, properties: { d: { type: 'string', default: 'l' } } },
  },
  map: {
    type: 'object',
    additionalProperties: { type: 'object', properties: { e: { type: 'string', default: 'm' } } },
  },
  mapOfTexts: { type: 'object', additionalProperties: text },
  free: { type: 'object', [preserve]: true },
  objects: {
    type: 'array',
    default: [{ f: 1 }],
    items: { type: 'object', properties: { f: { type: 'integer' }, g: { type: 'integer', default: 2 } } },
  },
};

const badMetadata: Readonly<Record<string, object>> = {
  'a label that is a number': { labels: { a: 1 } },
  'labels that are a list': { labels: ['a'] },
  'an annotation that is a boolean': { annotations: { a: true } },
  'a label that is null': { labels: { a: null } },
  'a name that is a number': { name: 1 },
  'finalizers that are a text': { finalizers: 'a' },
  'an owner that is a text': { ownerReferences: ['a'] },
  'an owner without a uid': { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x' }] },
  'a time that is none': { creationTimestamp: 'yesterday' },
  'a time that is null': { creationTimestamp: null },
  'a generation': { generation: 7 },
  'a generation that is a text': { generation: 'x' },
  'an unknown field': { foo: 1, labels: { a: 'b' } },
  'an empty list of finalizers': { finalizers: [], labels: {} },
  'a bad label': { labels: { 'a b': 'c d' } },
  'a bad name': { name: 'Bad_Name' },
  'a long name': { name: 'x'.repeat(254) },
  'another namespace': { namespace: 'elsewhere' },
};

const bodies: Readonly<Record<string, (api: Probe) => unknown>> = {
  'CR-33 another kind': (api) => ({ ...thing(api, 'x'), kind: 'Other' }),
  'CR-33 another version': (api) => ({ ...thing(api, 'x'), apiVersion: `${api.group}/v2` }),
  'CR-33 another group': (api) => ({ ...thing(api, 'x'), apiVersion: 'v1' }),
  'no kind': (api) => ({ apiVersion: `${api.group}/v1`, metadata: { name: 'x' } }),
  'no version': () => ({ kind: 'Thing', metadata: { name: 'x' } }),
  'a kind that is a number': (api) => ({ ...thing(api, 'x'), kind: 1 }),
  'no metadata': (api) => ({ apiVersion: `${api.group}/v1`, kind: 'Thing' }),
  'metadata that is a text': (api) => ({ ...thing(api, 'x'), metadata: 'x' }),
  'metadata that is null': (api) => ({ ...thing(api, 'x'), metadata: null }),
  'a list': (api) => ({ apiVersion: `${api.group}/v1`, kind: 'ThingList', items: [] }),
  'an array': () => [],
  'a text': () => 'x',
  null: () => null,
};

/** Bodies of custom resources: what is kept, filled in and refused. */
export const cases: Area = area('Bodies of custom resources', (it) => {
  for (const validation of ['Ignore', 'Warn', 'Strict']) {
    it(`CR-01 CR-02 CR-03 CR-04 unknown fields, ${validation}`, async (api) => {
      const { things } = await establish(api, { schema: inSpec(known) });
      const body = { ...thing(api, 'x'), spec: unknown, other: 1 };
      await api.ask('POST', `${things}?fieldValidation=${validation}`, { body, keep: specOf });
    });
  }

  it('CR-03 unknown and double fields at once', async (api) => {
    const { things } = await establish(api, { schema: inSpec(known) });
    const rawBody = `{"apiVersion":"${api.group}/v1","kind":"Thing","metadata":{"name":"x","foo":1,"name":"x"},"spec":{"a":"x","a":"y","z":1,"b":2},"spec":{"a":"z"}}`;
    for (const validation of ['Warn', 'Strict']) {
      await api.ask('POST', `${things}?dryRun=All&fieldValidation=${validation}`, {
        rawBody,
        contentType: 'application/json',
        keep: specOf,
      });
    }
  });

  it('unknown fields in updates and patches', async (api) => {
    const { things } = await establish(api, { schema: inSpec(known) });
    await api.setUp('POST', things, { body: thing(api, 'x', { spec: { a: 'x' } }) });
    for (const validation of ['Warn', 'Strict']) {
      const query = `?dryRun=All&fieldValidation=${validation}`;
      await api.ask('PATCH', `${things}/x${query}`, {
        ...merge,
        body: { spec: { zz: 1 } },
        keep: settled,
      });
      await api.ask('PATCH', `${things}/x${query}`, {
        contentType: 'application/json-patch+json',
        body: [{ op: 'add', path: '/metadata/foo', value: 1 }],
        keep: () => null,
      });
      await api.ask('PATCH', `${things}/x${query}&fieldManager=m`, {
        contentType: 'application/apply-patch+yaml',
        body: thing(api, 'x', { spec: { zz: 1 } }),
        keep: specOf,
      });
    }
  });

  it('W079 an update that names no version', async (api) => {
    const { things } = await establish(api, { schema: inSpec(known) });
    await api.setUp('POST', things, { body: thing(api, 'x', { spec: { a: 'x' } }) });
    await api.ask('PUT', `${things}/x`, { body: thing(api, 'x', { spec: { a: 'y' } }) });
  });

  it('CR-05 CR-07 CR-08 defaults', async (api) => {
    const { things } = await establish(api, { schema: inSpec(defaults) });
    const spec = {
      a: null,
      nullable: null,
      gone: null,
      absent: {},
      list: [{}, null, { d: null }],
      map: { k: {}, n: null },
      mapOfTexts: { a: null, b: 'x' },
      free: { x: null },
    };
    await api.ask('POST', things, { body: thing(api, 'some', { spec }), keep: specOf });
    await api.ask('POST', things, { body: thing(api, 'empty', { spec: {} }), keep: specOf });
    await api.ask('POST', things, { body: thing(api, 'none'), keep: specOf });
    await api.ask('PATCH', `${things}/empty`, {
      ...merge,
      body: { spec: { a: null, deep: { b: null }, list: [{}] } },
      keep: specOf,
    });
    await api.ask('PATCH', `${things}/applied?fieldManager=m`, {
      contentType: 'application/apply-patch+yaml',
      body: thing(api, 'applied', { spec: { deep: {} } }),
      keep: specOf,
    });
  });

  it('CR-06 a default added to the definition shows in old objects', async (api) => {
    const { things, path } = await establish(api, { schema: inSpec({ a: text }) });
    await api.setUp('POST', things, { body: thing(api, 'old', { spec: { a: 'x' } }) });
    await api.ask('GET', `${things}/old`);
    const schema = inSpec({ a: text, b: { type: 'string', default: 'later' } });
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    await api.setUp('PATCH', path, { ...merge, body: { spec: { versions } } });
    await api.eventually(`${things}/old`, (body) => JSON.stringify(body).includes('later'));
    await api.ask('GET', `${things}/old`);
    await api.ask('GET', things, { keep: (body) => (body as { items: JsonValue[] }).items.map(specOf) });
    await api.ask('PATCH', `${things}/old`, { ...merge, body: { metadata: { labels: { c: 'd' } } } });
  });

  it('a field taken from the definition no longer shows', async (api) => {
    const { things, path } = await establish(api, { schema: inSpec({ a: text, b: text }) });
    await api.setUp('POST', things, { body: thing(api, 'old', { spec: { a: 'x', b: 'y' } }) });
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: inSpec({ a: text }) } }];
    await api.setUp('PATCH', path, { ...merge, body: { spec: { versions } } });
    await api.eventually(`${things}/old`, (body) => !JSON.stringify(specOf(body)).includes('"b"'));
    await api.ask('GET', `${things}/old`, { keep: specOf });
  });

  for (const [name, metadata] of Object.entries(badMetadata)) {
    it(`metadata: ${name}`, async (api) => {
      const { things } = await establish(api, { schema: inSpec({}) });
      const body = { ...thing(api, 'x'), metadata: { name: 'x', ...metadata } };
      await api.ask('POST', `${things}?dryRun=All`, { body });
      await api.setUp('POST', things, { body: thing(api, 'x') });
      await api.ask('PATCH', `${things}/x?dryRun=All`, { ...merge, body: { metadata }, keep: settled });
    });
  }

  for (const [name, make] of Object.entries(bodies)) {
    it(`a body with ${name}`, async (api) => {
      const { things } = await establish(api, { schema: inSpec({}) });
      await api.ask('POST', `${things}?dryRun=All`, { body: make(api) });
      await api.setUp('POST', things, { body: thing(api, 'x') });
      await api.ask('PUT', `${things}/x?dryRun=All`, { body: make(api) });
    });
  }
});
