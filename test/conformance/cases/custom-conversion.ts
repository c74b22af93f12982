import type { ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { definitionsPath, type Established, establish, withoutManagers } from '../definitions.ts';
import { type Hooks, openHooks } from '../hooks.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const merge = { contentType: 'application/merge-patch+json' };
const text = { type: 'string' };
const old = { type: 'object', properties: { spec: { type: 'object', properties: { host: text, extra: text } } } };
const next = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { name: text, extra: text, size: { type: 'integer', default: 3 } } },
  },
};

const versions = (storage: 'v1' | 'v2'): readonly object[] => [
  {
    name: 'v1',
    served: true,
    storage: storage === 'v1',
    schema: { openAPIV3Schema: old },
    selectableFields: [{ jsonPath: '.spec.host' }],
  },
  { name: 'v2', served: true, storage: storage === 'v2', schema: { openAPIV3Schema: next } },
];

type Thing = JsonObject & { apiVersion: string; metadata: JsonObject; spec?: JsonObject };

/** `host` of v1 is `name` of v2. */
function converted(object: Thing, apiVersion: string): Thing {
  const { host, name, ...rest } = object.spec ?? {};
  const value = host ?? name;
  const key = apiVersion.endsWith('/v1') ? 'host' : 'name';
  return { ...object, apiVersion, spec: { ...rest, ...(value === undefined ? {} : { [key]: value }) } };
}

const success = { status: 'Success' };

function convertAll(request: JsonObject, change: (object: Thing) => JsonValue = (object) => object): JsonObject {
  const objects = request['objects'] as Thing[];
  return {
    result: success,
    convertedObjects: objects.map((object) => change(converted(object, request['desiredAPIVersion'] as string))),
  };
}

async function withWebhook(
  api: Probe,
  storage: 'v1' | 'v2',
  client: object = {},
): Promise<{ hooks: Hooks; made: Established }> {
  const hooks = await openHooks(api);
  hooks.answer('convert', (request) => convertAll(request));
  const webhook = {
    conversionReviewVersions: ['v1'],
    clientConfig: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle, ...client },
  };
  const made = await establish(api, {
    versions: versions(storage),
    spec: { conversion: { strategy: 'Webhook', webhook } },
  });
  return { hooks, made };
}

const thing = (api: Probe, version: string, ...[name, spec]: [name: string, spec: object]): object => ({
  apiVersion: `${api.group}/${version}`,
  kind: 'Thing',
  metadata: { name },
  spec,
});

const asked = ({ desiredAPIVersion, objects, uid }: JsonObject): JsonValue => ({
  desiredAPIVersion: desiredAPIVersion ?? null,
  hasUid: typeof uid === 'string',
  objects: (objects as JsonObject[]).map(({ apiVersion, kind, metadata, spec }) => ({
    apiVersion,
    kind,
    name: (metadata as JsonObject)['name'],
    spec,
  })) as unknown as JsonValue,
});

/** What goes wrong with an answer. */
const failures: Readonly<Record<string, (request: JsonObject, response: ServerResponse) => JsonObject | undefined>> = {
  'a failure without a message': () => ({ result: { status: 'Failure' } }),
  'a failure with a message': () => ({
    result: { status: 'Failure', message: 'not today', reason: 'Because', code: 418 },
  }),
  'no result': () => ({}),
  'no objects': () => ({ result: success, convertedObjects: [] }),
  'too many objects': (request) => ({ result: success, convertedObjects: [...(request['objects'] as Thing[]), {}] }),
  'CR-39 another name': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, name: 'other' } })),
  'another namespace': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, namespace: 'other' } })),
  'another uid': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, uid: 'other' } })),
  'another kind': (request) => convertAll(request, (object) => ({ ...object, kind: 'Other' })),
  'another version': (request) => convertAll(request, (object) => ({ ...object, apiVersion: 'other.io/v7' })),
  'a label that is a number': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
  'a bad label': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: { 'a b': 'c' } } })),
  'a bad annotation': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, annotations: { 'a b': 'c' } } })),
  'labels that are a text': (request) =>
    convertAll(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: 'x' } })),
  'no metadata': (request) => convertAll(request, ({ metadata: _metadata, ...object }) => object),
  'changed metadata that does not count': (request) =>
    convertAll(request, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { a: 'b' },
        annotations: { c: 'd' },
        finalizers: ['x/y'],
        generation: 99,
        resourceVersion: '1',
      },
    })),
  'CR-38 an error': (_request, response) => {
    response.statusCode = 500;
    response.end('out of order');
    return undefined;
  },
  'not found': (_request, response) => {
    response.statusCode = 404;
    response.end();
    return undefined;
  },
  'no body': (_request, response) => {
    response.end();
    return undefined;
  },
  'another document': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"apiVersion":"v1","kind":"Pod"}');
    return undefined;
  },
  'another uid of the review': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      '{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"x","result":{"status":"Success"},"convertedObjects":[]}}',
    );
    return undefined;
  },
  'no response in the review': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}');
    return undefined;
  },
};

/** Versions of custom resources: names alone, and by webhook. */
export const cases: Area = area('Conversion of custom resources', (it) => {
  it('CR-37 without a webhook only the version changes', async (api) => {
    const { thingsIn } = await establish(api, { versions: versions('v1') });
    await api.ask('POST', thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h', extra: 'x' }) });
    await api.ask('GET', `${thingsIn('v2')}/a`);
    await api.ask('POST', thingsIn('v2'), { body: thing(api, 'v2', 'b', { name: 'n' }) });
    await api.ask('GET', `${thingsIn('v1')}/b`);
    await api.ask('GET', thingsIn('v2'), {
      keep: (body) => (body as { items: JsonValue[] }).items.map((item) => (item as JsonObject)['spec'] ?? null),
    });
    await api.ask('PATCH', `${thingsIn('v2')}/a`, { ...merge, body: { spec: { name: 'm' } }, keep: withoutManagers });
    await api.ask('GET', `${thingsIn('v1')}/a`, { keep: withoutManagers });
  });

  it('the storage version may change', async (api) => {
    const { thingsIn, path } = await establish(api, { versions: versions('v1') });
    await api.setUp('POST', thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h', extra: 'x' }) });
    await api.ask('PATCH', path, {
      ...merge,
      body: { spec: { versions: versions('v2') } },
      keep: (body) => (body as { status: JsonObject }).status['storedVersions'],
    });
    await api.ask('GET', `${thingsIn('v1')}/a`, { keep: withoutManagers });
    await api.ask('GET', `${thingsIn('v2')}/a`, { keep: withoutManagers });
    await api.ask('PATCH', `${thingsIn('v2')}/a`, { ...merge, body: { spec: { extra: 'y' } }, keep: withoutManagers });
  });

  it('a webhook is asked for what is not in the version', async (api) => {
    const { hooks, made } = await withWebhook(api, 'v1');
    const { thingsIn } = made;
    await api.ask('POST', thingsIn('v1'), {
      body: thing(api, 'v1', 'a', { host: 'h', extra: 'x' }),
      keep: withoutManagers,
    });
    await api.ask('POST', thingsIn('v2'), { body: thing(api, 'v2', 'b', { name: 'n' }), keep: withoutManagers });
    await api.ask('GET', `${thingsIn('v2')}/a`, { keep: withoutManagers });
    await api.ask('GET', `${thingsIn('v1')}/b`, { keep: withoutManagers });
    await api.ask('GET', thingsIn('v2'), {
      keep: (body) => (body as { items: JsonValue[] }).items.map(withoutManagers),
    });
    await api.ask('PATCH', `${thingsIn('v2')}/a`, { ...merge, body: { spec: { name: 'm' } }, keep: withoutManagers });
    await api.ask('GET', `${thingsIn('v1')}/a`, { keep: withoutManagers });
    const found = (await api.setUp('GET', `${thingsIn('v2')}/b`)).body as JsonObject;
    await api.ask('PUT', `${thingsIn('v2')}/b`, {
      body: { ...found, spec: { name: 'put', size: 7 } },
      keep: withoutManagers,
    });
    await api.ask('GET', `${thingsIn('v1')}?fieldSelector=spec.host%3Dput`, {
      keep: (body) => (body as { items: JsonValue[] }).items.length,
    });
    await api.ask('DELETE', `${thingsIn('v2')}/b`, { keep: () => null });
    const call = hooks.calls.find(({ request }) => (request as JsonObject)['desiredAPIVersion'] === `${api.group}/v1`);
    api.record('a request', asked(call?.request ?? {}));
    api.record('query', call?.query ?? null);
  });

  it('events of a watch are converted', async (api) => {
    const { made } = await withWebhook(api, 'v1');
    const { thingsIn } = made;
    await api.setUp('POST', thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h' }) });
    const watch = await api.watch(`${thingsIn('v2')}?watch=true`, {
      keep: ({ type, object }) => [type, withoutManagers(object)],
    });
    await watch.until((events) => events.length > 0);
    await api.setUp('PATCH', `${thingsIn('v1')}/a`, { ...merge, body: { spec: { host: 'i' } } });
    await api.setUp('POST', thingsIn('v2'), { body: thing(api, 'v2', 'b', { name: 'n' }) });
    await api.setUp('DELETE', `${thingsIn('v1')}/a`);
    await watch.until((events) => events.some(({ type }) => type === 'DELETED'));
    watch.close();
  });

  for (const [name, answer] of Object.entries(failures)) {
    it(`CR-38 a webhook answers with ${name}`, async (api) => {
      const { hooks, made } = await withWebhook(api, 'v1');
      await api.setUp('POST', made.thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h' }) });
      hooks.answer('convert', answer);
      const uids = (body: JsonValue): JsonValue =>
        JSON.parse(
          JSON.stringify(withoutManagers(body)).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uid'),
        ) as JsonValue;
      await api.ask('GET', `${made.thingsIn('v2')}/a`, { keep: uids });
      await api.ask('POST', made.thingsIn('v2'), { body: thing(api, 'v2', 'b', { name: 'n' }), keep: uids });
    });
  }

  it('CR-38 a webhook that is not there', async (api) => {
    const { made } = await withWebhook(api, 'v1', { url: 'https://127.0.0.1:1/convert' });
    await api.setUp('POST', made.thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h' }) });
    await api.ask('GET', `${made.thingsIn('v2')}/a`);
    await api.ask('GET', made.thingsIn('v2'));
    await api.ask('DELETE', `${made.thingsIn('v2')}/a`);
    await api.ask('DELETE', `${made.thingsIn('v1')}/a`, { keep: () => null });
  });

  it('CR-38 a service that is not there', async (api) => {
    const hooks = await openHooks(api);
    const service = { namespace: api.namespace, name: 'nobody', path: '/convert' };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service, caBundle: hooks.caBundle } };
    const made = await establish(api, {
      versions: versions('v1'),
      spec: { conversion: { strategy: 'Webhook', webhook } },
    });
    await api.setUp('POST', made.thingsIn('v1'), { body: thing(api, 'v1', 'a', { host: 'h' }) });
    await api.ask('GET', `${made.thingsIn('v2')}/a`);
  });

  it('certificates that cannot be read are refused once they were good', async (api) => {
    const { made } = await withWebhook(api, 'v1');
    const patch = (caBundle: string): object => ({ spec: { conversion: { webhook: { clientConfig: { caBundle } } } } });
    await api.ask('PATCH', made.path, {
      ...merge,
      body: patch('AAAA'),
      keep: (body) =>
        JSON.parse(
          JSON.stringify(body).replaceAll(/Invalid value: .*?: unable/g, 'Invalid value: …: unable'),
        ) as JsonValue,
    });
    await api.ask('GET', `${definitionsPath}/things.${api.group}`, {
      keep: (body) => ((body as JsonObject)['spec'] as JsonObject)['conversion'],
    });
  });
});
