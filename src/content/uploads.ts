import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { makeFolder, sha256Digest, syncDirectory, TerminalError, verifyStream } from '../base/index.ts';
import { fileSizeBytes } from './disk.ts';

const bundleNamePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const uidPattern = /^[-0-9A-Za-z]{1,64}$/;

/** The Bundle that an upload is for. One that is deleted and created again under its name is another one, and gets nothing of this. */
export interface UploadTarget {
  readonly name: string;
  readonly uid: string;
}

/** A body on disk that is not visible yet: commit it or discard it. */
export interface ReceivedUpload {
  readonly path: string;
  /** `sha256:<hex>` of the bytes as they came. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/** What users uploaded for their Bundles, as it came: `<dir>/<bundle>_<uid>.tgz`. Nothing else has it, so nothing but its Bundle's end removes it. */
export class Uploads {
  readonly #dir: string;
  readonly #temporaryDir: string;

  private constructor(dir: string, temporaryDir: string) {
    this.#dir = dir;
    this.#temporaryDir = temporaryDir;
  }

  /** `temporaryDir` is on the same file system, and swept by its owner after a kill. */
  static async open(dir: string, temporaryDir: string): Promise<Uploads> {
    for (const folder of [dir, temporaryDir]) makeFolder(folder, 0o700);
    return new Uploads(dir, temporaryDir);
  }

  /** @throws TerminalError InvalidName: name and uid become a file's name */
  path(bundle: UploadTarget): string {
    return uploadPath(this.#dir, bundle);
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

  async has(bundle: UploadTarget): Promise<boolean> {
    return (await fileSizeBytes(this.path(bundle))) !== undefined;
  }

  /** The digest of what is stored for a Bundle. */
  async digestOf(bundle: UploadTarget): Promise<string | undefined> {
    const path = this.path(bundle);
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
  async keep(bundle: UploadTarget, received: ReceivedUpload): Promise<void> {
    await rename(received.path, this.path(bundle));
    await syncDirectory(this.#dir);
  }

  async discard(received: ReceivedUpload): Promise<void> {
    await rm(received.path, { force: true });
  }

  /** Removes what was uploaded for one Bundle; nothing stored is no error. */
  async forget(bundle: UploadTarget): Promise<void> {
    await rm(this.path(bundle), { force: true });
  }

  /** Removes what was uploaded for Bundles of a name; nothing stored is no error. */
  async remove(name: string): Promise<void> {
    for (const file of await readdir(this.#dir)) {
      if (targetOf(file).name === name) await rm(`${this.#dir}/${file}`, { force: true });
    }
  }

  /** Removes what belongs to none of the Bundles. */
  async sweep(isOwned: (bundle: UploadTarget) => boolean): Promise<void> {
    for (const file of await readdir(this.#dir)) {
      if (!isOwned(targetOf(file))) await rm(`${this.#dir}/${file}`, { force: true });
    }
  }
}

/** Where the uploads of a content store are kept. */
export function uploadsFolder(storeDir: string): string {
  return `${storeDir}/uploads`;
}

/** Path of the upload for a Bundle in the folder of uploads.
 *  @throws TerminalError InvalidName: name and uid become a file's name */
export function uploadPath(dir: string, { name, uid }: UploadTarget): string {
  if (bundleNamePattern.test(name) && uidPattern.test(uid)) return `${dir}/${name}_${uid}.tgz`;
  throw new TerminalError('InvalidName', `${JSON.stringify(`${name}_${uid}`)} is not the name and the uid of a Bundle`);
}

function targetOf(file: string): UploadTarget {
  const [name = '', uid = ''] = file.replace(/\.tgz$/, '').split('_');
  return { name, uid };
}
