import type { FileHandle } from 'node:fs/promises';

/** Size from which `relieve` writes; less is buffered. */
export const flushBytes: number = 1024 * 1024;
/** What systems take in one call. */
const maxPieces = 512;
/** A piece keeps the buffer in memory that it is a part of: one that is less than this share of it is copied. */
const leastShare = 0.25;

/** Writes pieces one behind the other into a file, many at a time: the next ones gather while a write is under way. */
export class FileWriter {
  readonly #handle: FileHandle;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #endOffset: number;
  #writing: Promise<void> = Promise.resolve();

  /** Begins at `offset`. */
  constructor(handle: FileHandle, offset = 0) {
    this.#handle = handle;
    this.#endOffset = offset;
  }

  /** Where the next byte will stand. */
  get endOffset(): number {
    return this.#endOffset;
  }

  /** Takes bytes without waiting; call `relieve` between pieces. The bytes must not change afterwards. */
  append(bytes: Uint8Array): void {
    const isSmallPart = bytes.length < bytes.buffer.byteLength * leastShare;
    this.#waiting.push(isSmallPart ? Uint8Array.from(bytes) : bytes);
    this.#waitingBytes += bytes.length;
    this.#endOffset += bytes.length;
  }

  /** Writes when `gatheredBytes` have gathered. Fails when an earlier write did. */
  async relieve(gatheredBytes: number = flushBytes): Promise<void> {
    if (this.#waitingBytes < gatheredBytes) return;
    await this.#writing;
    this.#begin();
  }

  /** Returns when all is written. */
  async flush(): Promise<void> {
    this.#begin();
    await this.#writing;
  }

  /** Forgets what waits; returns when no write is under way. */
  async abandon(): Promise<void> {
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#writing.catch(() => undefined);
  }

  #begin(): void {
    if (this.#waitingBytes === 0) return;
    const pieces = this.#waiting;
    const offset = this.#endOffset - this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#writing = this.#writing.then(() => this.#write(pieces, offset));
    // Reported to the next caller.
    this.#writing.catch(() => undefined);
  }

  async #write(pieces: readonly Uint8Array[], start: number): Promise<void> {
    let offset = start;
    for (let at = 0; at < pieces.length; at += maxPieces) {
      const batch = pieces.slice(at, at + maxPieces);
      const sizeBytes = batch.reduce((sum, piece) => sum + piece.length, 0);
      const { bytesWritten } = await this.#handle.writev(batch, offset);
      if (bytesWritten < sizeBytes)
        await this.#writeRest(Buffer.concat(batch).subarray(bytesWritten), offset + bytesWritten);
      offset += sizeBytes;
    }
  }

  /** A disk that is nearly full writes a part, and fails with the next one. */
  async #writeRest(rest: Buffer, start: number): Promise<void> {
    for (let done = 0; done < rest.length; ) {
      done += (await this.#handle.write(rest, done, rest.length - done, start + done)).bytesWritten;
    }
  }
}
