import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { sha256Digest, TerminalError, verifyStream } from '../base/index.ts';
import { fileSizeBytes, syncDirectory } from './disk.ts';

const bundleNamePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** A body on disk that nobody sees yet: keep it or discard it. */
export interface ReceivedUpload {
  readonly path: string;
  /** `sha256:<hex>` of the bytes as they came. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/** What users uploaded for their Bundles, as it came: `<dir>/<bundle>.tgz`. Nothing else has it, so nothing but its Bundle's end removes it. */
export class Uploads {
  readonly #dir: string;
  readonly #temporaryDir: string;

  private constructor(dir: string, temporaryDir: string) {
    this.#dir = dir;
    this.#temporaryDir = temporaryDir;
  }

  /** `temporaryDir` is on the same file system, and swept by its owner after a kill. */
  static async open(dir: string, temporaryDir: string): Promise<Uploads> {
    for (const folder of [dir, temporaryDir]) await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Uploads(dir, temporaryDir);
  }

  /** @throws TerminalError InvalidName: the name becomes a file's name */
  path(name: string): string {
    if (bundleNamePattern.test(name)) return `${this.#dir}/${name}.tgz`;
    throw new TerminalError('InvalidName', `${JSON.stringify(name)} is not the name of a Bundle`);
  }

  /** Saves a body beside the uploads.
   *  @throws TerminalError BodyTooLarge · whatever the body throws */
  async receive(
    body: NodeJS.ReadableStream,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<ReceivedUpload> {
    const path = `${this.#temporaryDir}/${randomUUID()}`;
    let digest = sha256Digest('');
    const onDigest = (got: string): void => {
      digest = got;
    };
    try {
      const check = verifyStream({ what: 'the upload', maxBytes: options.maxBytes, onDigest });
      const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(body, check, output, { signal: options.signal });
      return { path, digest, sizeBytes: (await fileSizeBytes(path)) ?? 0 };
    } catch (thrown) {
      await rm(path, { force: true });
      throw thrown;
    }
  }

  async has(name: string): Promise<boolean> {
    return (await fileSizeBytes(this.path(name))) !== undefined;
  }

  /** The digest of what is stored for a Bundle. */
  async digestOf(name: string): Promise<string | undefined> {
    const path = this.path(name);
    const sizeBytes = await fileSizeBytes(path);
    if (sizeBytes === undefined) return undefined;
    let digest = '';
    const onDigest = (got: string): void => {
      digest = got;
    };
    const check = verifyStream({ what: path, maxBytes: sizeBytes, onDigest });
    check.resume();
    await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), check);
    return digest;
  }

  /** Puts a received body in place, whole, and on disk when it resolves. */
  async keep(name: string, received: ReceivedUpload): Promise<void> {
    await rename(received.path, this.path(name));
    await syncDirectory(this.#dir);
  }

  async discard(received: ReceivedUpload): Promise<void> {
    await rm(received.path, { force: true });
  }

  /** Nothing stored is no error. */
  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
  }

  /** Removes what belongs to none of the Bundles. */
  async sweep(isOwned: (bundleName: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#dir)) {
      if (!isOwned(file.replace(/\.tgz$/, ''))) await rm(`${this.#dir}/${file}`, { force: true });
    }
  }
}
