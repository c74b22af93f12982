import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { errorMessage, type TakeTurn, TerminalError } from '../../base/index.ts';

/** Objects up to this size are inflated in one go. */
export const smallBytes: number = 1024 * 1024;
/** Read at once while a pack is passed through from its start. */
export const scanWindowBytes: number = 1024 * 1024;
const windowBytes = 16 * 1024;
const streamPieceBytes = 256 * 1024;

function invalid(offset: number, problem: string): TerminalError {
  return new TerminalError('InvalidPack', `the pack is invalid at byte ${offset}: ${problem}`);
}

/** More than zlib ever needs for so many bytes. */
function compressedBound(sizeBytes: number): number {
  return sizeBytes + (sizeBytes >>> 3) + (sizeBytes >>> 6) + 64;
}

interface InflateInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** What an entry of a pack holds, and how many bytes of the pack that takes. */
export interface Inflated {
  readonly content: Buffer;
  readonly consumedBytes: number;
}

/** Reads and inflates parts of a pack on disk. Work is counted: what all calls together inflate is bounded. */
export class PackInflater {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** Where the checksum begins. */
  readonly endOffset: number;
  #maxInflatedBytes: number;
  /** Shared between the entries, and within large deltas. */
  readonly turns: TakeTurn;
  #window = { start: 0, bytes: Buffer.alloc(0) };
  #inflatedBytes = 0;
  /** How much is read at least, for what is asked for next. */
  readAheadBytes: number = windowBytes;

  constructor(
    file: { readonly handle: FileHandle; readonly path: string; readonly endOffset: number },
    { maxInflatedBytes, turns }: { readonly maxInflatedBytes: number; readonly turns: TakeTurn },
  ) {
    this.#handle = file.handle;
    this.#path = file.path;
    this.endOffset = file.endOffset;
    this.#maxInflatedBytes = maxInflatedBytes;
    this.turns = turns;
  }

  /** Allows so many more bytes. */
  allow(sizeBytes: number): void {
    this.#maxInflatedBytes += sizeBytes;
  }

  /** Counts bytes that were made out of the pack.
   *  @throws TerminalError UnpackedTooLarge */
  count(sizeBytes: number): void {
    this.#inflatedBytes += sizeBytes;
    if (this.#inflatedBytes <= this.#maxInflatedBytes) return;
    const limit = this.#maxInflatedBytes;
    throw new TerminalError('UnpackedTooLarge', `the pack unpacks to more than the limit of ${limit} bytes`);
  }

  /** Up to `count` bytes from `offset` on; fewer at the end of the pack. Valid until the next call. */
  async bytesAt(offset: number, count: number): Promise<Buffer> {
    const end = Math.min(offset + count, this.endOffset);
    const { start, bytes } = this.#window;
    if (offset >= start && end <= start + bytes.length) return bytes.subarray(offset - start, end - start);
    const length = Math.min(Math.max(end - offset, this.readAheadBytes), this.endOffset - offset);
    const buffer = Buffer.allocUnsafe(Math.max(0, length));
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#handle.read(buffer, done, length - done, offset + done);
      if (bytesRead === 0) throw invalid(offset, 'unexpected end of data');
      done += bytesRead;
    }
    this.#window = { start: offset, bytes: buffer };
    return buffer.subarray(0, end - offset);
  }

  /** Inflates what is `sizeBytes` large, at once; for what is known to fit into memory. */
  async inflate(offset: number, sizeBytes: number): Promise<Inflated> {
    this.count(sizeBytes);
    const compressed = await this.bytesAt(offset, compressedBound(sizeBytes));
    const options = { info: true, maxOutputLength: Math.max(1, sizeBytes), chunkSize: Math.max(64, sizeBytes + 1) };
    let found: InflateInfo;
    try {
      found = inflateSync(compressed, options) as unknown as InflateInfo;
    } catch (thrown) {
      throw invalid(offset, errorMessage(thrown));
    }
    if (found.buffer.length !== sizeBytes)
      throw invalid(offset, `expected ${sizeBytes} bytes, got ${found.buffer.length}`);
    return { content: found.buffer, consumedBytes: found.engine.bytesWritten };
  }

  /** Inflates what is `sizeBytes` large in pieces; returns how many bytes of the pack that takes. */
  async *stream(offset: number, sizeBytes: number): AsyncGenerator<Buffer, number> {
    this.count(sizeBytes);
    const inflater = createInflate({ chunkSize: streamPieceBytes });
    const source = createReadStream(this.#path, {
      start: offset,
      end: this.endOffset - 1,
      highWaterMark: streamPieceBytes,
    });
    source.once('error', (thrown) => inflater.destroy(thrown));
    source.pipe(inflater);
    let count = 0;
    try {
      for await (const piece of inflater as AsyncIterable<Buffer>) {
        count += piece.length;
        if (count > sizeBytes) throw invalid(offset, `expected ${sizeBytes} bytes, got more`);
        yield piece;
      }
    } catch (thrown) {
      if (thrown instanceof TerminalError) throw thrown;
      throw invalid(offset, errorMessage(thrown));
    } finally {
      source.destroy();
      inflater.destroy();
    }
    if (count !== sizeBytes) throw invalid(offset, `expected ${sizeBytes} bytes, got ${count}`);
    return inflater.bytesWritten;
  }
}
