import { createHmac } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { fileRoom, makeFolder, replaceFile } from '../base/index.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const codeBytes = 32;

export interface RenditionCacheOptions {
  readonly dir: string;
  readonly maxBytes: number;
  /** Random, of the process: only what it has written itself is read. */
  readonly key: Uint8Array;
  /** Of one rendition, uncompressed. */
  readonly maxRenditionBytes: number;
}

/** What charts were rendered to, a file each, within a budget: the least recently used go first. */
export class RenditionCache {
  readonly #options: RenditionCacheOptions;

  constructor(options: RenditionCacheOptions) {
    this.#options = options;
    makeFolder(options.dir, 0o700);
  }

  #path(key: string): string {
    return `${this.#options.dir}/${key.replace(/^sha256:/, '')}`;
  }

  #codeOf(key: string, bytes: Uint8Array): Buffer {
    return createHmac('sha256', this.#options.key).update(key).update(bytes).digest();
  }

  /** Undefined where this process has not stored it, or it had to give way. */
  async read(key: string): Promise<Buffer | undefined> {
    try {
      const file = await readFile(this.#path(key));
      const bytes = file.subarray(codeBytes);
      if (!file.subarray(0, codeBytes).equals(this.#codeOf(key, bytes))) return undefined;
      const now = new Date();
      await utimes(this.#path(key), now, now).catch(() => undefined);
      return await decompress(bytes, { maxOutputLength: this.#options.maxRenditionBytes });
    } catch {
      return undefined;
    }
  }

  /** A disk that is full is no reason to fail. */
  async write(key: string, rendition: Buffer): Promise<void> {
    try {
      const bytes = await compress(rendition, fast);
      const file = Buffer.concat([this.#codeOf(key, bytes), bytes]);
      const temporaryPath = `${this.#path(key)}.${process.hrtime.bigint()}.tmp`;
      await replaceFile(this.#path(key), file, { temporaryPath });
      await this.#makeRoom();
    } catch {
      await rm(this.#path(key), { force: true });
    }
  }

  async #makeRoom(): Promise<void> {
    const { dir, maxBytes } = this.#options;
    const files = await Promise.all(
      (await readdir(dir)).map(async (name) => {
        const facts = await stat(`${dir}/${name}`).catch(() => undefined);
        return { name, roomBytes: fileRoom(facts?.size ?? 0), usedMs: facts?.mtimeMs ?? 0 };
      }),
    );
    let left = files.reduce((sum, { roomBytes }) => sum + roomBytes, 0) - maxBytes;
    for (const { name, roomBytes } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (left <= 0) return;
      await rm(`${dir}/${name}`, { force: true });
      left -= roomBytes;
    }
  }
}
