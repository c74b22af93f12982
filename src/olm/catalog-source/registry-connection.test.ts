import { getEventListeners } from 'node:events';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { eventually, freePort } from '../../../test/support/index.ts';
import { type Clock, systemClock } from '../../base/index.ts';
import { RegistryConnection } from './registry-connection.ts';

test('a registry that is away is tried at least once a minute, and attempts leave nothing behind', async () => {
  const pausesMs: number[] = [];
  const enough = Promise.withResolvers<readonly unknown[]>();
  const endless = new Promise<void>(() => undefined);
  const clock: Clock = {
    now: () => 0,
    sleep: async (ms, { signal } = {}) => {
      pausesMs.push(ms);
      if (pausesMs.length < 20 || signal === undefined) return;
      enough.resolve(getEventListeners(signal, 'abort'));
      await endless;
    },
  };
  const address = `127.0.0.1:${await freePort()}`;
  using connection = new RegistryConnection({ address, clock, onChange: () => undefined });
  expect(await enough.promise).toEqual([]);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(60_000);
  expect(connection.state).toBe('TRANSIENT_FAILURE');
  expect(connection.problem).toContain('ECONNREFUSED');
});

/** A frame of HTTP/2 of a connection. */
function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  return Buffer.concat([head, payload]);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  { name: 'windows', type: 8, payload: Buffer.from([0, 0, 0, 1]) },
  { name: 'origins', type: 12, payload: Buffer.from([0, 1, 0x61]) },
])('a registry that sends $name without end is disconnected', async ({ type, payload }) => {
  const frames = Buffer.concat(Array.from({ length: 1000 }, () => frame(type, payload)));
  const { promise: sentBytes, resolve } = Promise.withResolvers<number>();
  const flood = (socket: Socket): void => {
    while (!socket.destroyed && socket.write(frames));
    if (!socket.destroyed) socket.once('drain', () => flood(socket));
  };
  await using server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(socket.bytesWritten));
    socket.resume();
    socket.write(frame(4, Buffer.alloc(0)));
    flood(socket);
  });
  const address = await listen(server);
  using _connection = new RegistryConnection({ address, clock: systemClock, onChange: () => undefined });
  expect(await sentBytes).toBeGreaterThan(0);
});

test('a registry that sends what connections need stays connected, until it ends', async () => {
  const sessions: ServerHttp2Session[] = [];
  await using server = createHttp2Server().on('session', (session) => sessions.push(session));
  const address = await listen(server);
  using connection = new RegistryConnection({ address, clock: systemClock, onChange: () => undefined });
  await eventually(() => expect(connection.state).toBe('READY'));
  const [session] = sessions;
  for (let count = 0; count < 100; count += 1) {
    await new Promise((resolve) => session?.ping((_thrown, ...answer) => resolve(answer)));
  }
  expect([connection.state, connection.epoch]).toEqual(['READY', 1]);
  session?.destroy();
  await eventually(() => expect(connection.state).not.toBe('READY'));
});
