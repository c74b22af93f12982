import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, parseYaml, silentLogger } from '../src/base/index.ts';
import { Connection } from '../test/conformance/connection.ts';
import { eventually } from '../test/support/index.ts';
import { type ApiServer, startApiServer } from './index.ts';
import { builtinResourceTypes } from './registry/builtin-resources.ts';

interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: JsonObject;
}

interface Asked {
  readonly method?: string;
  readonly body?: JsonObject | string;
  readonly headers?: Record<string, string>;
  readonly token?: string | undefined;
}

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(async () => {
  await server.stop();
});

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function ask(path: string, asked: Asked = {}): Promise<Answer> {
  const body = typeof asked.body === 'string' || asked.body === undefined ? asked.body : JSON.stringify(asked.body);
  const token = 'token' in asked ? asked.token : server.adminToken;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...asked.headers,
  };
  return await new Promise<Answer>((resolve, reject) => {
    const request = httpsRequest(`${server.url}${path}`, {
      method: asked.method ?? 'GET',
      ca: server.caCertificatePem,
      headers,
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }),
      );
    });
    request.end(body);
  });
}

const configMaps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: Record<string, string> = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

test('answers health and version to anybody, all else to who may', async () => {
  expect(await ask('/healthz', { token: undefined })).toMatchObject({ code: 200, text: 'ok' });
  expect((await ask('/version', { token: undefined })).body['major']).toBe('1');
  const refused = await ask('/api/v1/namespaces', { token: undefined });
  expect(refused).toMatchObject({ code: 403, body: { reason: 'Forbidden' } });
  expect(await ask('/version', { token: 'wrong' })).toMatchObject({ code: 401 });
});

test('echoes the audit id and makes one', async () => {
  const echoed = await ask('/healthz', { headers: { 'audit-id': 'abc' } });
  expect(echoed.headers['audit-id']).toBe('abc');
  expect((await ask('/healthz')).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('creates, reads, replaces, patches and deletes an object', async () => {
  const created = await ask(configMaps, { method: 'POST', body: configMap('crud', { a: '1' }) });
  expect(created).toMatchObject({ code: 201, body: { kind: 'ConfigMap', data: { a: '1' } } });
  const again = await ask(configMaps, { method: 'POST', body: configMap('crud') });
  expect(again).toMatchObject({
    code: 409,
    body: { reason: 'AlreadyExists', message: 'configmaps "crud" already exists' },
  });
  const stale = { ...created.body, metadata: { ...(created.body['metadata'] as JsonObject), resourceVersion: '1' } };
  expect(await ask(`${configMaps}/crud`, { method: 'PUT', body: stale })).toMatchObject({ code: 409 });
  const replaced = await ask(`${configMaps}/crud`, { method: 'PUT', body: { ...created.body, data: { a: '2' } } });
  expect(replaced).toMatchObject({ code: 200, body: { data: { a: '2' } } });
  const patched = await ask(`${configMaps}/crud`, {
    method: 'PATCH',
    body: { data: { b: '3' } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  expect(patched).toMatchObject({ code: 200, body: { data: { a: '2', b: '3' } } });
  const deleted = await ask(`${configMaps}/crud`, { method: 'DELETE' });
  expect(deleted).toMatchObject({ code: 200, body: { status: 'Success', details: { kind: 'configmaps' } } });
  expect(await ask(`${configMaps}/crud`)).toMatchObject({
    code: 404,
    body: { message: 'configmaps "crud" not found' },
  });
});

test('pages through a list at one version', async () => {
  for (const name of ['page-a', 'page-b', 'page-c']) {
    await ask(configMaps, {
      method: 'POST',
      body: { ...configMap(name), metadata: { name, labels: { set: 'page' } } },
    });
  }
  const first = await ask(`${configMaps}?limit=2`);
  const { continue: token, resourceVersion } = first.body['metadata'] as { continue: string; resourceVersion: string };
  await ask(configMaps, { method: 'POST', body: configMap('page-d') });
  const second = await ask(`${configMaps}?limit=50&continue=${token}`);
  expect(second.body['metadata']).toEqual({ resourceVersion });
  const names = (second.body['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name);
  expect(names).not.toContain('page-d');
});

test('watches from a version without loss and ends after its time', async () => {
  const list = await ask(configMaps);
  const { resourceVersion } = list.body['metadata'] as { resourceVersion: string };
  const watch = ask(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`);
  await ask(configMaps, { method: 'POST', body: configMap('watched') });
  await ask(`${configMaps}/watched`, { method: 'DELETE' });
  const lines = (await watch).text.trim().split('\n').map(parse);
  const mine = lines.filter(({ object }) => (object as { metadata: { name: string } }).metadata.name === 'watched');
  expect(mine.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
});

test.each([
  { name: 'a body over 3 MiB', body: `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`, code: 413 },
  { name: 'a body that is no JSON', body: '{', code: 400 },
  { name: 'the key __proto__', body: '{"metadata":{"name":"x"},"__proto__":{"a":1}}', code: 400 },
  { name: '10,000 levels of nesting', body: `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, code: 400 },
  { name: 'another kind', body: '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}', code: 400 },
])('refuses $name', async ({ body, code }) => {
  expect((await ask(configMaps, { method: 'POST', body })).code).toBe(code);
});

test('handles a duplicate field as fieldValidation requests', async () => {
  const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
  const strict = await ask(`${configMaps}?fieldValidation=Strict`, { method: 'POST', body });
  expect(strict.body['message']).toContain('strict decoding error: duplicate field "data.a"');
  const warned = await ask(configMaps, { method: 'POST', body });
  expect(warned).toMatchObject({ code: 201, headers: { warning: '299 - "duplicate field \\"data.a\\""' } });
});

test('stops at once with watches open', async () => {
  const other = await startApiServer();
  const agent = httpsRequest(`${other.url}/api/v1/namespaces?watch=1`, {
    ca: other.caCertificatePem,
    headers: { authorization: `Bearer ${other.adminToken}` },
  });
  const ended = new Promise<void>((resolve) => {
    agent.on('response', (response) => response.resume().on('end', resolve));
  });
  agent.end();
  await new Promise((resolve) => agent.once('response', resolve));
  await other.stop();
  await expect(ended).resolves.toBeUndefined();
});

// A first request is waited for 30 seconds.
test('stops though a client has connected and sends nothing', { timeout: 20_000 }, async () => {
  const other = await startApiServer();
  const silent = connect(Number(new URL(other.url).port), '127.0.0.1');
  silent.on('error', () => undefined);
  await once(silent, 'connect');
  await other.stop();
  silent.destroy();
});

test('W058 answers 500 when its own code throws, and goes on', async () => {
  const configMapType = builtinResourceTypes().find(({ plural }) => plural === 'configmaps');
  if (configMapType === undefined) throw new Error('there are no ConfigMaps');
  const nameProblems = (): never => {
    throw new Error('out of order');
  };
  const strategy = { ...configMapType.strategy, nameProblems };
  const broken = { ...configMapType, group: 'broken.example.com', storageKey: 'broken', strategy };
  await using other = await startApiServer({ extraTypes: [broken] });
  const path = '/apis/broken.example.com/v1/namespaces/default/configmaps';
  const body = JSON.stringify({ metadata: { name: 'a' } });
  const headers = { 'content-type': 'application/json' };
  using connection = new Connection(other.kubeconfig);
  const answer = await connection.ask({ method: 'POST', path, headers, body });
  expect(answer).toMatchObject({
    status: 500,
    body: { kind: 'Status', reason: 'InternalError', message: 'Internal error occurred: out of order' },
  });
  expect(await connection.ask({ method: 'GET', path, headers: {} })).toMatchObject({ status: 200 });
});

test('a namespace with contents is emptied and goes', async () => {
  await ask('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'short-lived' } } });
  await ask('/api/v1/namespaces/short-lived/configmaps', { method: 'POST', body: { metadata: { name: 'inside' } } });
  expect((await ask('/api/v1/namespaces/short-lived', { method: 'DELETE' })).body).toMatchObject({
    status: { phase: 'Terminating' },
  });
  await eventually(async () => {
    expect((await ask('/api/v1/namespaces/short-lived')).code).toBe(404);
    expect((await ask('/api/v1/namespaces/short-lived/configmaps/inside')).code).toBe(404);
  });
});

test('a Job gets its generated name into the labels that select its pods', async () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const body = { metadata: { generateName: 'job-' }, spec: { template } };
  const made = await ask('/apis/batch/v1/namespaces/default/jobs', { method: 'POST', body });
  expect(made.code, made.text).toBe(201);
  const { name } = made.body['metadata'] as { name: string };
  const labels = { 'job-name': name, 'batch.kubernetes.io/job-name': name };
  expect(made.body).toMatchObject({ spec: { template: { metadata: { labels } } } });
});

test('a client that leaves in the middle of a body leaves no error in the log', async () => {
  const errors: unknown[] = [];
  const left = Promise.withResolvers<void>();
  const log = {
    ...silentLogger(),
    debug: () => left.resolve(),
    error: (...entry: unknown[]) => void errors.push(entry),
  };
  await using other = await startApiServer({ simulation: false, log });
  const sent = httpsRequest(`${other.url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    ca: other.caCertificatePem,
    headers: { authorization: `Bearer ${other.adminToken}`, 'content-type': 'application/json', 'content-length': 99 },
    agent: false,
  });
  sent.on('error', () => undefined);
  sent.write('{', () => sent.destroy());
  await left.promise;
  expect(errors).toEqual([]);
});

test('a large list as YAML is written in flow style, in pieces', async () => {
  const data = { large: `\u0085${'x\n'.repeat(300_000)}` };
  for (const name of ['a', 'b']) {
    await server.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `large-${name}` }, data });
  }
  const path = '/api/v1/namespaces/default/configmaps';
  const { code, text } = await ask(path, { headers: { accept: 'application/yaml' } });
  const seen = parseYaml('list', text) as unknown as { items: { data?: { large?: string } }[] };
  expect([code, seen.items.filter(({ data: own }) => own?.large === data.large).length]).toEqual([200, 2]);
  expect(seen).toEqual(JSON.parse((await ask(path)).text));
});
