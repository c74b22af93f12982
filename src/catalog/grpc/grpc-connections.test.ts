import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRegistry } from '../../../test/support/catalog-registry.ts';
import { eventually } from '../../../test/support/eventually.ts';

const stack = new AsyncDisposableStack();
let port = 0;

beforeAll(async () => {
  ({ port } = stack.use(await startTestRegistry()));
});

afterAll(async () => {
  await stack.disposeAsync();
});

/** Opens connections from one address and sends `bytes` on each. */
async function open(
  count: number,
  { from, bytes }: { readonly from: string; readonly bytes: string },
): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port, localAddress: from }));
  for (const socket of sockets) {
    stack.defer(() => void socket.destroy());
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(bytes);
  }
  return sockets;
}

function askHealth(client: Client): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const [path, keep] = ['/grpc.health.v1.Health/Check', (bytes: Buffer): Buffer => bytes];
    const deadline = Date.now() + 10_000;
    client.makeUnaryRequest(path, keep, keep, Buffer.alloc(0), { deadline }, (fault, answer) =>
      answer === undefined ? reject(fault ?? new Error('no answer')) : resolve(answer),
    );
  });
}

test.each([
  { name: 'send nothing', bytes: '' },
  { name: 'end within the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n' },
])('connections that $name keep no client out, neither from the same address nor from others', async ({ bytes }) => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  stack.defer(() => client.close());
  await askHealth(client);
  const silent = [
    ...(await open(150, { from: '127.0.0.2', bytes })),
    ...(await open(150, { from: '127.0.0.3', bytes })),
    ...(await open(150, { from: '127.0.0.1', bytes })),
  ];
  await eventually(() => {
    const isOpen = silent.filter((socket) => !socket.destroyed);
    expect(isOpen.length).toBeLessThanOrEqual(3 * 64);
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      expect(isOpen.filter(({ localAddress }) => localAddress === from)).toHaveLength(64);
    }
  });
  await askHealth(client);
  const late = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  stack.defer(() => late.close());
  await askHealth(late);
  for (const socket of silent) socket.destroy();
});

test('calls that never end do not fill the memory: the connection with the most of them is closed', async () => {
  const reasons: number[] = [];
  const sessions = Array.from({ length: 8 }, () => connectHttp2(`http://127.0.0.1:${port}`));
  for (const session of sessions) {
    stack.defer(() => session.destroy());
    session.on('error', () => undefined).on('goaway', (code: number) => reasons.push(code));
    await once(session, 'remoteSettings');
    const headers = { ':method': 'POST', ':path': '/api.Registry/ListPackages', 'content-type': 'application/grpc' };
    for (let index = 0; index < 256; index += 1) session.request(headers).on('error', () => undefined);
  }
  await eventually(() => expect(sessions.some(({ destroyed }) => destroyed)).toBe(true));
  expect(new Set(reasons)).toEqual(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  stack.defer(() => client.close());
  await askHealth(client);
});
