import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { silentLogger } from '../../base/index.ts';
import { allocateMessage, frameMessage } from './grpc-messages.ts';
import { type GrpcMethod, GrpcServer } from './grpc-server.ts';
import { GrpcError, grpcStatus } from './grpc-status.ts';

const large = Buffer.alloc(1024 * 1024, 'x');
let streamed = 0;
let isDrained = false;

function* endless(): Generator<Buffer> {
  try {
    for (;;) {
      streamed += 1;
      yield large;
    }
  } finally {
    isDrained = true;
  }
}

const methods = new Map<string, GrpcMethod>([
  ['/test/Echo', { kind: 'unary', answer: (request) => request }],
  ['/test/Large', { kind: 'unary', answer: () => large }],
  ['/test/Released', { kind: 'unary', answer: () => allocateMessage(large.length).fill('x') }],
  ['/test/Endless', { kind: 'stream', answer: endless }],
  ['/test/Talk', { kind: 'talk', answer: (request) => request }],
  ['/test/Watch', { kind: 'watch', answer: (request) => request }],
  [
    '/test/Refuse',
    {
      kind: 'unary',
      answer: () => {
        throw new GrpcError(grpcStatus.invalidArgument, 'größer than 100%');
      },
    },
  ],
]);

const stack = new AsyncDisposableStack();
let url = '';

beforeAll(async () => {
  const server = new GrpcServer({ log: silentLogger(), methods });
  url = `http://127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 }, false)}`;
  stack.defer(() => server.close());
});

afterAll(() => stack.disposeAsync());

function openSession(): ClientHttp2Session {
  const session = connect(url);
  session.on('error', () => undefined);
  stack.defer(() => session.destroy());
  return session;
}

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function call(path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const session = openSession();
  const type = { 'content-type': 'application/grpc' };
  const stream = session.request({ ':method': 'POST', ':path': path, ...type, ...headers });
  let response: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  stream.on('response', (received) => {
    response = received;
  });
  stream.on('trailers', (received: IncomingHttpHeaders) => {
    trailers = received;
  });
  stream.end(body);
  const chunks = (await stream.toArray()) as Buffer[];
  session.close();
  return { headers: response, trailers, body: Buffer.concat(chunks) };
}

test('a message is answered with a message and a status, also when it comes compressed', async () => {
  const message = Buffer.from('hello');
  const plain = await call('/test/Echo', frameMessage(message));
  expect(plain.headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc+proto' });
  expect(plain.trailers).toMatchObject({ 'grpc-status': '0' });
  expect(plain.body).toEqual(frameMessage(message));
  const compressed = frameMessage(gzipSync(message));
  compressed[0] = 1;
  const { body } = await call('/test/Echo', compressed, { 'grpc-encoding': 'gzip' });
  expect(body).toEqual(frameMessage(message));
});

const bomb = frameMessage(gzipSync(Buffer.alloc(1024 * 1024)));
bomb[0] = 1;
const garbage = Buffer.from(frameMessage(Buffer.from('no gzip')));
garbage[0] = 1;

test.each([
  { name: 'of an unknown method', path: '/test/No', body: frameMessage(large.subarray(0, 1)), code: '12' },
  { name: 'without a message', path: '/test/Echo', body: Buffer.alloc(0), code: '12' },
  { name: 'that ends within a message', path: '/test/Echo', body: Buffer.of(0, 0, 0, 0, 9, 1), code: '13' },
  { name: 'with a message that is too large', path: '/test/Echo', body: frameMessage(large), code: '8' },
  { name: 'that is too large uncompressed', path: '/test/Echo', body: bomb, encoding: 'gzip', code: '8' },
  { name: 'that is not gzip', path: '/test/Echo', body: garbage, encoding: 'gzip', code: '13' },
  { name: 'with an unknown encoding', path: '/test/Echo', body: garbage, encoding: 'snappy', code: '12' },
  { name: 'with an invalid timeout', path: '/test/Echo', body: frameMessage(garbage), timeout: 'soon', code: '13' },
])('a call $name is refused with status $code', async ({ path, body, code, encoding, timeout }) => {
  const { headers } = await call(path, body, {
    ...(encoding === undefined ? {} : { 'grpc-encoding': encoding }),
    ...(timeout === undefined ? {} : { 'grpc-timeout': timeout }),
  });
  expect(headers).toMatchObject({ ':status': 200, 'grpc-status': code });
});

test('a status message is percent-encoded; requests that are not gRPC get an HTTP status', async () => {
  const { headers } = await call('/test/Refuse', frameMessage(Buffer.alloc(0)));
  expect(headers).toMatchObject({ 'grpc-status': '3', 'grpc-message': 'gr%C3%B6%C3%9Fer than 100%25' });
  const html = await call('/test/Echo', Buffer.alloc(0), { 'content-type': 'text/html' });
  expect(html.headers[':status']).toBe(415);
});

test('a call whose deadline passes ends with a status', async () => {
  const { trailers } = await call('/test/Watch', frameMessage(Buffer.from('x')), { 'grpc-timeout': '100m' });
  expect(trailers).toMatchObject({ 'grpc-status': '4', 'grpc-message': 'Deadline exceeded' });
});

test('a talk has a message for each request, and ends with the first that is refused', async () => {
  const [one, two] = [frameMessage(Buffer.from('one')), frameMessage(Buffer.from('two'))];
  expect(await call('/test/Talk', Buffer.concat([one, two]))).toMatchObject({
    trailers: { 'grpc-status': '0' },
    body: Buffer.concat([one, two]),
  });
  const session = openSession();
  const stream = session.request({ ':method': 'POST', ':path': '/test/Talk', 'content-type': 'application/grpc' });
  stream.write(one);
  await once(stream, 'data');
  const closed = once(stream, 'close');
  const trailers = once(stream, 'trailers') as Promise<[IncomingHttpHeaders]>;
  stream.write(frameMessage(large));
  expect((await trailers)[0]['grpc-status']).toBe('8');
  await closed;
  expect(stream.rstCode).toBe(0);
});

test('a client that does not read is sent no more than fits its window, and releases its call when it leaves', async () => {
  const session = openSession();
  const stream = session.request({ ':method': 'POST', ':path': '/test/Endless', 'content-type': 'application/grpc' });
  stream.on('error', () => undefined);
  stream.end(frameMessage(Buffer.alloc(0)));
  await once(stream, 'response');
  await call('/test/Echo', frameMessage(Buffer.from('others are answered')));
  expect(streamed).toBeLessThan(4);
  session.destroy();
  await eventually(() => expect(isDrained).toBe(true));
});

test('responses that no one reads are bounded: further calls are refused, until their clients leave', async () => {
  const sessions = Array.from({ length: 2 }, openSession);
  const statuses: unknown[] = [];
  for (const session of sessions) {
    for (let index = 0; index < 50; index += 1) {
      const stream = session.request({ ':method': 'POST', ':path': '/test/Large', 'content-type': 'application/grpc' });
      stream.on('error', () => undefined);
      stream.on('response', (headers) => statuses.push(headers['grpc-status']));
      stream.end(frameMessage(Buffer.alloc(0)));
    }
  }
  await eventually(() => expect(statuses).toHaveLength(100));
  const refused = statuses.filter((status) => status === '8');
  expect(refused.length).toBeGreaterThan(30);
  expect(refused.length).toBeLessThan(40);
  for (const session of sessions) session.destroy();
  await eventually(async () => {
    const { trailers } = await call('/test/Large', frameMessage(Buffer.alloc(0)));
    expect(trailers).toMatchObject({ 'grpc-status': '0' });
  });
});

test('the memory of a message is released once it is sent, and counts as unread no longer', async () => {
  for (let calls = 0; calls < 70; calls += 1) {
    const { trailers, body } = await call('/test/Released', frameMessage(Buffer.alloc(0)));
    expect(trailers['grpc-status']).toBe('0');
    expect(body.equals(frameMessage(large))).toBe(true);
  }
});

test('calls that clients reset along with their requests harm no others', async () => {
  const session = openSession();
  await once(session, 'connect');
  for (const path of ['/test/Echo', '/test/Endless', '/test/Talk', '/test/Watch', '/test/Refuse']) {
    for (let index = 0; index < 20; index += 1) {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
      stream.on('error', () => undefined);
      stream.end(frameMessage(Buffer.from('x')), () => stream.close(8));
    }
  }
  session.close();
  await once(session, 'close');
  expect((await call('/test/Echo', frameMessage(Buffer.from('x')))).trailers).toMatchObject({ 'grpc-status': '0' });
});
