import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Clock, TransientError } from '../../base/index.ts';

/** Within a minute. A server of gRPC sends less than a tenth of it to a client that requests nothing. */
const maxReceivedBytes = 16 * 1024;
const periodMs = 60_000;

/** A socket whose other side is to send next to nothing: what exceeds that ends it, before anything parses it. */
export class LimitedStream extends Duplex {
  readonly #socket: Socket;
  readonly #clock: Clock;
  #receivedBytes = 0;
  #sinceMs: number;

  constructor(socket: Socket, clock: Clock) {
    super();
    this.#socket = socket;
    this.#clock = clock;
    this.#sinceMs = clock.now();
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.once('end', () => this.push(null));
    socket.once('error', (thrown) => this.destroy(thrown));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (thrown?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(thrown: Error | null, done: (thrown?: Error | null) => void): void {
    this.#socket.destroy();
    done(thrown);
  }

  #receive(chunk: Buffer): void {
    const nowMs = this.#clock.now();
    if (nowMs - this.#sinceMs >= periodMs) [this.#sinceMs, this.#receivedBytes] = [nowMs, 0];
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > maxReceivedBytes) {
      const text = `the server sent more than ${maxReceivedBytes} bytes in a minute, though nothing was requested`;
      this.destroy(new TransientError('ServerUnavailable', text));
    } else if (!this.push(chunk)) this.#socket.pause();
  }
}
