import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { TransientError } from '../../base/index.ts';
import { indexRegistry } from './index-registry.ts';
import { CatalogThreads } from './unpack-thread.ts';

const stack = new AsyncDisposableStack();
const { signal } = new AbortController();
let dir: string;

// One for each test: what a thread that was terminated has left is the store's to remove.
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-hostile-registry-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
});

afterAll(() => stack.disposeAsync());

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A message with one field of text, in a frame of gRPC. */
function frameOf(text: string): Buffer {
  const message = Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A registry that answers each call with messages that never end. */
async function endlessRegistry(write: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    write(stream);
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  stack.defer(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return await listen(server as unknown as Server);
}

function job(address: string, deadlineMs: number) {
  return { settings: { deadlineMs }, group: 'ns', address, file: join(dir, 'index') };
}

test('a registry that lists packages without end is left', async () => {
  let count = 0;
  const address = await endlessRegistry((stream) => {
    const more = (): void => {
      while (!stream.destroyed && stream.write(frameOf(`p${count}`))) count += 1;
    };
    stream.on('drain', more);
    more();
  });
  await expect(indexRegistry(job(address, 30_000), signal)).rejects.toMatchObject({ reason: 'TooManyPackages' });
  expect(await readdir(dir)).toEqual([]);
});

test('a registry that answers slower and slower is left at the deadline, in a thread, too', async () => {
  const address = await endlessRegistry((stream) => void stream.write(frameOf('p')));
  await expect(indexRegistry(job(address, 500), signal)).rejects.toMatchObject({ reason: 'DeadlineExceeded' });
  // On a busy machine the thread is terminated before it has ended by itself.
  using threads = new CatalogThreads();
  await expect(threads.indexRegistry(job(address, 500), signal)).rejects.toBeInstanceOf(TransientError);
});

test('a server that accepts connections and never answers is left at the deadline', async () => {
  const sockets = new Set<{ destroy(): void }>();
  const server = createSocketServer((socket) => sockets.add(socket.on('error', () => undefined)));
  const address = await listen(server);
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await expect(indexRegistry(job(address, 500), signal)).rejects.toMatchObject({ reason: 'DeadlineExceeded' });
});

test('messages of no registry are refused', async () => {
  const address = await endlessRegistry((stream) => void stream.end(Buffer.alloc(100, 0xff)));
  await expect(indexRegistry(job(address, 10_000), signal)).rejects.toThrow(/grpc:\/\/127\.0\.0\.1/);
});

/** @see https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */
function http2Frame([type, flags]: readonly [number, number], stream: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

/** A type and flags. */
const [data, endOfHeaders, settings, settingsAck, windowUpdate] = [
  [0, 0],
  [1, 4],
  [4, 0],
  [4, 1],
  [8, 0],
] as const;
const clientPrefaceBytes = 24;

/** Whether a client has sent its first call. */
function hasCall(received: Buffer): boolean {
  for (let at = clientPrefaceBytes; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    if (received[at + 3] === endOfHeaders[0]) return true;
  }
  return false;
}

/** A registry that answers a call with a message, of which a byte arrives with 64 KiB of other frames each time. */
function answerByteByByte(socket: Socket): void {
  const updates = Array.from({ length: 5000 }, () => http2Frame(windowUpdate, 0, Buffer.from([0, 0, 0, 1])));
  const piece = Buffer.concat([...updates, http2Frame(data, 1, Buffer.from('x'))]);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  // `:status: 200` and the type of the content.
  const headers = Buffer.from([0x88, 0x0f, 0x10, 16, ...Buffer.from('application/grpc')]);
  const messageHead = Buffer.from([0, 0, 0xff, 0, 0]);
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    if (hasCall(received)) return;
    received = Buffer.concat([received, bytes]);
    if (!hasCall(received)) return;
    socket.on('drain', more);
    socket.write(http2Frame(endOfHeaders, 1, headers));
    socket.write(http2Frame(data, 1, messageHead), more);
  });
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([http2Frame(settings, 0), http2Frame(settingsAck, 0)]));
}

test('a message whose bytes arrive one by one, with many other frames, ends its thread alone', {
  tags: 'long',
}, async () => {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    answerByteByByte(socket);
  });
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  using threads = new CatalogThreads();
  await expect(threads.indexRegistry(job(await listen(server), 120_000), signal)).rejects.toThrow(
    'it takes more memory than the limit',
  );
  // With little memory, and with much.
  expect(sockets).toHaveLength(2);
});
