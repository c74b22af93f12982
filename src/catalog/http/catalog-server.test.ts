import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { type JsonObject, silentLogger, textAt } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { buildCatalogIndex } from '../store/build-index.ts';
import { type CatalogIndex, openCatalogIndex } from '../store/catalog-index.ts';
import { startCatalogServer } from './catalog-server.ts';

function meta(value: JsonObject): Meta {
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.yaml', line: 1 } };
}

const lines: readonly string[] = [
  '{"defaultChannel":"c","name":"p","schema":"olm.package"}',
  '{"entries":[{"name":"p.v1"}],"name":"c","package":"p","schema":"olm.channel"}',
  `{"image":"${'x'.repeat(3000)}","name":"p.v1","package":"p","schema":"olm.bundle"}`,
  '{"name":"p","schema":"custom"}',
];
const whole = `${lines.join('\n')}\n`;
const metas = lines.map((line) => meta(JSON.parse(line) as JsonObject));

const stack = new AsyncDisposableStack();
const catalogs = new Map<string, CatalogIndex>();
let [folder, port, plainPort] = ['', 0, 0];

async function openIndex(name: string, documents: readonly Meta[]): Promise<CatalogIndex> {
  await buildCatalogIndex(documents, join(folder, name));
  return openCatalogIndex(join(folder, name));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-server-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  catalogs.set('shop', await openIndex('shop', metas));
  stack.defer(() => catalogs.get('shop')?.[Symbol.dispose]());
  const options = { log: silentLogger(), host: '127.0.0.1', port: 0, catalogOf: (name: string) => catalogs.get(name) };
  port = stack.use(await startCatalogServer(options)).port;
  plainPort = stack.use(await startCatalogServer({ ...options, hasMetas: false })).port;
});

afterAll(async () => {
  await stack.disposeAsync();
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function ask(
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly port?: number } = {},
): Promise<Reply> {
  const { method = 'GET', headers = {} } = options;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const target = { host: '127.0.0.1', port: options.port ?? port, path, method, headers, agent: false };
    request(target, resolve).once('error', reject).end();
  });
  const body = Buffer.concat((await answer.toArray()) as Buffer[]);
  return { status: answer.statusCode, headers: answer.headers, body };
}

async function linesOf(query: string): Promise<string[]> {
  const { status, body } = await ask(`/catalogs/shop/api/v1/metas${query}`);
  expect(status).toBe(200);
  return body.toString().split('\n').slice(0, -1);
}

const all = '/catalogs/shop/api/v1/all';

test('CR-C19 the whole catalog is served as JSON lines, and not again to those who have it', async () => {
  const first = await ask(all);
  expect(first).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/jsonl', 'accept-ranges': 'bytes' },
  });
  expect(first.body.toString()).toBe(whole);
  const { etag = '', 'last-modified': modified = '' } = first.headers;
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
  for (const headers of [{ 'if-modified-since': modified }, { 'if-none-match': etag }]) {
    const again = await ask(all, { headers });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
  }
  expect((await ask(all, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  expect((await ask(all, { headers: { 'if-match': '"other"' } })).status).toBe(412);
  const head = await ask(all, { method: 'HEAD' });
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(whole.length), 0]);
});

test('CR-C19 parts and compressed forms are served, each with its tag', async () => {
  const part = await ask(all, { headers: { range: 'bytes=10-89', 'accept-encoding': 'gzip' } });
  expect(part).toMatchObject({
    status: 206,
    headers: { 'content-range': `bytes 10-89/${whole.length}`, 'content-length': '80' },
  });
  expect(part.body.toString()).toBe(whole.slice(10, 90));
  const tail = await ask(all, { headers: { range: 'bytes=-5', 'if-range': part.headers.etag ?? '' } });
  expect(tail.body.toString()).toBe(whole.slice(-5));
  const none = await ask(all, { headers: { range: `bytes=${whole.length}-` } });
  expect(none).toMatchObject({ status: 416, headers: { 'content-range': `bytes */${whole.length}` } });
  const packed = await ask(all, { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(packed.headers.etag).toMatch(/^"[0-9a-f]{64}-gzip"$/);
  expect(gunzipSync(packed.body).toString()).toBe(whole);
  const again = await ask(all, { headers: { 'accept-encoding': 'gzip', 'if-none-match': packed.headers.etag ?? '' } });
  expect(again.status).toBe(304);
  const small = await ask('/catalogs/shop/api/v1/metas?name=c', { headers: { 'accept-encoding': 'gzip' } });
  expect(small.headers).not.toHaveProperty('content-encoding');
});

test('CR-C20 documents are chosen by parameters; others are refused; without the gate there is no such path', async () => {
  expect(await linesOf('?schema=olm.bundle&package=p')).toEqual([lines[2]]);
  expect(await linesOf('?name=x')).toEqual([]);
  expect(await linesOf('')).toEqual(lines);
  expect(await linesOf('?schema=&name=p')).toEqual([lines[0], lines[3]]);
  expect(await linesOf('?name=c&name=p')).toEqual([lines[1]]);
  expect(await linesOf('?schema=OLM.bundle')).toEqual([]);
  expect(await linesOf('?package=p')).toEqual([lines[1], lines[2]]);
  expect(await linesOf('?package=p&includePackage=true')).toEqual(lines.slice(0, 3));
  const known = 'expected schema, package, name, includePackage';
  const bad = {
    '?foo=1': `unknown parameter "foo": ${known}`,
    '?name=x&Schema=x': `unknown parameter "Schema": ${known}`,
    [`?${'%0A'.repeat(2000)}`]: `unknown parameter "${'\\n'.repeat(64)}": ${known}`,
    '?package=p&includePackage=1': 'includePackage is "1": expected true or false',
  };
  for (const [query, text] of Object.entries(bad)) {
    const { status, body } = await ask(`/catalogs/shop/api/v1/metas${query}`);
    expect([status, body.toString()]).toEqual([400, `400 Bad Request: ${text}\n`]);
  }
  expect((await ask('/catalogs/shop/api/v1/metas', { port: plainPort })).status).toBe(404);
  expect((await ask(all, { port: plainPort })).status).toBe(200);
});

test('CR-C21 other methods, paths and catalogs are refused', async () => {
  const post = await ask(all, { method: 'POST' });
  expect([post.status, post.headers.allow, post.body.toString()]).toEqual([405, 'GET, HEAD', 'Method Not Allowed\n']);
  for (const path of ['/nope', '/catalogs/other/api/v1/all', `${all}/x`, '/catalogs//api/v1/all']) {
    const { status, body } = await ask(path);
    expect([path, status, body.toString()]).toEqual([path, 404, '404 Not Found\n']);
  }
  const named = await ask('/catalogs/Shop_1/api/v1/all');
  expect([named.status, named.body.toString()]).toEqual([
    400,
    expect.stringMatching(/^invalid catalog name: a lowercase RFC 1123/),
  ]);
});

test('a catalog is replaced while it is being read: the reader gets all of the old one, the next the new one', async () => {
  const big = [
    ...metas,
    ...Array.from({ length: 200 }, (_, index) => meta({ schema: 'x', name: `n${index}`, text: 'y'.repeat(50_000) })),
  ];
  catalogs.set('moving', await openIndex('moving', big));
  const before = await ask('/catalogs/moving/api/v1/all');
  const slow = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/catalogs/moving/api/v1/all', agent: false }, resolve)
      .once('error', reject)
      .end();
  });
  const old = catalogs.get('moving');
  catalogs.set('moving', await openIndex('moving', metas));
  old?.[Symbol.dispose]();
  expect(Buffer.concat((await slow.toArray()) as Buffer[]).equals(before.body)).toBe(true);
  expect((await ask('/catalogs/moving/api/v1/all')).body.toString()).toBe(whole);
  catalogs.get('moving')?.[Symbol.dispose]();
});

test('a client that goes away in the middle leaves nothing open', async () => {
  const big = Array.from({ length: 400 }, (_, index) =>
    meta({ schema: 'x', name: `n${index}`, text: 'y'.repeat(50_000) }),
  );
  const index = await openIndex('left', big);
  catalogs.set('left', index);
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /catalogs/left/api/v1/all HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  catalogs.delete('left');
  index[Symbol.dispose]();
  // Open while a client reads it.
  await eventually(() => expect(() => index.packageNames()).toThrow(/not open/));
});

test.each(['GET /\0 HTTP/1.1\r\n\r\n', `GET ${all} HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'nonsense\r\n\r\n'])(
  'nonsense is refused, and others are still answered',
  async (text) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    const answer = await socket.toArray();
    expect(Buffer.concat(answer as Buffer[]).toString()).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await ask(all)).status).toBe(200);
  },
);
