import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';

const group = 'costly.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

let server: ApiServer;
let connection: Connection;

beforeAll(async () => {
  server = await startApiServer();
  connection = new Connection(server.kubeconfig);
});

afterAll(async () => {
  connection[Symbol.dispose]();
  await server.stop();
});

function ask(request: string, body?: unknown, type = 'application/json'): ReturnType<Connection['ask']> {
  const [method = '', path = ''] = request.split(' ');
  const text = body === undefined ? undefined : JSON.stringify(body);
  return connection.ask({ method, path, headers: { 'content-type': type }, body: text });
}

function versionsOf(items: object): readonly object[] {
  const openAPIV3Schema = { type: 'object', properties: { list: { type: 'array', items } } };
  return [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
}

/** A kind whose objects have a list, with such items. */
async function define(kind: string, items: object): Promise<void> {
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const spec = { group, scope: 'Namespaced', names, versions: versionsOf(items) };
  const metadata = { name: `${plural}.${group}` };
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  expect((await ask(`POST ${definitions}`, definition)).status).toBe(201);
  await eventually(async () => expect((await ask(`GET ${collection(kind)}`)).status).toBe(200));
}

function collection(kind: string): string {
  return `/apis/${group}/v1/namespaces/default/${kind.toLowerCase()}s`;
}

function create(kind: string, list: readonly unknown[], name = 'a'): ReturnType<Connection['ask']> {
  return ask(`POST ${collection(kind)}`, { apiVersion: `${group}/v1`, kind, metadata: { name }, list });
}

function propertiesOf(count: number, schema: object): object {
  return Object.fromEntries(many(count, (index) => [`p${index}`, { type: 'string', ...schema }]));
}

const text = 'x'.repeat(1_000_000);

test.each<readonly [name: string, kind: string, items: object, list: readonly unknown[]]>([
  ['has fields', 'Field', { type: 'object', properties: propertiesOf(15_000, {}) }, many(49_000, () => ({}))],
  ['requires', 'Requirement', { type: 'object', required: many(40_000, (at) => `p${at}`) }, many(49_000, () => ({}))],
  [
    'must meet',
    'Branch',
    { type: 'object', allOf: many(20_000, () => ({ required: ['a'] })) },
    many(49_000, () => ({})),
  ],
  ['compares with', 'Value', { type: 'integer', enum: many(50_000, (at) => at + 10) }, many(49_000, () => 3)],
  ['measures again', 'Length', { type: 'string', allOf: many(20_000, () => ({ minLength: 2 })) }, [text, text]],
  ['reports again', 'Report', { type: 'string', allOf: many(20_000, () => ({ maxLength: 2 })) }, [text, text]],
])(
  'items of an object are not validated against everything that its schema %s without end',
  { tags: 'long' },
  async (_name, ...[kind, items, list]) => {
    await define(kind, items);
    const { status, text: answer } = await create(kind, list);
    expect([status, answer]).toEqual([422, expect.stringContaining('takes more than 20000000 checks')]);
  },
);

test('defaults that a schema has for each item of a list do not fill the memory', { tags: 'long' }, async () => {
  await define('Default', { type: 'object', properties: propertiesOf(15_000, { default: 'x' }) });
  const { status, text: answer } = await create(
    'Default',
    many(49_000, () => ({})),
  );
  expect([status, answer]).toEqual([413, expect.stringContaining('with the defaults of its schema')]);
  expect((await create('Default', [{}])).status).toBe(201);
});

test('defaults that a definition gets later do not fill the memory with its objects', { tags: 'long' }, async () => {
  await define('Late', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  for (const index of many(4, String))
    expect(
      (
        await create(
          'Late',
          many(500, () => ({})),
          `a${index}`,
        )
      ).status,
    ).toBe(201);
  const versions = versionsOf({ type: 'object', properties: propertiesOf(2000, { default: 'x' }) });
  const patch = { spec: { versions } };
  expect((await ask(`PATCH ${definitions}/lates.${group}`, patch, 'application/merge-patch+json')).status).toBe(200);
  const first = async (): Promise<string> => (await ask(`GET ${collection('Late')}/a0`)).text;
  await eventually(async () => expect(await first()).toContain('"p0":"x"'));
  expect((await first()).length).toBeLessThan(10 * 1024 * 1024);
  let read = 0;
  for (let next = ''; ; ) {
    const { status, body } = await ask(`GET ${collection('Late')}?limit=2&continue=${next}`);
    expect(status).toBe(200);
    const { items, metadata } = body as { items: unknown[]; metadata: { continue?: string } };
    read += items.length;
    next = metadata.continue ?? '';
    if (next === '') break;
  }
  expect(read).toBe(4);
  for (const index of many(4, String)) expect((await ask(`DELETE ${collection('Late')}/a${index}`)).status).toBe(200);
});

test('a definition with an error that shows all keys of a list is answered, however many keys have it', async () => {
  const keys = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': many(40_000, (at) => `k${at}`) };
  const schema = { type: 'object', properties: { list: { type: 'array', ...keys, items: { type: 'object' } } } };
  const names = { kind: 'Key', plural: 'keys', singular: 'key', listKind: 'KeyList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const spec = { group, scope: 'Namespaced', names, versions };
  const metadata = { name: `keys.${group}` };
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  const { status, text: answer } = await ask(`POST ${definitions}`, definition);
  expect([status, answer.length < 8 * 1024 * 1024]).toEqual([422, true]);
});

test('a policy is not evaluated for parameters without end, and users cannot switch it off with them', async () => {
  const namespace = '/api/v1/namespaces/costly-params';
  const post = async (path: string, object: object): Promise<string> => {
    const { status, text: answer } = await ask(`POST ${path}`, object);
    return status === 201 ? 'created' : answer;
  };
  const named = (kind: string, name: string): object => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, labels: { costly: kind } },
  });
  expect(await post('/api/v1/namespaces', named('Namespace', 'costly-params'))).toBe('created');
  for (const index of many(101, String)) {
    expect(await post(`${namespace}/configmaps`, named('ConfigMap', `p${index}`))).toBe('created');
  }
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'costly' },
    spec: {
      failurePolicy: 'Ignore',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'params.metadata.name != "p100" || object.metadata.name != "refused"' }],
    },
  };
  const paramRef = { selector: { matchLabels: { costly: 'ConfigMap' } }, parameterNotFoundAction: 'Allow' };
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'costly' },
    spec: { policyName: 'costly', validationActions: ['Deny'], paramRef },
  };
  expect(await post(policies, policy)).toBe('created');
  expect(await post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', binding)).toBe(
    'created',
  );
  expect(await post(`${namespace}/secrets`, named('Secret', 'a'))).toContain('selects more than 100 configmaps');
  expect((await ask(`DELETE ${namespace}/configmaps/p0`)).status).toBe(200);
  expect(await post(`${namespace}/secrets`, named('Secret', 'a'))).toBe('created');
  expect(await post(`${namespace}/secrets`, named('Secret', 'refused'))).toContain('denied request');
  expect((await ask(`DELETE ${policies}/costly`)).status).toBe(200);
});
