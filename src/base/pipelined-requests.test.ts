import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { createCertificateAuthority, issueCertificate, limitConnections } from './index.ts';

const limits = { maxConnections: 8, maxPerPeer: 8 };
/** What connections of HTTP/1.1 and of TLS read at once, and more. */
const count = 5000;
const requests = Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nhost:\r\n\r\n`);
const last = 'GET /last HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n';

async function portOf(server: Pick<Server, 'listen' | 'address' | 'once'>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers each request with its path, in a later turn; notes how many are open at a time. */
class LateAnswers {
  mostOpen = 0;
  #open = 0;

  readonly listener: RequestListener = (request, response) => {
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    request.resume();
    setImmediate(() => {
      this.#open -= 1;
      response.end(`[${request.url}]`);
    });
  };
}

async function pathsAnswered(socket: Duplex): Promise<string[]> {
  socket.write(requests.join(''));
  socket.write(last);
  return [...(await text(socket)).matchAll(/\[(\/\w+)\]/g)].map(([, path = '']) => path);
}

const expected = [...requests.map((_, index) => `/${index}`), '/last'];

test('requests that a client sends without waiting are read as they are answered, in their order', async () => {
  const answers = new LateAnswers();
  const server = createServer(answers.listener);
  limitConnections(server, limits);
  const paths = await pathsAnswered(connect(await portOf(server), '127.0.0.1'));
  expect(paths).toEqual(expected);
  expect(answers.mostOpen).toBeLessThanOrEqual(4);
  server.close();
});

test('so are those over TLS, beside HTTP/2', async () => {
  const about = { commonName: 'test', nowMs: Date.now(), lifetimeDays: 1 };
  const authority = await createCertificateAuthority(about);
  const names = { ...about, commonName: 'server', ipAddresses: ['127.0.0.1'], usage: 'server' as const };
  const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(authority, names);
  const answers = new LateAnswers();
  const server = createSecureServer({ allowHTTP1: true, cert, key }, answers.listener as never);
  limitConnections(server, limits);
  const port = await portOf(server as unknown as Server);
  const client = connectTls({ port, host: '127.0.0.1', ca: authority.certificatePem, ALPNProtocols: ['http/1.1'] });
  expect(await pathsAnswered(client)).toEqual(expected);
  expect(answers.mostOpen).toBeLessThanOrEqual(4);
  server.close();
});

test('a body that looks like the ends of many requests arrives as it was sent', async () => {
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(`${body.length} ${body.replaceAll('\r\n\r\n', '')}`));
  });
  limitConnections(server, limits);
  const body = `${'\r\n\r\n'.repeat(50_000)}end`;
  const client = connect(await portOf(server), '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nhost:\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  expect(await text(client)).toMatch(/\r\n200003 end/);
  server.close();
});

/** What a client may send at once of a body in chunks of one byte, in six bytes each: two megabytes, as much as node reads of a connection at once. */
const chunked = 'POST /large HTTP/1.1\r\nhost:\r\ntransfer-encoding: chunked\r\n\r\n';
const chunks = Buffer.from('1\r\n \r\n'.repeat(350_000));

/** How many bytes of a body have arrived, which take long, when the request of another client arrives that is sent with the first of them. */
class InterruptedBody {
  readonly before = Promise.withResolvers<number>();
  readonly begun = Promise.withResolvers<void>();
  #arrived = 0;

  readonly listener: RequestListener = (request, response) => {
    if (request.url === '/small') {
      this.before.resolve(this.#arrived);
      response.end();
      return;
    }
    request.on('error', () => undefined);
    request.on('data', (piece: Buffer) => {
      this.#arrived += piece.length;
      if (this.#arrived === 1) this.begun.resolve();
      if (this.#arrived % 5000 === 1) for (const endMs = performance.now() + 15; performance.now() < endMs; );
    });
  };
}

test('a body in chunks of one byte leaves turns to others', async () => {
  const body = new InterruptedBody();
  const server = createServer(body.listener);
  limitConnections(server, limits);
  const port = await portOf(server);
  const [large, small] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all([large, small].map((client) => once(client, 'connect')));
  large.write(chunked);
  large.write(chunks);
  void body.begun.promise.then(() => small.write('GET /small HTTP/1.1\r\nhost:\r\n\r\n'));
  // Three reads of 64 KiB; without turns all that the socket has received.
  expect(await body.before.promise).toBeLessThanOrEqual(35_000);
  for (const client of [large, small]) client.destroy();
  server.close();
});
