import { gunzipSync, inflateSync } from 'node:zlib';
import { errorMessage } from '../../base/index.ts';
import { GrpcError, grpcStatus } from './grpc-status.ts';

/** Before each message: one byte, 1 if it is compressed, and its length in 4 bytes. */
const prefixBytes = 5;

type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;

const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
]);

/** Room for a message to send, which need not be copied for its prefix: it is sent once, and its memory released. */
export function allocateMessage(lengthBytes: number): Buffer {
  return Buffer.allocUnsafeSlow(prefixBytes + lengthBytes).subarray(prefixBytes);
}

function hasRoomForPrefix({ byteOffset, length, buffer }: Uint8Array): boolean {
  return byteOffset === prefixBytes && buffer.byteLength === prefixBytes + length;
}

/** A message with its prefix, as it is sent: in the memory of the message if that has room, else in its own. */
export function frameMessage(message: Uint8Array): Buffer {
  if (hasRoomForPrefix(message)) {
    const whole = Buffer.from(message.buffer);
    whole[0] = 0;
    whole.writeUInt32BE(message.length, 1);
    return whole;
  }
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** The bytes of one call's requests, cut into messages of at most `maxBytes`. */
export class MessageReader {
  readonly #encoding: string;
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: string, maxBytes: number) {
    this.#encoding = encoding;
    this.#maxBytes = maxBytes;
  }

  /** Whether the bytes end within a message. */
  get isCut(): boolean {
    return this.#rest.length > 0;
  }

  /** The messages that are complete with these bytes.
   *  @throws GrpcError ResourceExhausted, Unimplemented, Internal */
  read(chunk: Buffer): readonly Buffer[] {
    let rest = this.isCut ? Buffer.concat([this.#rest, chunk]) : chunk;
    const messages: Buffer[] = [];
    while (rest.length >= prefixBytes) {
      const end = prefixBytes + this.#assertAllowed(rest.readUInt32BE(1));
      if (rest.length < end) break;
      const message = rest.subarray(prefixBytes, end);
      messages.push(rest[0] === 0 ? message : this.#decompressed(message));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return messages;
  }

  #assertAllowed(length: number): number {
    if (length <= this.#maxBytes) return length;
    const text = `Received message larger than max (${length} vs ${this.#maxBytes})`;
    throw new GrpcError(grpcStatus.resourceExhausted, text);
  }

  #decompressed(message: Buffer): Buffer {
    const decompress = decompressors.get(this.#encoding);
    if (decompress === undefined) {
      const text = `Received message compressed with unsupported encoding "${this.#encoding}"`;
      throw new GrpcError(grpcStatus.unimplemented, text);
    }
    try {
      return decompress(message, { maxOutputLength: this.#maxBytes });
    } catch (thrown) {
      const isLarge = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
      if (isLarge) this.#assertAllowed(this.#maxBytes + 1);
      throw new GrpcError(grpcStatus.internal, `message with invalid ${this.#encoding}: ${errorMessage(thrown)}`);
    }
  }
}
