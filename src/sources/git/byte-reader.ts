import { TerminalError, TransientError } from '../../base/index.ts';

const empty = Buffer.alloc(0);

/** Reads a stream of bytes piece by piece; holds no more than what one `take` asks for and the last piece. */
export class ByteReader {
  readonly #what: string;
  readonly #source: AsyncIterator<Buffer>;
  readonly #maxBytes: number;
  #buffered: Buffer = empty;
  #receivedBytes = 0;

  /** `what` names the stream in messages; more than `maxBytes` are refused. */
  constructor(what: string, source: AsyncIterable<Buffer>, maxBytes: number) {
    this.#what = what;
    this.#source = source[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  async #next(): Promise<Buffer | undefined> {
    const step = await this.#source.next();
    if (step.done === true) return undefined;
    this.#receivedBytes += step.value.length;
    if (this.#receivedBytes > this.#maxBytes) {
      throw new TerminalError('BodyTooLarge', `${this.#what}: larger than the limit of ${this.#maxBytes} bytes`);
    }
    return step.value;
  }

  /** Exactly `count` bytes; undefined when the stream ends before the first of them.
   *  @throws TransientError TransferBroken when it ends in between · TerminalError BodyTooLarge */
  async takeOptional(count: number): Promise<Buffer | undefined> {
    if (this.#buffered.length < count) {
      const pieces = [this.#buffered];
      let length = this.#buffered.length;
      while (length < count) {
        const piece = await this.#next();
        if (piece === undefined) break;
        pieces.push(piece);
        length += piece.length;
      }
      this.#buffered = Buffer.concat(pieces);
    }
    if (this.#buffered.length === 0 && count > 0) return undefined;
    if (this.#buffered.length < count) throw this.broken();
    const taken = this.#buffered.subarray(0, count);
    this.#buffered = this.#buffered.subarray(count);
    return taken;
  }

  /** @throws as `takeOptional`, and TransientError TransferBroken at the end of the stream */
  async take(count: number): Promise<Buffer> {
    const taken = await this.takeOptional(count);
    if (taken === undefined) throw this.broken();
    return taken;
  }

  /** What is left, in pieces as they arrive. */
  async *rest(): AsyncGenerator<Buffer> {
    const buffered = this.#buffered;
    this.#buffered = empty;
    if (buffered.length > 0) yield buffered;
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
  }

  /** The error of a stream that ends too early. */
  broken(): TransientError {
    return new TransientError('TransferBroken', `${this.#what}: the server closed the connection early`);
  }

  /** Closes the stream; what is left of it is not read. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
