import { type FileHandle, open } from 'node:fs/promises';
import { removeFile } from './disk.ts';
import { FileWriter } from './file-writer.ts';

/** One temporary file to which the bytes of all files of a bundle are appended; its name is the only path that staging ever
 *  writes, so no name from outside reaches the file system. */
export class Spool implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #writer: FileWriter;
  readonly #isOwn: boolean;
  #readableBytes: number;

  private constructor(path: string, handle: FileHandle, isOwn: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#writer = new FileWriter(handle);
    this.#isOwn = isOwn;
    this.#readableBytes = isOwn ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Makes the file; fails when it exists. */
  static async create(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'wx+', 0o600), true);
  }

  /** For reading alone, what another one has written; the file stays. */
  static async reopen(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'r'), false);
  }

  /** Where the next byte will stand. */
  get endOffset(): number {
    return this.#writer.endOffset;
  }

  /** As `FileWriter` has it. */
  append(bytes: Uint8Array): void {
    this.#writer.append(bytes);
  }

  /** As `FileWriter` has it. */
  async relieve(): Promise<void> {
    await this.#writer.relieve();
  }

  /** Returns when all that was appended can be read by `reopen`. */
  async flush(): Promise<void> {
    const { endOffset } = this.#writer;
    await this.#writer.flush();
    this.#readableBytes = endOffset;
  }

  /** The bytes of a range, which must have been appended before. */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    if (offset + sizeBytes > this.#readableBytes) await this.flush();
    const buffer = Buffer.allocUnsafe(sizeBytes);
    let done = 0;
    while (done < sizeBytes) {
      const { bytesRead } = await this.#handle.read(buffer, done, sizeBytes - done, offset + done);
      if (bytesRead === 0) throw new Error(`spool ${this.path} is shorter than expected`);
      done += bytesRead;
    }
    return buffer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.abandon();
    await this.#handle.close();
    if (this.#isOwn) await removeFile(this.path);
  }
}
