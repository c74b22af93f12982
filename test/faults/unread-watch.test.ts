import { connect } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const headers = { 'content-type': 'application/json' };
const objects = 40;
const objectBytes = 500_000;

let server: ApiServer;
let connection: Connection;
beforeAll(async () => {
  // The clients are in this process: when it is held up, they do not read either.
  server = await startApiServer({ requestTimeoutMs: 5000 });
  connection = new Connection(server.kubeconfig);
  for (let turn = 0; turn < objects; turn += 1) await create(`big-${turn}`, 'x'.repeat(objectBytes));
});
afterAll(async () => {
  connection[Symbol.dispose]();
  await server.stop();
});

async function create(name: string, filling: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { filling } };
  const { status } = await connection.ask({ method: 'POST', path: collection, headers, body: JSON.stringify(object) });
  expect(status).toBe(201);
}

test('a watch over HTTP/1.1 whose initial state is not read ends; one that is read continues', async () => {
  const path = `${collection}?watch=true`;
  const unread = await connection.open({ method: 'GET', path, headers: {} });
  unread.on('error', () => {});
  const { socket } = unread;
  socket.on('error', () => {});
  const read = await connection.open({ method: 'GET', path, headers: {} });
  let text = '';
  read.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-1000);
  });
  await eventually(() => {
    // A client that reads nothing learns of the end when it writes.
    if (!socket.destroyed) socket.write('\r\n');
    expect((socket as TLSSocket).destroyed).toBe(true);
  });
  await create('late', 'y');
  await eventually(() => expect(text).toContain('"name":"late"'));
  read.destroy();
});

test('a watch over HTTP/2 whose initial state is not read ends', async () => {
  const session = connect(server.url, { ca: server.caCertificatePem });
  try {
    const authorization = `Bearer ${server.adminToken}`;
    const stream = session.request({ ':path': `${collection}?watch=true`, authorization });
    stream.on('error', () => {});
    await eventually(() => expect(stream.closed).toBe(true));
  } finally {
    session.destroy();
  }
});
