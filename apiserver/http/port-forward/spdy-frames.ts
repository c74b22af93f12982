import { SpdyError } from './spdy-error.ts';

/** Types of control frames. Those of flow control, which no Kubernetes client takes part in, are read and ignored. */
export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
} as const;

/** Status of a RST_STREAM. */
export const resetStatus = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

/** Flag of the last frame of a stream. */
export const finFlag = 1;

const headBytes = 8;
const maxControlBytes = 16 * 1024;
const version = 3;

/** A part of a data frame: its bytes are handed on as they arrive. */
export interface DataPart {
  readonly kind: 'data';
  readonly streamId: number;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

export interface ControlFrame {
  readonly kind: 'control';
  readonly type: number;
  readonly flags: number;
  readonly payload: Buffer;
}

/** Takes exact numbers of bytes from chunks of any size. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Undefined when the source ends first. */
  async exactly(count: number): Promise<Buffer | undefined> {
    while (this.#rest.length < count) if (!(await this.#fill())) return undefined;
    return this.#cut(count);
  }

  /** At least one byte, at most `count`. */
  async some(count: number): Promise<Buffer | undefined> {
    if (this.#rest.length === 0 && !(await this.#fill())) return undefined;
    return this.#cut(Math.min(count, this.#rest.length));
  }

  #cut(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #fill(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}

async function* readData(
  reader: ByteReader,
  { streamId, flags, length }: { readonly streamId: number; readonly flags: number; readonly length: number },
): AsyncGenerator<DataPart> {
  let left = length;
  while (left > 0) {
    const bytes = await reader.some(left);
    if (bytes === undefined) return;
    left -= bytes.length;
    yield { kind: 'data', streamId, bytes, isLast: left === 0 && (flags & finFlag) !== 0 };
  }
  if (length === 0) yield { kind: 'data', streamId, bytes: Buffer.alloc(0), isLast: (flags & finFlag) !== 0 };
}

async function readControl(reader: ByteReader, head: Buffer): Promise<ControlFrame | undefined> {
  const length = head.readUIntBE(5, 3);
  if (length > maxControlBytes) {
    throw new SpdyError(`a control frame has ${length} bytes; ${maxControlBytes} are allowed`);
  }
  const payload = await reader.exactly(length);
  return payload && { kind: 'control', type: head.readUInt16BE(2), flags: head.readUInt8(4), payload };
}

/** The frames of a connection, until it ends.
 *  @throws SpdyError, and what `source` throws */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<DataPart | ControlFrame> {
  const reader = new ByteReader(source);
  for (;;) {
    const head = await reader.exactly(headBytes);
    if (head === undefined) return;
    const first = head.readUInt32BE(0);
    if (first < 0x80000000) {
      yield* readData(reader, { streamId: first, flags: head.readUInt8(4), length: head.readUIntBE(5, 3) });
      continue;
    }
    if ((head.readUInt16BE(0) & 0x7fff) !== version) throw new SpdyError('a frame is not one of SPDY/3');
    const frame = await readControl(reader, head);
    if (frame === undefined) return;
    yield frame;
  }
}

/** A control frame without flags. */
export function controlFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** The head of a data frame, which `length` bytes follow. */
export function dataHead(streamId: number, length: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt8(isLast ? finFlag : 0, 4);
  head.writeUIntBE(length, 5, 3);
  return head;
}

/** A payload of 32-bit numbers. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
