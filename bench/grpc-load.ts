/** gRPC calls by many clients, cheap enough that the server is what is measured: frames of HTTP/2 are prepared, and of the
 *  responses only the headers of frames are read. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { percentile } from './table.ts';

/** What the calls took. */
export interface Load {
  readonly callsPerSecond: number;
  readonly p99Ms: number;
}

const frameHeaderBytes = 9;
const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const [endStream, endHeaders, acknowledgement] = [1, 4, 1];
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** Large enough that no window update is needed. */
const largestWindow = 2 ** 31 - 1;
const defaultWindow = 65_535;

interface FrameHead {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
}

function frame({ type, flags = 0, stream = 0 }: FrameHead, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(frameHeaderBytes);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

function numberBytes(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** A header in HPACK without tables; texts are shorter than 127 bytes. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
}

function opening(): Buffer {
  const initialWindow = Buffer.concat([Buffer.of(0, 4), numberBytes(largestWindow)]);
  return Buffer.concat([
    Buffer.from(preface),
    frame({ type: types.settings }, initialWindow),
    frame({ type: types.windowUpdate }, numberBytes(largestWindow - defaultWindow)),
  ]);
}

/** The path and headers of a method's calls. */
function headerBlock(method: string): Buffer {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': method,
    ':authority': 'bench',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  return Buffer.concat(Object.entries(headers).map(([name, value]) => literal(name, value)));
}

/** One connection that makes one call after the other. */
class Caller {
  readonly #socket: Socket;
  readonly #headers: Buffer;
  #rest: Buffer = Buffer.alloc(0);
  #stream = -1;
  #hasData = false;
  #settle: ((failure?: Error) => void) | undefined;

  constructor(socket: Socket, method: string) {
    this.#socket = socket;
    this.#headers = headerBlock(method);
    socket.setNoDelay(true).write(opening());
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('close', () => this.#settle?.(new Error('the server closed the connection')));
  }

  /** @throws Error when the server refuses, or answers without a message */
  async call(message: Uint8Array): Promise<void> {
    this.#stream += 2;
    this.#hasData = false;
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    const ended = new Promise<void>((resolve, reject) => {
      this.#settle = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    this.#socket.write(
      Buffer.concat([
        frame({ type: types.headers, flags: endHeaders, stream: this.#stream }, this.#headers),
        frame({ type: types.data, flags: endStream, stream: this.#stream }, Buffer.concat([prefix, message])),
      ]),
    );
    await ended;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= frameHeaderBytes) {
      const end = frameHeaderBytes + rest.readUIntBE(0, 3);
      if (rest.length < end) break;
      this.#take(rest[3] ?? 0, rest[4] ?? 0, rest.subarray(frameHeaderBytes, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
  }

  #take(type: number, flags: number, payload: Buffer): void {
    if (type === types.settings) this.#acknowledge(type, flags, Buffer.alloc(0));
    else if (type === types.ping) this.#acknowledge(type, flags, payload);
    else if (type === types.data) this.#hasData = true;
    else if (type === types.reset || type === types.goAway) this.#settle?.(new Error('the server refused a call'));
    else if (type === types.headers && (flags & endStream) !== 0) this.#end();
  }

  #acknowledge(type: number, flags: number, payload: Buffer): void {
    if ((flags & acknowledgement) === 0) this.#socket.write(frame({ type, flags: acknowledgement }, payload));
  }

  #end(): void {
    this.#settle?.(this.#hasData ? undefined : new Error('an answer without a message'));
  }
}

/** Makes calls of `method` by so many clients at a time, each with a connection of its own.
 *  @throws Error when one fails */
export async function loadRegistry(
  port: number,
  method: string,
  {
    clients,
    callsOfEach,
    messageOf,
  }: {
    readonly clients: number;
    readonly callsOfEach: number;
    readonly messageOf: (client: number, call: number) => Uint8Array;
  },
): Promise<Load> {
  const times: number[] = [];
  const startedMs = performance.now();
  const one = async (_: unknown, client: number): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const caller = new Caller(socket, method);
    for (let call = 0; call < callsOfEach; call += 1) {
      const calledMs = performance.now();
      await caller.call(messageOf(client, call));
      times.push(performance.now() - calledMs);
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: clients }, one));
  const seconds = (performance.now() - startedMs) / 1000;
  return { callsPerSecond: times.length / seconds, p99Ms: percentile(times, 99) };
}
