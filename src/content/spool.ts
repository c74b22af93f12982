import { type FileHandle, open } from 'node:fs/promises';
import { removeFile } from './disk.ts';
import { FileWriter } from './file-writer.ts';

/** One temporary file to which the bytes of all files of a bundle are appended; its name is the only path that staging ever
 *  writes, so no name from outside reaches the file system. */
export class Spool implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #writer: FileWriter;
  #readableBytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
    this.#writer = new FileWriter(handle);
  }

  /** Makes the file; fails when it exists. */
  static async create(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'wx+', 0o600));
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

  async #flush(): Promise<void> {
    const { endOffset } = this.#writer;
    await this.#writer.flush();
    this.#readableBytes = endOffset;
  }

  /** The bytes of a range, which must have been appended before. */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    if (offset + sizeBytes > this.#readableBytes) await this.#flush();
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
    await removeFile(this.path);
  }
}
