import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { limitConnections } from './index.ts';

/** Has two places. Answers at once; `/begun` does not end. */
async function startServer(slowMs?: number): Promise<{ readonly url: string } & Disposable> {
  const server = createServer((request, response) => {
    response.write('answer');
    if (request.url !== '/begun') response.end();
  });
  limitConnections(server, { maxConnections: 2, maxPerPeer: 2, ...(slowMs === undefined ? {} : { slowMs }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void server.close() };
}

class Clients implements Disposable {
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  open(settings: { readonly initialWindowSize?: number } = {}): ClientHttp2Session {
    const session = connect(this.#url, { settings });
    session.on('error', () => undefined);
    this.#sessions.push(session);
    return session;
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions) session.destroy();
  }
}

/** The status, or 0 where the connection was closed. */
async function ask(session: ClientHttp2Session, path: string): Promise<number> {
  const stream = session.request({ ':path': path });
  const answered = once(stream, 'response').then(([headers]) => (headers as { ':status': number })[':status']);
  return await Promise.race([answered, once(stream, 'close').then(() => 0)]).catch(() => 0);
}

test('a request of HTTP/2 that is being answered keeps its connection, though no one reads a body that it does not have', async () => {
  using server = await startServer();
  using clients = new Clients(server.url);
  const watching = [clients.open(), clients.open()];
  for (const session of watching) expect(await ask(session, '/begun')).toBe(200);
  expect(await ask(clients.open(), '/')).toBe(0);
  expect(watching.map(({ closed }) => closed)).toEqual([false, false]);
});

test('an answer over HTTP/2 for which its client leaves no room makes room for another', async () => {
  using server = await startServer(20);
  using clients = new Clients(server.url);
  for (let count = 0; count < 2; count += 1) {
    expect(await ask(clients.open({ initialWindowSize: 0 }), '/')).toBe(200);
  }
  await eventually(async () => expect(await ask(clients.open(), '/')).toBe(200));
});
