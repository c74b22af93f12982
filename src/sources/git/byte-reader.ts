import { serverText, TerminalError, TransientError } from '../../base/index.ts';

const empty = Buffer.alloc(0);

/** Where a stream comes from. */
interface Origin {
  /** Names the stream in messages. */
  readonly what: string;
  /** More bytes are refused. */
  readonly maxBytes: number;
  /** Leaves out what the server was sent in confidence. */
  readonly hide?: ((text: string) => string) | undefined;
}

/** Reads a stream of bytes piece by piece; holds no more than what one `take` asks for and the last piece. */
export class ByteReader {
  readonly #origin: Origin;
  readonly #source: AsyncIterator<Buffer>;
  #buffered: Buffer = empty;
  #receivedBytes = 0;

  constructor(source: AsyncIterable<Buffer>, origin: Origin) {
    this.#source = source[Symbol.asyncIterator]();
    this.#origin = origin;
  }

  /** Bytes that the server sent, as a text for messages. */
  shown(bytes: Buffer): string {
    return serverText(this.#origin.hide?.(bytes.toString()) ?? bytes);
  }

  async #next(): Promise<Buffer | undefined> {
    const step = await this.#source.next();
    if (step.done === true) return undefined;
    this.#receivedBytes += step.value.length;
    const { what, maxBytes } = this.#origin;
    if (this.#receivedBytes > maxBytes) {
      throw new TerminalError('BodyTooLarge', `${what}: larger than the limit of ${maxBytes} bytes`);
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
    return new TransientError('TransferBroken', `${this.#origin.what}: the server closed the connection early`);
  }

  /** Closes the stream; what is left of it is not read. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
