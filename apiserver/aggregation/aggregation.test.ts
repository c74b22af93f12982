import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, objectAt, objectsAt } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import {
  type ExtensionOptions,
  type ExtensionServer,
  startExtensionServer,
} from '../../test/support/extension-server.ts';
import { type ApiObject, type ApiServer, startApiServer } from '../index.ts';

let server: ApiServer;
let groups = 0;

beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.stop());

interface Extended extends AsyncDisposable {
  readonly extension: ExtensionServer;
  readonly group: string;
  readonly name: string;
  readonly root: string;
}

interface Plan {
  readonly server?: Partial<ExtensionOptions>;
  readonly spec?: JsonObject;
  readonly prepare?: (extension: ExtensionServer) => void;
}

function availabilityOf(object: unknown): JsonObject | undefined {
  const status = isJsonObject(object) ? objectAt(object, 'status') : undefined;
  return objectsAt(status, 'conditions').find(({ type }) => type === 'Available');
}

async function untilReason(name: string, reason: string): Promise<JsonObject | undefined> {
  const reference = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name };
  return availabilityOf(await server.client.until(reference, (found) => availabilityOf(found)?.['reason'] === reason));
}

/** An extension server behind an ExternalName, registered for a group of its own. */
async function extend({ server: options = {}, spec = {}, prepare }: Plan = {}): Promise<Extended> {
  groups += 1;
  const group = `g${groups}.example.com`;
  const service = `extension-${groups}`;
  const extension = await startExtensionServer({ group, dnsNames: [`${service}.default.svc`], ...options });
  prepare?.(extension);
  await server.client.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const name = `v1.${group}`;
  await server.client.create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: service, port: extension.port },
      caBundle: extension.caBundle,
      ...spec,
    },
  });
  return {
    extension,
    group,
    name,
    root: `/apis/${group}/v1`,
    [Symbol.asyncDispose]: async () => {
      await server.client.delete({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name });
      await extension[Symbol.asyncDispose]();
    },
  };
}

async function extendAndWait(plan: Plan = {}): Promise<Extended> {
  const extended = await extend(plan);
  await untilReason(extended.name, 'Passed');
  return extended;
}

interface Question extends RequestOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

function admin(options: Question): RequestOptions {
  const { url, caCertificatePem: ca, adminToken } = server;
  const { hostname, port } = new URL(url);
  return {
    hostname,
    port,
    ca,
    agent: false,
    ...options,
    headers: { authorization: `Bearer ${adminToken}`, ...options.headers },
  };
}

async function ask(path: string, options: Question = {}): Promise<Answer> {
  const { body, ...rest } = options;
  const isChunked = rest.headers?.['transfer-encoding'] !== undefined;
  // Node.js itself frames the bodies of some methods not at all.
  const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = httpsRequest(admin({ path, ...rest, headers: { ...rest.headers, ...length } }));
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = await response.toArray();
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks as Buffer[]).toString() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function discovered(group: string): Promise<JsonObject | undefined> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { text } = await ask('/apis', { headers: { accept } });
  const items = objectsAt(JSON.parse(text) as JsonObject, 'items');
  const found = items.find((item) => objectAt(item, 'metadata')?.['name'] === group);
  return objectsAt(found, 'versions')[0];
}

test('an extension server verifies the client by what is published, and sees the user alone', async () => {
  const reference = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  };
  const { data } = await server.client.get<ApiObject & { data: Record<string, string> }>(reference);
  await using extended = await extendAndWait({ server: { clientCaPem: data['requestheader-client-ca-file'] ?? '' } });
  const path = `${extended.root}/namespaces/default/widgets/a/echo`;
  const { status, text } = await ask(path, {
    headers: { cookie: 'session=secret', 'x-remote-group': 'system:masters' },
  });
  expect(status).toBe(200);
  const { headers } = JSON.parse(text) as { headers: Record<string, string> };
  expect(headers['x-remote-user']).toBe('kubernetes-admin');
  expect(headers['x-remote-group']).toBe('system:masters, system:authenticated');
  expect(text).not.toContain('secret');
  expect(text).not.toContain(server.adminToken);
  expect(extended.extension.last(path)?.client).toBe('front-proxy-client');
  expect(data['requestheader-allowed-names']).toBe('["front-proxy-client"]');
});

test('bodies of any method and size are streamed, over HTTP/1.1 and HTTP/2', async () => {
  await using extended = await extendAndWait();
  const path = `${extended.root}/namespaces/default/widgets/a/echo`;
  const large = Buffer.alloc(5 * 1024 * 1024, 'x');
  for (const method of ['POST', 'DELETE', 'PUT']) {
    const { status, text } = await ask(path, { method, body: large });
    expect(status).toBe(200);
    expect((JSON.parse(text) as { body: string }).body.length).toBe(large.length);
  }
  const chunked = await ask(path, { method: 'DELETE', body: 'text', headers: { 'transfer-encoding': 'chunked' } });
  expect(JSON.parse(chunked.text)).toMatchObject({ method: 'DELETE', body: 'text' });
  const session = connect(server.url, { ca: server.caCertificatePem });
  try {
    expect(await askHttp2(session, path, 'text')).toMatchObject({ method: 'DELETE', body: 'text' });
    expect(await askHttp2(session, path, '')).toMatchObject({ method: 'DELETE', body: '' });
  } finally {
    session.close();
  }
});

async function askHttp2(session: ClientHttp2Session, path: string, body: string): Promise<unknown> {
  const headers = { ':path': path, ':method': 'DELETE', authorization: `Bearer ${server.adminToken}` };
  const stream = session.request(headers, { endStream: body === '' });
  if (body !== '') stream.end(body);
  return JSON.parse(Buffer.concat((await stream.toArray()) as Buffer[]).toString()) as unknown;
}

test('a connection may change its protocol, for users who may, and ends on both sides', async () => {
  await using extended = await extendAndWait();
  const path = `${extended.root}/namespaces/default/widgets/a/echo`;
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const sent = httpsRequest(admin({ path, headers }));
  sent.end();
  const [response, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Socket];
  expect(response.headers['x-echo']).toBe('yes');
  socket.write('hello');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  expect(extended.extension.last(path)?.headers).toMatchObject({
    'x-remote-user': 'kubernetes-admin',
    upgrade: 'echo',
  });
  const closed = once(socket, 'close');
  await extended.extension[Symbol.asyncDispose]();
  await closed;
});

test('a refused change of protocol is an answer like any other', async () => {
  await using extended = await extendAndWait();
  const path = `${extended.root}/namespaces/default/widgets/a/echo`;
  expect(await ask(path, { headers: { connection: 'Upgrade', upgrade: 'other' } })).toEqual({
    status: 400,
    text: 'no\n',
  });
  const headers = { connection: 'Upgrade', upgrade: 'echo', 'impersonate-user': 'other' };
  expect((await ask(path, { headers })).status).toBe(403);
  const changes = extended.extension.requests.filter((request) => request.headers.upgrade !== undefined);
  expect(changes.map((request) => request.headers.upgrade)).toEqual(['other']);
});

test('a request ends when its time is over, and with its client', async () => {
  await using extended = await extendAndWait();
  const ended: string[] = [];
  extended.extension.override = (request, response) => {
    if (request.url?.includes('/widgets/slow') !== true) return false;
    response.on('close', () => ended.push(request.url ?? ''));
    return true;
  };
  const path = `${extended.root}/namespaces/default/widgets/slow`;
  const { status, text } = await ask(`${path}?timeout=1s`);
  expect([status, (JSON.parse(text) as JsonObject)['reason']]).toEqual([504, 'Timeout']);
  await eventually(() => expect(ended).toContain(`${path}?timeout=1s`));
  const sent = httpsRequest(admin({ path }));
  sent.on('error', () => {});
  sent.end();
  await eventually(() => expect(extended.extension.last(path)?.url).toBe(path));
  sent.destroy();
  await eventually(() => expect(ended).toContain(path));
});

test('a watch lasts until the extension server ends', async () => {
  await using extended = await extendAndWait();
  const sent = httpsRequest(admin({ path: `${extended.root}/widgets?watch=true` }));
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const widget = JSON.stringify({ metadata: { name: 'a' } });
  expect((await ask(`${extended.root}/namespaces/default/widgets`, { method: 'POST', body: widget })).status).toBe(201);
  const [event] = (await once(response, 'data')) as [Buffer];
  expect(JSON.parse(event.toString())).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  response.on('error', () => {});
  const closed = new Promise((resolve) => response.once('close', resolve));
  await extended.extension[Symbol.asyncDispose]();
  await closed;
});

test('discovery and OpenAPI without an end cost a bounded time and size, and other groups are served', async () => {
  await using extended = await extend({
    prepare: (extension) => {
      extension.override = ({ url = '' }, response) => {
        if (url !== '/apis' && !url.startsWith('/openapi')) return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        const write = (): void => {
          while (response.write('['.repeat(64 * 1024)));
        };
        response.on('drain', write);
        write();
        return true;
      };
    },
  });
  await untilReason(extended.name, 'Passed');
  await eventually(async () => expect(await discovered(extended.group)).toMatchObject({ freshness: 'Stale' }));
  const { status, text } = await ask('/openapi/v2');
  expect([status, text.includes(extended.group)]).toEqual([200, false]);
});

test('OpenAPI with very many small values is not read, and its server is served without it', async () => {
  await using extended = await extend({
    prepare: (extension) => {
      extension.override = ({ url = '' }, response) => {
        if (url !== '/openapi/v2') return false;
        const path = `/apis/${extension.groupVersion}/costly`;
        response.end(`{"paths":{"${path}":{"get":{"x":[${'{},'.repeat(300_000)}{}]}}}}`);
        return true;
      };
    },
  });
  await untilReason(extended.name, 'Passed');
  await eventually(async () => expect(await discovered(extended.group)).toMatchObject({ freshness: 'Current' }));
  const { status, text } = await ask('/openapi/v2');
  expect([status, text.includes('/costly')]).toEqual([200, false]);
});

test('discovery with values of other types is read as what clients can decode', async () => {
  await using extended = await extend({
    prepare: (extension) => {
      extension.override = ({ url = '' }, response) => {
        if (url !== '/apis') return false;
        const resource = { resource: 'widgets', verbs: 7, shortNames: [{}], subresources: 'x', scope: [] };
        const versions = [{ version: 'v1', resources: [resource, 5] }];
        const items = [{ metadata: { name: extension.groupVersion.split('/')[0] ?? '' }, versions }];
        response.writeHead(200, {
          'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
        });
        response.end(JSON.stringify({ items }));
        return true;
      };
    },
  });
  const widgets = { resource: 'widgets', scope: 'Namespaced', singularResource: '', verbs: [], shortNames: [''] };
  const expected = { resources: [widgets, { resource: '', scope: 'Namespaced', verbs: [] }], freshness: 'Current' };
  await eventually(async () => expect(await discovered(extended.group)).toMatchObject(expected));
});

test('an APIService that leads to the server itself is not trusted there', async () => {
  const { port } = new URL(server.url);
  await using extended = await extend({ spec: { caBundle: null, insecureSkipTLSVerify: true } });
  const patch = { spec: { service: { port: Number(port) } } };
  const reference = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: extended.name };
  await server.client.patch(reference, patch, { type: 'merge' });
  const condition = await untilReason(extended.name, 'FailedDiscoveryCheck');
  expect(condition?.['message']).toMatch(/bad status from .*: 401$/);
  expect((await ask(`${extended.root}/widgets`)).status).toBe(503);
});

test('the address of a Service may be given by the program', async () => {
  await using extension = await startExtensionServer({ group: 'given.example.com', dnsNames: ['given.default.svc'] });
  await using own = await startApiServer({ resolveService: () => ({ host: '127.0.0.1', port: extension.port }) });
  const ports = [{ port: 443 }];
  await own.client.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'given' }, spec: { ports } });
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 8443 }] }];
  await own.client.create({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'given' }, subsets } as never);
  const spec = {
    group: 'given.example.com',
    version: 'v1',
    groupPriorityMinimum: 10,
    versionPriority: 10,
    service: { namespace: 'default', name: 'given' },
    caBundle: extension.caBundle,
  };
  const name = 'v1.given.example.com';
  const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
  await own.client.create(service);
  await own.client.until(service, (found) => availabilityOf(found)?.['reason'] === 'Passed');
  const answer = await own.client.request({ method: 'GET', path: '/apis/given.example.com/v1/widgets' });
  expect(JSON.stringify(answer)).toContain('WidgetList');
});

test('the authority of the front proxy is the same after a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'longshore-front-proxy-'));
  try {
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'extension-apiserver-authentication',
    };
    const published: unknown[] = [];
    for (let start = 0; start < 2; start += 1) {
      await using own = await startApiServer({ dataDir });
      published.push((await own.client.get<ApiObject & { data: unknown }>(reference)).data);
    }
    expect(published[1]).toEqual(published[0]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('an extension server that comes back is available again', async () => {
  await using extended = await extendAndWait();
  await extended.extension[Symbol.asyncDispose]();
  const { status, text } = await ask(`${extended.root}/widgets`);
  expect([status, text]).toEqual([503, expect.stringContaining('error trying to reach service: dial tcp')]);
});

test('the core group is answered here, whatever its APIService names', async () => {
  const reference = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.' };
  await server.client.patch(
    reference,
    { spec: { service: { namespace: 'default', name: 'none' } } },
    { type: 'merge' },
  );
  try {
    expect((await ask('/api/v1/namespaces/default')).status).toBe(200);
    expect((await ask('/api/v1')).text).toContain('"configmaps"');
  } finally {
    await server.client.patch(reference, { spec: { service: null } }, { type: 'merge' });
  }
});
