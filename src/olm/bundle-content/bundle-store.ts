import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fileRoom,
  isJsonObject,
  makeFolder,
  mapLimit,
  objectAt,
  objectsAt,
  parseJson,
  sha256Digest,
  syncFile,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { explainFullDisk, lockFolder, removeFile } from '../../content/index.ts';
import { Leftovers } from '../images/leftovers.ts';
import type { StoredBundle } from './bundle-job.ts';

/** The objects of one bundle; they are parsed at once, even if one of them is needed. */
const maxBundleBytes = 32 * 1024 ** 2;
const filePattern = /^[0-9a-f]{64}\.json$/;
const statsAtATime = 16;
const digestLength = 'sha256:'.length + 64;

/** Writes the objects of a bundle to a file that does not exist yet.
 *  @throws TerminalError BundleTooLarge */
export async function writeBundle(file: string, bundle: StoredBundle): Promise<void> {
  const text = JSON.stringify(bundle);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBundleBytes) {
    const problem = `bundle ${bundle.name}: its objects have ${bytes} bytes, more than the limit of ${maxBundleBytes} bytes`;
    throw new TerminalError('BundleTooLarge', problem);
  }
  await writeFile(file, `${sha256Digest(text)}\n${text}`, { mode: 0o600 });
  await syncFile(file);
}

/** Undefined for a file that was damaged. */
function readBundle(text: string): StoredBundle | undefined {
  const content = text.slice(digestLength + 1);
  if (text.slice(0, digestLength) !== sha256Digest(content)) return undefined;
  const value = parseJson('a stored bundle', content);
  if (!isJsonObject(value)) return undefined;
  return { name: textAt(value, 'name'), csv: objectAt(value, 'csv') ?? {}, objects: objectsAt(value, 'objects') };
}

function isMissing(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Bundles on disk within a budget, a file each, and what failed work leaves within a limit as well: what was not used for longest is removed first, and is
 *  fetched again when it is needed. */
export class BundleStore implements Disposable {
  readonly #dir: string;
  readonly #maxBytes: number;
  readonly #lock: Disposable;
  readonly #leftovers: Leftovers;

  private constructor(dir: string, maxBytes: number, lock: Disposable) {
    this.#dir = dir;
    this.#maxBytes = maxBytes;
    this.#leftovers = new Leftovers(maxBytes);
    this.#lock = lock;
  }

  /** Takes the folder for this process and removes what an earlier one left half done.
   *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
  static async open(dir: string, maxBytes: number): Promise<BundleStore> {
    using stack = new DisposableStack();
    const lock = stack.use(lockFolder(dir));
    const store = new BundleStore(dir, maxBytes, lock);
    await rm(store.#workFolder(), { recursive: true, force: true });
    stack.move();
    return store;
  }

  #workFolder(): string {
    return join(this.#dir, 'work');
  }

  /** Content that one catalog's credentials have opened is not shown to the users of another one. */
  #path(key: string): string {
    return join(this.#dir, `${sha256Digest(key).slice('sha256:'.length)}.json`);
  }

  /** A folder and a file that nothing else uses. */
  prepare(work: string): { readonly workDir: string; readonly file: string } {
    const workDir = join(this.#workFolder(), sha256Digest(work).slice('sha256:'.length));
    this.#leftovers.claim(workDir);
    makeFolder(workDir, 0o700);
    return { workDir, file: join(workDir, randomUUID()) };
  }

  /** Takes in a file of `writeBundle`; the folder is removed. */
  async commit(key: string, { workDir, file }: { readonly workDir: string; readonly file: string }): Promise<void> {
    try {
      await rename(file, this.#path(key));
      await rm(workDir, { recursive: true, force: true });
      await this.#evict();
    } catch (thrown) {
      throw explainFullDisk(thrown, this.#dir);
    }
  }

  /** Work that will not be tried again leaves nothing. */
  async discard({ workDir }: { readonly workDir: string }): Promise<void> {
    await rm(workDir, { recursive: true, force: true });
  }

  /** Work that failed leaves what the next attempt can use, as far as there is room for it. */
  async leave({ workDir, file }: { readonly workDir: string; readonly file: string }): Promise<void> {
    await removeFile(file);
    await this.#leftovers.leave(workDir);
  }

  async save(key: string, bundle: StoredBundle): Promise<void> {
    const place = this.prepare(key);
    await writeBundle(place.file, bundle);
    await this.commit(key, place);
  }

  async find(key: string): Promise<StoredBundle | undefined> {
    const path = this.#path(key);
    try {
      const bundle = readBundle(await readFile(path, 'utf8'));
      if (bundle === undefined) await removeFile(path);
      else await utimes(path, new Date(), new Date());
      return bundle;
    } catch (thrown) {
      if (isMissing(thrown)) return undefined;
      throw thrown;
    }
  }

  /** Of a file that a reader, or other work, has removed meanwhile, nothing is left. */
  async #factsOf(name: string): Promise<Pick<Stats, 'size' | 'mtimeMs'>> {
    try {
      return await stat(join(this.#dir, name));
    } catch (thrown) {
      if (isMissing(thrown)) return { size: 0, mtimeMs: 0 };
      throw thrown;
    }
  }

  async #evict(): Promise<void> {
    const names = (await readdir(this.#dir)).filter((name) => filePattern.test(name));
    const files = await mapLimit(names, statsAtATime, async (name) => {
      const { size, mtimeMs } = await this.#factsOf(name);
      return { name, size, mtimeMs };
    });
    let bytes = files.reduce((sum, { size }) => sum + fileRoom(size), 0);
    for (const { name, size } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (bytes <= this.#maxBytes) return;
      await removeFile(join(this.#dir, name));
      bytes -= fileRoom(size);
    }
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }
}
