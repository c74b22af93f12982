import { Duplex } from 'node:stream';
import { controlFrame, dataHead, frameTypes, resetStatus, words } from './spdy-frames.ts';
import type { SpdyHeaders } from './spdy-headers.ts';

/** Bytes of a stream that wait in each direction, beside the chunk that is under way. */
const waitingBytes = 16 * 1024;

/** Where a stream's frames go. */
export interface FrameSink {
  /** `done` is called when there is room for more, or when the connection has ended. */
  send(frame: Buffer, done?: () => void): void;
  remove(stream: SpdyStream): void;
}

/** One stream of a connection. Destroying it before both sides have ended resets it. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #sink: FrameSink;
  #isReset = false;
  #whenRead: (() => void) | undefined;

  constructor(id: number, headers: SpdyHeaders, sink: FrameSink) {
    super({ readableHighWaterMark: waitingBytes, writableHighWaterMark: waitingBytes });
    this.id = id;
    this.headers = headers;
    this.#sink = sink;
    this.on('error', () => {}); // the stream that it is piped to or from reports the error
  }

  /** Hands received bytes to the reader; resolves when there is room for more, or the reader has stopped. */
  async deliver(bytes: Buffer): Promise<void> {
    if (this.destroyed || this.readableEnded || this.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#whenRead = resolve;
    });
  }

  /** The other side sends no more. */
  deliverEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  /** The other side has reset the stream: it needs no answer. */
  deliverReset(): void {
    this.#isReset = true;
    this.destroy();
  }

  override _read(): void {
    this.#continue();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#sink.send(dataHead(this.id, chunk.length, false));
    this.#sink.send(chunk, done);
  }

  override _final(done: () => void): void {
    this.#sink.send(dataHead(this.id, 0, true), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const hasEnded = this.readableEnded && this.writableFinished;
    if (!this.#isReset && !hasEnded) {
      this.#sink.send(controlFrame(frameTypes.rstStream, words(this.id, resetStatus.cancel)));
    }
    this.#sink.remove(this);
    this.#continue();
    done(error);
  }

  #continue(): void {
    const whenRead = this.#whenRead;
    this.#whenRead = undefined;
    whenRead?.();
  }
}
