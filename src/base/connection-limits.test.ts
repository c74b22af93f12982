import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { type ConnectionLimits, limitConnections } from './index.ts';

/** Answers at once; `/held` when the test lets it, `/endless` without end, `/begun` once and never more, anything else than `/` with 404. */
class LimitedServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  readonly #sockets: Socket[] = [];

  private constructor(limits: Partial<ConnectionLimits>, openFiles?: number) {
    this.#server = createServer((request, response) => {
      const end = (): void => void response.writeHead(request.url === '/none' ? 404 : 200).end('answer');
      if (request.url === '/held') this.#held.push(end);
      else if (request.url === '/endless') this.#writeTo(response);
      else if (request.url === '/begun') response.write('first');
      else request.resume().once('end', end);
    });
    limitConnections(this.#server, { maxConnections: 6, maxPerPeer: 3, firstRequestMs: 60_000, ...limits }, openFiles);
  }

  static async start(limits: Partial<ConnectionLimits> = {}, openFiles?: number): Promise<LimitedServer> {
    const server = new LimitedServer(limits, openFiles);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  async connect(localAddress: string): Promise<Socket> {
    const { port } = this.#server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    socket.on('error', () => undefined);
    this.#sockets.push(socket);
    await once(socket, 'connect');
    // Accepted in this order.
    await eventually(async () => expect(await this.#accepted()).toBeGreaterThan(0));
    return socket;
  }

  #accepted(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  #writeTo(response: ServerResponse): void {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    };
    response.on('drain', write);
    write();
  }

  release(): void {
    for (const end of this.#held.splice(0)) end();
  }

  get heldCount(): number {
    return this.#held.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function ask(socket: Socket, path = '/'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString('latin1').split('\r\n', 1)[0] ?? '';
}

const isClosed = (socket: Socket): Promise<void> => eventually(() => expect(socket.closed).toBe(true));
const idle = (socket: Socket): Socket => socket.resume();

test('a peer at its limit of connections loses its oldest silent one to the next', async () => {
  await using server = await LimitedServer.start();
  const mine = [];
  for (let count = 0; count < 3; count += 1) mine.push(idle(await server.connect('127.0.0.2')));
  const other = await server.connect('127.0.0.3');
  const next = await server.connect('127.0.0.2');
  await isClosed(mine[0] as Socket);
  expect(await ask(next)).toContain('200');
  expect(await ask(other)).toContain('200');
  expect(mine.slice(1).map(({ closed }) => closed)).toEqual([false, false]);
});

test('a process that may open few files has fewer connections, in the same proportion', async () => {
  await using server = await LimitedServer.start({ maxConnections: 600, maxPerPeer: 300 }, 24);
  const first = idle(await server.connect('127.0.0.2'));
  const others = [
    await server.connect('127.0.0.2'),
    await server.connect('127.0.0.3'),
    await server.connect('127.0.0.3'),
  ];
  expect(first.closed).toBe(false);
  const next = await server.connect('127.0.0.2');
  await isClosed(first);
  for (const socket of [...others, next]) expect(await ask(socket)).toContain('200');
});

test('a connection with successful requests stays, however many peers open silent ones', async () => {
  await using server = await LimitedServer.start();
  const kept = await server.connect('127.0.0.1');
  expect(await ask(kept)).toContain('200');
  for (let round = 0; round < 8; round += 1) {
    for (const peer of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) idle(await server.connect(peer));
  }
  expect(await ask(kept)).toContain('200');
  const fresh = await server.connect('127.0.0.1');
  expect(await ask(fresh)).toContain('200');
});

test('a failed request does not protect a connection, and an idle one of the largest peer is closed first', async () => {
  await using server = await LimitedServer.start({ maxConnections: 4 });
  const kept = await server.connect('127.0.0.1');
  expect(await ask(kept)).toContain('200');
  const failed = await server.connect('127.0.0.6');
  expect(await ask(failed, '/none')).toContain('404');
  const pair = [await server.connect('127.0.0.2'), await server.connect('127.0.0.2')];
  for (const socket of pair) expect(await ask(socket)).toContain('200');
  await server.connect('127.0.0.3').then(async (socket) => expect(await ask(socket)).toContain('200'));
  await isClosed(failed);
  await server.connect('127.0.0.4').then(async (socket) => expect(await ask(socket)).toContain('200'));
  await isClosed(idle(pair[0] as Socket));
  expect(await ask(kept)).toContain('200');
});

test('a connection that is being answered is never closed for another', async () => {
  await using server = await LimitedServer.start({ maxPerPeer: 2 });
  const answers = [await server.connect('127.0.0.2'), await server.connect('127.0.0.2')].map((socket) =>
    ask(socket, '/held'),
  );
  await eventually(() => expect(server.heldCount).toBe(2));
  await isClosed(idle(await server.connect('127.0.0.2')));
  server.release();
  expect(await Promise.all(answers)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
});

test('a response that its client does not read is closed for another, one that is read is not', async () => {
  await using server = await LimitedServer.start({ maxPerPeer: 2, slowMs: 200 });
  const reader = await server.connect('127.0.0.2');
  reader.write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n');
  reader.resume();
  const unread = await server.connect('127.0.0.2');
  unread.write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n');
  unread.pause();
  await eventually(async () => {
    const next = await server.connect('127.0.0.2');
    expect(await Promise.race([ask(next), once(next, 'close').then(() => 'closed')])).toContain('200');
  });
  unread.resume();
  await isClosed(unread);
  expect(reader.closed).toBe(false);
});

test('a request that is being answered and has no response yet is not slow', async () => {
  await using server = await LimitedServer.start({ maxPerPeer: 2, slowMs: 20 });
  const answers = [await server.connect('127.0.0.2'), await server.connect('127.0.0.2')].map((socket) =>
    ask(socket, '/held'),
  );
  await eventually(() => expect(server.heldCount).toBe(2));
  for (let round = 0; round < 5; round += 1) await isClosed(idle(await server.connect('127.0.0.2')));
  server.release();
  expect(await Promise.all(answers)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
});

test('a response that has begun, and has nothing to send, is not slow', async () => {
  await using server = await LimitedServer.start({ maxPerPeer: 2, slowMs: 20 });
  const watches = [await server.connect('127.0.0.2'), await server.connect('127.0.0.2')];
  for (const socket of watches) expect(await ask(socket, '/begun')).toContain('200');
  for (let round = 0; round < 8; round += 1) await isClosed(idle(await server.connect('127.0.0.2')));
  expect(watches.map(({ closed }) => closed)).toEqual([false, false]);
});

test.each([
  ['that sends nothing', ''],
  ['whose headers never end', 'POST / HTTP/1.1\r\nhost: x\r\n'],
])('a new connection %s ends when its time is over', async (_what, text) => {
  await using server = await LimitedServer.start({ firstRequestMs: 50 });
  const socket = idle(await server.connect('127.0.0.2'));
  socket.write(text);
  await isClosed(socket);
});

test.each([
  ['whose body never ends', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc'],
  ['whose answer never comes', 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n'],
])('a request %s ends with its time', async (_what, text) => {
  await using server = await LimitedServer.start({ requestMs: 50 });
  const socket = idle(await server.connect('127.0.0.2'));
  socket.write(text);
  await isClosed(socket);
});

test('a connection with a request in time stays open', async () => {
  await using server = await LimitedServer.start({ firstRequestMs: 200, requestMs: 60_000 });
  const socket = await server.connect('127.0.0.2');
  expect(await ask(socket)).toContain('200');
  await isClosed(idle(await server.connect('127.0.0.3')));
  expect(await ask(socket)).toContain('200');
});

test('idle connections with successful requests, as many as a peer may have, do not keep a new one from its first request', async () => {
  await using server = await LimitedServer.start({ maxConnections: 16, maxPerPeer: 8 });
  for (let count = 0; count < 8; count += 1) expect(await ask(await server.connect('127.0.0.2'))).toContain('200');
  const fresh = await server.connect('127.0.0.2');
  idle(await server.connect('127.0.0.2'));
  expect(await Promise.race([ask(fresh), once(fresh, 'close').then(() => 'closed')])).toContain('200');
});
