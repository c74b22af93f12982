import { EventEmitter } from 'node:events';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { LimitedRequest } from '../../base/index.ts';
import { releaseBytes } from '../store/release.ts';
import { frameMessage } from './grpc-messages.ts';
import { encodeStatusMessage, GrpcError, grpcStatus } from './grpc-status.ts';

const responseHead = Object.freeze({ ':status': 200, 'content-type': 'application/grpc+proto' });
const successTrailers = Object.freeze({ 'grpc-status': '0' });
const timeoutPattern = /^(\d{1,8})([HMSmun])$/;
const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
const maxTimerMs = 2 ** 31 - 1;

type Trailers = Readonly<Record<string, string>>;

function trailersOf({ code, message }: GrpcError): Trailers {
  return { 'grpc-status': String(code), 'grpc-message': encodeStatusMessage(message) };
}

/** One call: the response side of a stream of HTTP/2. Emits `finish` and `close` as a response of `node:http` does. */
export class GrpcCall extends EventEmitter implements LimitedRequest {
  /** Whether the request has arrived in full. */
  complete = false;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly socket: LimitedRequest['socket'];
  #trailers: Trailers = successTrailers;
  #hasHead = false;
  #isEnded = false;
  #deadline: NodeJS.Timeout | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, socket: LimitedRequest['socket']) {
    super();
    this.stream = stream;
    this.headers = headers;
    this.socket = socket;
    // The client reset the stream, or its connection ended: `close` follows.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#close());
    this.#startDeadline();
  }

  get statusCode(): number {
    return this.#trailers === successTrailers ? 200 : 500;
  }

  get writableLength(): number {
    return this.stream.writableLength;
  }

  /** Whether no one waits for a response any more. */
  get isOver(): boolean {
    return this.#isEnded || this.stream.closed || this.stream.destroyed;
  }

  /** Sends a message. False if the client must read before the next one. */
  send(message: Uint8Array): boolean {
    this.#sendHead();
    return this.stream.write(frameMessage(message));
  }

  /** Ends the call with success, after a last message if there is one. */
  end(message?: Uint8Array): void {
    if (this.isOver) return;
    this.#sendHead();
    this.#isEnded = true;
    if (message === undefined) this.stream.end();
    else {
      const frame = frameMessage(message);
      this.stream.end(frame, (failed?: Error | null) => {
        // After a failure the connection may still send from it.
        if (failed === undefined || failed === null) releaseBytes(frame);
      });
    }
  }

  fail(error: GrpcError): void {
    if (this.isOver) return;
    this.#trailers = trailersOf(error);
    this.#isEnded = true;
    if (this.#hasHead) {
      this.stream.end();
      return;
    }
    this.stream.respond({ ...responseHead, ...this.#trailers }, { endStream: true });
    this.stream.once('finish', () => this.#stopRequest());
  }

  #sendHead(): void {
    if (this.#hasHead) return;
    this.#hasHead = true;
    this.stream.respond(responseHead, { waitForTrailers: true });
    this.stream.on('wantTrailers', () => {
      this.stream.sendTrailers(this.#trailers);
      this.#stopRequest();
    });
  }

  /** What the client still sends is of no use. A reset that is submitted along with the trailers would discard them. */
  #stopRequest(): void {
    if (!this.stream.readableEnded) setImmediate(() => this.stream.close(constants.NGHTTP2_NO_ERROR));
  }

  #close(): void {
    clearTimeout(this.#deadline);
    if (this.#isEnded && this.stream.writableFinished) this.emit('finish');
    this.emit('close');
  }

  #startDeadline(): void {
    const timeout = this.headers['grpc-timeout'];
    if (typeof timeout !== 'string') return;
    const [, value, unit = ''] = timeoutPattern.exec(timeout) ?? [];
    if (value === undefined) {
      this.fail(new GrpcError(grpcStatus.internal, `invalid grpc-timeout "${timeout}"`));
      return;
    }
    const timeoutMs = Math.min(Number(value) * (unitMs[unit] ?? 0), maxTimerMs);
    const expire = (): void => this.fail(new GrpcError(grpcStatus.deadlineExceeded, 'Deadline exceeded'));
    this.#deadline = setTimeout(expire, timeoutMs);
  }
}
