import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { type AddressInfo, connect as connectPlainly, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import { eventually, issueAuthority } from '../../test/support/index.ts';
import { connectionTurns } from './connection-turns.ts';
import {
  type CertifiedKey,
  type ConnectionLimits,
  createCertificateAuthority,
  issueCertificate,
  limitConnections,
  paceConnectionsOf,
} from './index.ts';
import { pacedFor } from './paced-connections.ts';

const nowMs = Date.now();
const limits = { maxConnections: 500, maxPerPeer: 500 };
const versions = [{ maxVersion: 'TLSv1.2' }, { maxVersion: 'TLSv1.3' }] as const;
let authority: CertifiedKey;
let server: CertifiedKey;
let client: CertifiedKey;

beforeAll(async () => {
  authority = await createCertificateAuthority({ commonName: 'authority', nowMs, lifetimeDays: 2 });
  const issued = { nowMs, lifetimeDays: 1 };
  server = await issueCertificate(authority, { ...issued, commonName: 'localhost', usage: 'server' });
  client = await issueCertificate(authority, { ...issued, commonName: 'someone', usage: 'client' });
});

/** Answers with who has asked, from where, and how many bytes were sent. */
class AskingServer implements AsyncDisposable {
  readonly #server = createServer(
    {
      key: server.privateKeyPem,
      cert: server.certificatePem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const name = socket.authorized ? socket.getPeerCertificate().subject.CN : 'no one';
      const from = `${socket.remoteAddress} ${socket.remotePort}`;
      void text(request).then(({ length }) => response.end(`${String(name)} at ${from} sent ${length}`));
    },
  );

  static async start(more: Partial<ConnectionLimits> = {}): Promise<AskingServer> {
    const started = new AskingServer();
    limitConnections(started.#server, { ...limits, ...more });
    started.#server.listen(0, '127.0.0.1');
    await once(started.#server, 'listening');
    return started;
  }

  /** Sends its request with the last message of the handshake; empty where the server disconnects. */
  async ask(body: string, options: ConnectionOptions = {}): Promise<string> {
    const { port } = this.#server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    const head = `POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head + body);
    const answer = text(socket).catch(() => '');
    await once(socket, 'connect');
    const from = `${socket.localAddress} ${socket.localPort}`;
    return (await answer).split('\r\n').at(-1)?.replace(from, 'its address') ?? '';
  }

  /** Sends bytes, and disconnects. */
  async send(bytes: Buffer): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const socket = connectPlainly({ host: '127.0.0.1', port });
    socket.on('error', () => undefined);
    socket.end(bytes);
    socket.resume();
    await once(socket, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

test.each(versions)(
  '$maxVersion: a client is known by its certificate, whatever it sends with it',
  async ({ maxVersion }) => {
    await using asking = await AskingServer.start();
    const own = { cert: client.certificatePem, key: client.privateKeyPem, maxVersion };
    const body = 'x'.repeat(1_000_000);
    expect(await asking.ask(body, own)).toBe('someone at its address sent 1000000');
    expect(await asking.ask('', { ...own, cert: own.cert + authority.certificatePem })).toBe(
      'someone at its address sent 0',
    );
    expect(await asking.ask('', { maxVersion })).toBe('no one at its address sent 0');
  },
);

/** A client with certificates of authorities that vouch for one another. */
async function clientOfMany(authorities: number): Promise<{ readonly cert: string; readonly key: string }> {
  const others = [authority];
  for (let index = 0; index < authorities; index += 1) {
    others.unshift(await issueAuthority(others[0] ?? authority, `authority ${index}`));
  }
  const request = { commonName: 'someone else', usage: 'client', nowMs, lifetimeDays: 1 } as const;
  const own = await issueCertificate(others[0] ?? authority, request);
  const certificates = [own, ...others].map(({ certificatePem }) => certificatePem);
  return { cert: certificates.join(''), key: own.privateKeyPem };
}

test.each(versions)(
  '$maxVersion: a client that shows very many certificates is disconnected',
  async ({ maxVersion }) => {
    await using asking = await AskingServer.start();
    expect(await asking.ask('', { ...(await clientOfMany(50)), maxVersion })).toBe('');
    expect(await asking.ask('', { maxVersion })).toBe('no one at its address sent 0');
  },
);

test.each(versions)(
  '$maxVersion: on this machine, after a client that shows very many certificates, no other one can',
  async ({ maxVersion }) => {
    await using asking = await AskingServer.start({ isLocal: true });
    const many = await clientOfMany(50);
    expect(await asking.ask('x'.repeat(100_000), { maxVersion })).toBe('no one at its address sent 100000');
    const answers = [await asking.ask('', { ...many, maxVersion }), await asking.ask('', { ...many, maxVersion })];
    expect(answers).toEqual(['someone else at its address sent 0', '']);
    const own = { cert: client.certificatePem, key: client.privateKeyPem, maxVersion };
    expect(await asking.ask('x'.repeat(100_000), own)).toBe('someone at its address sent 100000');
  },
);

/** The first bytes of a hello of a client that is longer. */
function beginning(length: number): Buffer {
  const recordBytes = 16 * 1024;
  const content = Buffer.concat([Buffer.from([1, 0, 0xff, 0xff]), Buffer.alloc(length - 4)]);
  const records = Array.from({ length: length / recordBytes }, (_, index) => [
    Buffer.from([22, 3, 1, recordBytes >> 8, recordBytes & 0xff]),
    content.subarray(index * recordBytes, (index + 1) * recordBytes),
  ]);
  return Buffer.concat(records.flat());
}

test.each(versions)('$maxVersion: so it is after a handshake that has not ended', async ({ maxVersion }) => {
  await using asking = await AskingServer.start({ isLocal: true });
  await asking.send(beginning(32 * 1024));
  expect(await asking.ask('', { ...(await clientOfMany(50)), maxVersion })).toBe('');
  expect(await asking.ask('', { maxVersion })).toBe('no one at its address sent 0');
});

test('very many clients at once are all served', async () => {
  await using asking = await AskingServer.start();
  const answers = await Promise.all(Array.from({ length: 50 }, () => asking.ask('some')));
  expect(new Set(answers)).toEqual(new Set(['no one at its address sent 4']));
});

/** What a server with this certificate answers an agent. */
async function answerOf(cert: string, maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  const body = 'x'.repeat(100_000);
  const own = createServer({ key: server.privateKeyPem, cert, maxVersion }, (_, response) => response.end(body));
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const agent = paceConnectionsOf(new Agent({ ca: authority.certificatePem, servername: 'localhost' }));
  try {
    const asked = request({ host: '127.0.0.1', port, agent }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return (await text(response)) === body ? `answer of ${response.socket.remoteAddress}` : 'another answer';
  } finally {
    own.close();
    own.closeAllConnections();
  }
}

test.each(versions)(
  '$maxVersion: a server that shows very many certificates is not asked, and another one is',
  async ({ maxVersion }) => {
    await expect(answerOf(server.certificatePem.repeat(120), maxVersion)).rejects.toThrow(
      'TLS handshake is longer than 32 KiB',
    );
    expect(await answerOf(server.certificatePem, maxVersion)).toBe('answer of 127.0.0.1');
  },
);

test('the end of a connection comes after what has waited for its turn', async () => {
  const nothing = (): void => undefined;
  const socket = Object.assign(new EventEmitter(), { setNoDelay: nothing, pause: nothing, resume: nothing });
  const events: string[] = [];
  const paced = pacedFor(socket as unknown as Socket);
  for (const name of ['data', 'end']) paced.on(name, () => events.push(name));
  const takesAll = (): void => {
    const begunMs = performance.now();
    while (performance.now() - begunMs < 11);
  };
  connectionTurns.add({ rank: 0, lastMs: 0, pass: takesAll });
  socket.emit('data', Buffer.from('x'));
  socket.emit('end');
  await eventually(() => expect(events).toEqual(['data', 'end']));
});

test('a connection whose bytes take long leaves turns to others', async () => {
  const own = createTlsServer({ key: server.privateKeyPem, cert: server.certificatePem });
  limitConnections(own, limits);
  const connected: TLSSocket[] = [];
  own.on('secureConnection', (socket) => connected.push(socket));
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const clients = [0, 1].map(() => connect({ host: '127.0.0.1', port, rejectUnauthorized: false }));
  const [large, small] = clients;
  await Promise.all(clients.map((client) => once(client, 'secureConnect')));
  await eventually(() => expect(connected).toHaveLength(2));
  let taken = 0;
  let isLeft = true;
  const takenBefore = new Promise<number>((resolve) => {
    for (const socket of connected) {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        if (chunk.length < 10) {
          isLeft = false;
          return resolve(taken);
        }
        if (taken === 0) small?.write('small');
        taken += chunk.length;
        const endMs = performance.now() + 15;
        while (isLeft && performance.now() < endMs);
      });
    }
  });
  large?.write(Buffer.alloc(4 * 1024 * 1024));
  // Two chunks; without turns all that the socket has received.
  expect(await takenBefore).toBeLessThanOrEqual(128 * 1024);
  for (const client of clients) client.destroy();
  own.close();
});
