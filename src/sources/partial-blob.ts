import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { TransientError, verifyStream } from '../base/index.ts';
import type { Descriptor } from './image-manifest.ts';

/** A blob on its way: the bytes that have come lie in a file, and stay there when a transfer breaks off or the process ends. One writer
 *  at a time. Nothing of it may be used before `verify`. */
export class PartialBlob {
  readonly path: string;
  readonly wanted: Descriptor;
  /** False once a server has proved that it cannot give parts. */
  mayResume = true;
  #wasResumed = false;

  constructor(path: string, wanted: Descriptor) {
    this.path = path;
    this.wanted = wanted;
  }

  /** Whether bytes of several transfers were put together since it was last begun. */
  get wasResumed(): boolean {
    return this.#wasResumed;
  }

  /** From where on bytes are missing; what can be no start of the blob is thrown away. */
  async offsetBytes(): Promise<number> {
    const facts = await stat(this.path).catch(() => undefined);
    const sizeBytes = facts?.size ?? 0;
    if (this.mayResume && sizeBytes <= this.wanted.sizeBytes) return sizeBytes;
    await this.discard();
    return 0;
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
    this.#wasResumed = false;
  }

  /** Adds bytes behind those that are there, until the blob is complete. `what` names it in messages.
   *  @throws TransientError SizeMismatch when there is more, TransferBroken when the pieces end too early */
  async append(what: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { sizeBytes } = this.wanted;
    let offset = await this.offsetBytes();
    this.#wasResumed ||= offset > 0;
    const handle = await open(this.path, 'a', 0o600);
    try {
      for await (const piece of pieces) {
        if (offset + piece.length > sizeBytes) {
          throw new TransientError('SizeMismatch', `${what}: expected ${sizeBytes} bytes, got more`);
        }
        await handle.appendFile(piece);
        offset += piece.length;
      }
    } finally {
      await handle.close();
    }
    if (offset === sizeBytes) return;
    const text = `${what}: the transfer broke off: got ${offset} of ${sizeBytes} bytes`;
    throw new TransientError('TransferBroken', text);
  }

  /** @throws TransientError DigestMismatch, SizeMismatch */
  async verify(what: string, signal: AbortSignal): Promise<void> {
    await verifyFile(this.path, { what, blob: this.wanted, signal });
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
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), check, { signal });
}
