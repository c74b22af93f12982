import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { TransientError, verifyStream } from '../base/index.ts';
import { FileWriter, pieceBytesOf, removeFile } from '../content/index.ts';
import type { Descriptor } from './descriptor.ts';

/** There may be thousands of transfers that are as slow as servers like, each with so much in memory. */
const gatheredBytes = 128 * 1024;

/** A blob on its way: the bytes that have come lie in a file, and stay there when a transfer breaks off or the process ends. One writer
 *  at a time. Nothing of it may be used before `verify`. */
export class PartialBlob {
  readonly path: string;
  readonly descriptor: Descriptor;
  /** False once a server has proved that it cannot give parts. */
  mayResume = true;
  #wasResumed = false;
  /** Of the bytes that were appended here from the first one on, as many as are counted. */
  #hash: Hash | undefined;
  #hashedBytes = 0;

  constructor(path: string, descriptor: Descriptor) {
    this.path = path;
    this.descriptor = descriptor;
  }

  /** Whether bytes of several transfers were put together since it was last begun. */
  get wasResumed(): boolean {
    return this.#wasResumed;
  }

  /** From where on bytes are missing; what can be no start of the blob is thrown away. */
  async offsetBytes(): Promise<number> {
    const facts = await stat(this.path).catch(() => undefined);
    const sizeBytes = facts?.size ?? 0;
    if (this.mayResume && sizeBytes <= this.descriptor.sizeBytes) return sizeBytes;
    await this.discard();
    return 0;
  }

  async discard(): Promise<void> {
    await removeFile(this.path);
    this.#wasResumed = false;
    this.#hash = undefined;
  }

  /** Appends bytes until the blob is complete. `what` names it in messages.
   *  @throws TransientError SizeMismatch when there is more, TransferBroken when the pieces end too early */
  async append(what: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { sizeBytes } = this.descriptor;
    const start = await this.offsetBytes();
    this.#wasResumed ||= start > 0;
    this.#hashFrom(start);
    let offset = start;
    await using handle = await open(this.path, 'a', 0o600);
    const writer = new FileWriter(handle, start);
    try {
      for await (const piece of pieces) {
        if (offset + piece.length > sizeBytes) {
          throw new TransientError('SizeMismatch', `${what}: expected ${sizeBytes} bytes, got more`);
        }
        this.#hash?.update(piece);
        offset += piece.length;
        this.#hashedBytes = offset;
        writer.append(piece);
        await writer.relieve(gatheredBytes);
      }
    } finally {
      await writer.flush();
    }
    if (offset === sizeBytes) return;
    const text = `${what}: the transfer was interrupted: got ${offset} of ${sizeBytes} bytes`;
    throw new TransientError('TransferBroken', text);
  }

  /** Earlier bytes are unknown, and `verify` reads them again. */
  #hashFrom(offset: number): void {
    if (offset > 0 && offset === this.#hashedBytes) return;
    this.#hash = offset === 0 ? createHash('sha256') : undefined;
    this.#hashedBytes = 0;
  }

  /** @throws TransientError DigestMismatch, SizeMismatch */
  async verify(what: string, signal: AbortSignal): Promise<void> {
    if (this.#hash !== undefined && this.#hashedBytes === this.descriptor.sizeBytes) {
      const got = `sha256:${this.#hash.copy().digest('hex')}`;
      if (got === this.descriptor.digest) return;
      throw new TransientError('DigestMismatch', `${what}: expected digest ${this.descriptor.digest}, got ${got}`);
    }
    await verifyFile(this.path, { what, blob: this.descriptor, signal });
  }
}

/** @throws TransientError DigestMismatch, SizeMismatch */
export async function verifyFile(
  path: string,
  options: { readonly what: string; readonly blob: Descriptor; readonly signal: AbortSignal },
): Promise<void> {
  const { what, blob, signal } = options;
  const check = verifyStream({ what, maxBytes: blob.sizeBytes, digest: blob.digest, sizeBytes: blob.sizeBytes });
  check.resume();
  await pipeline(createReadStream(path, { highWaterMark: pieceBytesOf(blob.sizeBytes) }), check, { signal });
}
