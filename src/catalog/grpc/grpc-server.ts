import { constants, createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { errorMessage, type Logger } from '../../base/index.ts';
import { GrpcCall } from './grpc-call.ts';
import { GrpcConnections } from './grpc-connections.ts';
import { MessageReader } from './grpc-messages.ts';
import { GrpcError, grpcStatus } from './grpc-status.ts';

const maxCalls = 256;
/** Watches of health and conversations of reflection: they last as long as their clients like, and do not count as calls. */
const maxTalks = 256;
const maxRequestBytes = 64 * 1024;
/** Of responses that clients have not read. */
const maxUnsentBytes = 64 * 1024 * 1024;
/** A call on which nothing moves for so long is closed. */
const stallDeadlineMs = 60_000;
const stopDeadlineMs = 10_000;
/** As good as no limit: node:http2 counts what is being sent, and refuses calls on connections that exceed it. */
const maxSessionMebibytes = 2 ** 31 - 1;

/** How the calls of a method are answered. Messages are encoded; what `answer` throws is the status: a GrpcError as it is, anything else as
 *  unknown. */
export type GrpcMethod =
  | { readonly kind: 'unary'; readonly answer: (request: Buffer, headers: IncomingHttpHeaders) => Uint8Array }
  | {
      readonly kind: 'stream';
      readonly answer: (request: Buffer, headers: IncomingHttpHeaders) => Iterable<Uint8Array>;
    }
  /** A message for each request, until the client ends. */
  | { readonly kind: 'talk'; readonly answer: (request: Buffer) => Uint8Array }
  /** One message, and the end when the server stops. */
  | { readonly kind: 'watch'; readonly answer: (request: Buffer) => Uint8Array };

type Single = Extract<GrpcMethod, { readonly kind: 'unary' | 'stream' }>;
type Lasting = Exclude<GrpcMethod, Single>;

/** Where a server listens. */
export interface ListenAddress {
  /** All addresses when absent. */
  readonly host?: string;
  readonly port: number;
}

export interface GrpcServerOptions {
  readonly log: Logger;
  /** By path: `/PACKAGE.SERVICE/METHOD`. */
  readonly methods: ReadonlyMap<string, GrpcMethod>;
}

function errorOf(thrown: unknown): GrpcError {
  return thrown instanceof GrpcError ? thrown : new GrpcError(grpcStatus.unknown, errorMessage(thrown));
}

function tooMany(what: string): GrpcError {
  return new GrpcError(grpcStatus.resourceExhausted, `more than ${what} at a time: try again later`);
}

/** Waits until the client has read. Rejects when it disconnects or its stream stalls. */
async function untilDrained({ stream }: GrpcCall): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => reject(new Error('the client disconnected'));
  stream.once('drain', resolve).once('close', leave);
  try {
    await promise;
  } finally {
    stream.off('drain', resolve).off('close', leave);
  }
}

/** Serves methods over gRPC, in plain text: requests of up to 64 KiB, 256 streaming calls and 256 talks at a time, over all connections. */
export class GrpcServer {
  readonly #log: Logger;
  readonly #methods: ReadonlyMap<string, GrpcMethod>;
  readonly #server: Http2Server;
  readonly #connections: GrpcConnections;
  readonly #talks = new Set<GrpcCall>();
  #calls = 0;
  #unsentBytes = 0;

  constructor({ log, methods }: GrpcServerOptions) {
    this.#log = log;
    this.#methods = methods;
    this.#server = createServer({
      maxSessionMemory: maxSessionMebibytes,
      settings: { maxConcurrentStreams: maxCalls },
    });
    this.#connections = new GrpcConnections(this.#server);
    this.#server.on('stream', (stream, headers, ...[, rawHeaders]) => {
      const call = new GrpcCall(stream, headers, this.#connections.peerOf(stream.session));
      this.#connections.count(call, rawHeaders);
      if (!stream.destroyed) this.#receive(call);
    });
  }

  /** Returns the port. @throws Error when it is taken */
  async listen({ host, port }: ListenAddress, isPortShared: boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ port, reusePort: isPortShared, ...(host === undefined ? {} : { host }) }, resolve);
    await promise;
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends talks, and lets calls end, for a while. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const call of this.#talks) call.end();
    await this.#connections.close(stopDeadlineMs);
    await closed;
  }

  #receive(call: GrpcCall): void {
    const { stream, headers } = call;
    const path = headers[':path'] ?? '';
    const method = this.#methods.get(path);
    stream.resume();
    if (headers['content-type']?.startsWith('application/grpc') !== true) {
      stream.respond({ ':status': 415 }, { endStream: true });
    } else if (method === undefined) {
      call.fail(new GrpcError(grpcStatus.unimplemented, `The server does not implement the method ${path}`));
    } else if (method.kind === 'talk' || method.kind === 'watch') this.#talk(call, method);
    else this.#answer(call, path, method);
  }

  #read(call: GrpcCall, onMessage: (message: Buffer) => void, onEnd: () => void): void {
    const { stream, headers } = call;
    const encoding = headers['grpc-encoding'];
    const reader = new MessageReader(typeof encoding === 'string' ? encoding : 'identity', maxRequestBytes);
    stream.on('data', (chunk: Buffer) => {
      if (call.isOver) return;
      try {
        for (const message of reader.read(chunk)) onMessage(message);
      } catch (thrown) {
        call.fail(errorOf(thrown));
      }
    });
    stream.on('end', () => {
      if (reader.isCut) call.fail(new GrpcError(grpcStatus.internal, 'the request ends within a message'));
      onEnd();
    });
  }

  #answer(call: GrpcCall, path: string, method: Single): void {
    call.stream.setTimeout(stallDeadlineMs, () => call.stream.close(constants.NGHTTP2_CANCEL));
    const requests: Buffer[] = [];
    const receive = (request: Buffer): void => {
      if (requests.push(request) > 1) throw new GrpcError(grpcStatus.unimplemented, 'expected one request message');
    };
    this.#read(call, receive, () => {
      call.complete = true;
      const [request] = requests;
      if (call.isOver) return;
      if (request === undefined) call.fail(new GrpcError(grpcStatus.unimplemented, 'expected a request message'));
      else if (method.kind === 'unary') this.#answerOne(call, path, () => method.answer(request, call.headers));
      else void this.#answerMany(call, path, () => method.answer(request, call.headers));
    });
  }

  #answerOne(call: GrpcCall, path: string, answer: () => Uint8Array): void {
    if (this.#unsentBytes > maxUnsentBytes) {
      call.fail(tooMany(`${maxUnsentBytes} bytes of unread responses`));
      return;
    }
    try {
      const message = answer();
      // It has none once it is sent.
      const { length } = message;
      this.#unsentBytes += length;
      call.once('close', () => {
        this.#unsentBytes -= length;
      });
      call.end(message);
    } catch (thrown) {
      this.#fail(call, path, thrown);
    }
  }

  async #answerMany(call: GrpcCall, path: string, answer: () => Iterable<Uint8Array>): Promise<void> {
    if (this.#calls >= maxCalls) {
      call.fail(tooMany(`${maxCalls} calls`));
      return;
    }
    this.#calls += 1;
    try {
      for (const message of answer()) {
        if (call.isOver) return;
        if (!call.send(message)) await untilDrained(call);
      }
      call.end();
    } catch (thrown) {
      if (!call.isOver) this.#fail(call, path, thrown);
    } finally {
      this.#calls -= 1;
    }
  }

  #talk(call: GrpcCall, { kind, answer }: Lasting): void {
    if (this.#talks.size >= maxTalks) {
      call.fail(tooMany(`${maxTalks} watches and reflections`));
      return;
    }
    this.#talks.add(call);
    call.once('close', () => this.#talks.delete(call));
    const receive = (request: Buffer): void => {
      if (call.send(answer(request))) return;
      call.stream.pause();
      call.stream.once('drain', () => call.stream.resume());
    };
    this.#read(call, receive, () => {
      // A watch does not keep its connection from being closed for others.
      if (kind === 'watch') return;
      call.complete = true;
      call.end();
    });
  }

  #fail(call: GrpcCall, path: string, thrown: unknown): void {
    const error = errorOf(thrown);
    const method = path.slice(1).replace('/', '.');
    this.#log.debug({ method, code: error.code, message: error.message }, 'gRPC call failed');
    call.fail(error);
  }
}
