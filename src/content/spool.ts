import { type FileHandle, open, rm } from 'node:fs/promises';

/** So much is written when somebody calls `relieve`; less waits for more. */
export const flushBytes: number = 1024 * 1024;

/** One temporary file to which the bytes of all files of a bundle are appended; its name is the only path that staging ever
 *  writes, so no name from outside reaches the file system. */
export class Spool implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #writtenBytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Makes the file; fails when it exists. */
  static async create(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'wx+', 0o600));
  }

  /** Where the next byte will stand. */
  get endOffset(): number {
    return this.#writtenBytes + this.#waitingBytes;
  }

  /** Takes bytes without waiting; call `relieve` between pieces. The bytes must not change afterwards. */
  append(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  /** Writes when enough has gathered. */
  async relieve(): Promise<void> {
    if (this.#waitingBytes >= flushBytes) await this.flush();
  }

  /** Writes all that has gathered. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, 512);
      const sizeBytes = batch.reduce((sum, piece) => sum + piece.length, 0);
      const { bytesWritten } = await this.#handle.writev(batch, this.#writtenBytes);
      if (bytesWritten !== sizeBytes)
        await this.#handle.write(Buffer.concat(batch), bytesWritten, undefined, this.#writtenBytes + bytesWritten);
      this.#writtenBytes += sizeBytes;
      this.#waitingBytes -= sizeBytes;
    }
  }

  /** The bytes of a range, which must have been appended before. */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    if (offset + sizeBytes > this.#writtenBytes) await this.flush();
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
    this.#waiting = [];
    await this.#handle.close();
    await rm(this.path, { force: true });
  }
}
