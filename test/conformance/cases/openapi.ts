import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

/** A document without descriptions: the embedded server has none of built-in kinds. */
function withoutProse(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !(name === 'description' && typeof member === 'string'),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutProse(member ?? null)]));
}

/** FNV-1a of the JSON with sorted members: a document is too long to record. */
function fingerprint(value: JsonValue): string {
  const text = JSON.stringify(sorted(value));
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return `${text.length} ${hash.toString(16)}`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] ?? null)]),
  );
}

/** The parts of a document, each by its fingerprint, so that a difference shows its place. */
function outline(document: JsonValue): JsonObject {
  const plain = withoutProse(document) as JsonObject;
  const { paths, components, definitions, parameters: _shared, ...rest } = plain;
  const schemas = isJsonObject(components) ? components['schemas'] : definitions;
  const prints = (members: JsonValue | undefined): JsonObject =>
    Object.fromEntries(
      Object.entries((members ?? {}) as JsonObject).map(([name, member]) => [name, fingerprint(member ?? null)]),
    );
  return { ...rest, paths: prints(paths), schemas: prints(schemas) };
}

const groupVersions = [
  'api/v1',
  'apis/admissionregistration.k8s.io/v1',
  'apis/apiextensions.k8s.io/v1',
  'apis/apiregistration.k8s.io/v1',
  'apis/apps/v1',
  'apis/authentication.k8s.io/v1',
  'apis/authorization.k8s.io/v1',
  'apis/autoscaling/v1',
  'apis/autoscaling/v2',
  'apis/batch/v1',
  'apis/certificates.k8s.io/v1',
  'apis/coordination.k8s.io/v1',
  'apis/discovery.k8s.io/v1',
  'apis/events.k8s.io/v1',
  'apis/flowcontrol.apiserver.k8s.io/v1',
  'apis/networking.k8s.io/v1',
  'apis/node.k8s.io/v1',
  'apis/policy/v1',
  'apis/rbac.authorization.k8s.io/v1',
  'apis/scheduling.k8s.io/v1',
  'apis/storage.k8s.io/v1',
];

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const schema = {
  type: 'object',
  description: 'A thing.',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      description: 'What is wanted.',
      required: ['count'],
      properties: {
        text: { type: 'string', nullable: true, default: 'x', description: 'A text.' },
        count: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
        list: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        either: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { q: { type: 'string' } } },
        object: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        map: { type: 'object', additionalProperties: { type: 'string', enum: ['a', 'b'] } },
        one: { type: 'object', nullable: true, properties: { z: { type: 'string' } }, oneOf: [{ required: ['z'] }] },
      },
      'x-kubernetes-validations': [{ rule: 'self.count > 0', message: 'more' }],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

async function install(api: Probe): Promise<void> {
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.replicas' },
  };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources };
  const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' };
  const spec = { group: api.group, scope: 'Namespaced', names, versions: [version] };
  await api.setUp('POST', crds, {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `foos.${api.group}` },
      spec,
    },
  });
  api.cleanUp(`${crds}/foos.${api.group}`);
  const [first = '', ...rest] = api.group.split(/[.-]/);
  const tag = `${first}${rest.map(capitalise).join('')}`;
  api.alias(tag, 'tag');
  api.alias(capitalise(tag), 'Tag');
  await api.eventually('/openapi/v3', (body) => indexed(body, api.group) !== undefined);
}

function capitalise(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The URL of a document of the index: the index is JSON, whatever its media type. */
function indexed(body: JsonValue, group: string): string | undefined {
  const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> };
  return paths[`apis/${group}/v1`]?.serverRelativeURL;
}

const recordHeaders = ['content-type', 'vary', 'cache-control', 'accept-ranges'];

/** The documents that clients check, patch and explain by. */
export const cases: Area = area('OpenAPI', (it) => {
  it('W036 lists the documents of version 3 with their hashes', async (api) => {
    await api.ask('GET', '/openapi/v3', {
      recordHeaders,
      keep: (body) => {
        const entries = Object.entries((body as { paths: Record<string, { serverRelativeURL: string }> }).paths);
        return entries
          .filter(([name]) => !name.includes('.example.com/'))
          .map(([name, { serverRelativeURL }]) => [name, serverRelativeURL.replace(/[0-9A-F]{128}/, 'HASH')]);
      },
    });
  });

  for (const path of [
    ...groupVersions,
    'api',
    'apis',
    'apis/apps',
    'version',
    '.well-known/openid-configuration',
    'openid/v1/jwks',
  ]) {
    it(`W039 describes ${path} in version 3`, async (api) => {
      await api.ask('GET', `/openapi/v3/${path}`, { recordHeaders, keep: outline });
    });
  }

  it('W037 lets clients keep what they asked for by its hash', async (api) => {
    const index = await api.setUp('GET', '/openapi/v3');
    const { paths } = index.body as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    const url = paths['apis/apps/v1']?.serverRelativeURL ?? '';
    const first = await api.setUp('GET', url);
    api.record('the tag is the hash', first.headers['etag'] === `"${url.split('hash=')[1]}"`);
    api.record(
      'it expires in a year',
      new Date(String(first.headers['expires'])).getTime() > Date.now() + 364 * 86_400_000,
    );
    api.record(
      'headers',
      recordHeaders.map((name) => first.headers[name]),
    );
    const answer = await api.setUp('GET', url, { headers: { 'if-none-match': String(first.headers['etag']) } });
    api.record('who has it gets nothing', [answer.status, answer.text]);
  });

  it('W038 moves who asks by an old hash', async (api) => {
    const answer = await api.setUp('GET', '/openapi/v3/apis/apps/v1?hash=0');
    api.record('answer', [
      answer.status,
      answer.text,
      String(answer.headers['location']).replace(/[0-9A-F]{128}/, 'HASH'),
    ]);
    await api.ask('GET', '/openapi/v3/apis/apps/v1?hash=', { recordHeaders, keep: () => undefined });
  });

  it('has no document of what is not there', async (api) => {
    for (const path of ['/openapi/v3/apis/no.such/v1', '/openapi/v3/nope', '/openapi/v3/']) await api.ask('GET', path);
    await api.ask('GET', '/openapi/v3/apis/apps/v1', { accept: 'text/html', recordHeaders });
    await api.ask('GET', '/openapi/v2', { accept: 'text/html', recordHeaders: ['content-type'] });
  });

  it('has version 3 in protobuf', {
    differs: 'No client that is still around asks for it: kubectl reads version 3 as JSON since 1.27.',
  }, async (api) => {
    for (const type of ['v3@v1.0', 'v3.v1.0']) {
      const accept = `application/com.github.proto-openapi.spec.${type}+protobuf`;
      await api.ask('GET', '/openapi/v3/apis/apps/v1', {
        accept,
        recordHeaders: ['content-type'],
        keep: () => undefined,
      });
    }
  });

  it('W044 describes built-in kinds and their fields', {
    differs: 'The facts about built-in kinds are taken from the real server without its prose.',
  }, async (api) => {
    await api.ask('GET', '/openapi/v3/apis/apps/v1', {
      keep: (body) => {
        const { schemas } = (body as unknown as { components: { schemas: Record<string, JsonObject> } }).components;
        return typeof schemas['io.k8s.api.apps.v1.Deployment']?.['description'];
      },
    });
  });

  it('W040 describes custom resources in version 3', async (api) => {
    await install(api);
    await api.ask('GET', `/openapi/v3/apis/${api.group}/v1`, {
      recordHeaders,
      keep: (body) => {
        const { paths, components } = body as unknown as { paths: JsonObject; components: { schemas: JsonObject } };
        const ours = Object.entries(components.schemas).filter(([name]) => name.includes('example'));
        const prints = outline(body)['schemas'] as JsonObject;
        const others = Object.entries(prints).filter(([name]) => !name.includes('example'));
        return { paths: withoutProse(paths), schemas: withoutProse(Object.fromEntries(ours)), others };
      },
    });
  });

  it('W040 repeats the descriptions of a CustomResourceDefinition', async (api) => {
    await install(api);
    await api.ask('GET', `/openapi/v3/apis/${api.group}/v1`, {
      keep: (body) => {
        const { schemas } = (body as unknown as { components: { schemas: Record<string, JsonObject> } }).components;
        const [foo] = Object.entries(schemas)
          .filter(([name]) => name.endsWith('.v1.Foo'))
          .map(([, found]) => found);
        const { description, properties } = foo as unknown as {
          description: string;
          properties: Record<string, JsonObject>;
        };
        return [
          description,
          properties['spec']?.['description'],
          (properties['spec']?.['properties'] as JsonObject | undefined)?.['text'],
        ];
      },
    });
  });

  it('W041 describes everything in version 2', async (api) => {
    await api.ask('GET', '/openapi/v2', {
      recordHeaders: ['content-type', 'accept-ranges'],
      keep: (body) => {
        const document = inlined(body as JsonObject);
        const { paths, schemas, ...rest } = outline(document);
        const builtIn = (members: JsonValue | undefined): JsonObject =>
          Object.fromEntries(Object.entries((members ?? {}) as JsonObject).filter(([name]) => !/example/.test(name)));
        return { ...rest, paths: builtIn(paths), schemas: builtIn(schemas) };
      },
    });
  });

  it('W041 describes custom resources in version 2', async (api) => {
    await install(api);
    const definition = `com.example.${api.group.split('.', 1)[0]}.v1.Foo`;
    const has = (body: JsonValue): boolean =>
      Object.hasOwn((body as { definitions: JsonObject }).definitions, definition);
    const document = await api.eventually('/openapi/v2', has);
    api.record('schema', withoutProse((document as { definitions: JsonObject }).definitions[definition] ?? null));
  });

  it('W041 sends version 2 as protobuf, under a name that clients can read', async (api) => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = await api.ask('GET', '/openapi/v2', {
      accept,
      recordHeaders: ['content-type'],
      keep: () => undefined,
    });
    api.record('how it begins', answer.raw.subarray(0, 25).toString('hex'));
    api.record('who has it gets nothing', await untilUnchanged(api, accept));
  });
});

/** Whether a document is not sent again; the definitions of other cases come and go meanwhile. */
async function untilUnchanged(api: Probe, accept: string): Promise<boolean> {
  for (let tries = 0; tries < 50; tries += 1) {
    const { headers } = await api.setUp('GET', '/openapi/v2', { accept });
    const again = await api.setUp('GET', '/openapi/v2', {
      accept,
      headers: { 'if-none-match': String(headers['etag']) },
    });
    if (again.status === 304 && again.raw.length === 0) return true;
  }
  return false;
}

/** Parameters in their places: how frequent ones are shared does not matter. */
function inlined(document: JsonObject): JsonObject {
  const shared = (document['parameters'] ?? {}) as JsonObject;
  const walk = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isJsonObject(value)) return value;
    const reference = value['$ref'];
    const name = typeof reference === 'string' ? reference.split('#/parameters/')[1] : undefined;
    if (name !== undefined) return shared[name] ?? null;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member ?? null)]));
  };
  return walk(document) as JsonObject;
}
