import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { link, open, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  type ContentLimits,
  type JsonObject,
  makeFolder,
  syncDirectory,
  syncFile,
  TerminalError,
  TransientError,
} from '../base/index.ts';
import { Budget, type BudgetOptions, type StoreUsage } from './budget.ts';
import { canonicalTar } from './canonical-tar.ts';
import { fileSizeBytes, pieceBytesOf, removeFile, sweepDirectory } from './disk.ts';
import { FileWriter } from './file-writer.ts';
import { gzipMembers } from './gzip-members.ts';
import type { KeyedLocks } from './locks.ts';
import { type PackedObjects, ParsedObjects, type ParsedQuery } from './parsed-objects.ts';
import { type ContentRecord, Records } from './records.ts';
import { Staging, type StagingRoom } from './staging.ts';
import { type DirectoryNames, type DirectoryVisitor, readTarDirectories } from './tar-directory.ts';

const bundleNamePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const storeLock = 'content-store';

export interface ContentStoreOptions {
  readonly dir: string;
  readonly limits: ContentLimits;
  /** Shared by all that work on `dir` at the same time. */
  readonly locks: KeyedLocks;
  /** Random, of the process: authenticates the parsed objects that it stores. */
  readonly key: Uint8Array;
  /** Unbounded when it is not given. */
  readonly budget?: Omit<BudgetOptions, 'dir'> | undefined;
}

export interface CommitOptions {
  readonly name: string;
  readonly uid: string;
  readonly facts: JsonObject;
  /** The digest the content must have. */
  readonly expectedDigest?: string | undefined;
  /** Where else it is stored. */
  readonly storedAt?: string | undefined;
  /** What the content was parsed into. */
  readonly parsed?: PackedObjects | undefined;
  readonly signal: AbortSignal;
}

/** An archive that was written. */
interface WrittenArchive {
  /** Of the content: the canonical tar. */
  readonly digest: string;
  readonly sizeBytes: number;
  /** Of the bytes of the file. */
  readonly archiveDigest: string;
}

/** What was found in stored directories. */
export interface ReadDirectories {
  /** Which of the directories exist. */
  readonly present: ReadonlySet<string>;
  /** Of the bytes of the archive. */
  readonly archiveDigest: string;
}

/** The disk's, not the content's. */
function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown;
}

/** @throws TerminalError ContentChanged */
function assertExpected({ name, digest }: ContentRecord, expectedDigest = digest): void {
  if (digest === expectedDigest) return;
  const text = `Bundle "${name}": expected the installed content ${expectedDigest}, found ${digest}: its source has changed; to install the new content, delete the Bundle (kubectl delete bundle ${name})`;
  throw new TerminalError('ContentChanged', text);
}

function hashing(hash: Hash): (pieces: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (pieces) {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
}

function placeOf({ storedAt }: CommitOptions): Pick<ContentRecord, 'storedAt'> {
  return storedAt === undefined ? {} : { storedAt };
}

function makeFolders(dir: string): void {
  for (const folder of ['blobs/sha256', 'parsed', 'records', 'temporary']) makeFolder(`${dir}/${folder}`, 0o700);
}

/** Content of Bundles on disk, by digest of its canonical tar: `blobs/sha256/<hex>.tgz`, what it was parsed into as `parsed/<hex>`, and for each
 *  Bundle a hard link `<bundle>.tgz` and a record. Everything appears whole or not at all; a kill at any moment leaves at most temporary files and
 *  unused blobs, which `sweep` removes. */
export class ContentStore {
  readonly #dir: string;
  readonly #options: ContentStoreOptions;
  readonly #records: Records;
  readonly #parsed: ParsedObjects;
  readonly #budget: Budget;

  private constructor(options: ContentStoreOptions) {
    this.#dir = options.dir;
    this.#options = options;
    this.#records = new Records(`${options.dir}/records`, () => this.#temporaryPath());
    this.#parsed = new ParsedObjects(`${options.dir}/parsed`, () => this.#temporaryPath(), options.key);
    const budget = options.budget ?? { maxBytes: Number.POSITIVE_INFINITY };
    this.#budget = new Budget({ ...budget, dir: options.dir }, { records: this.#records, parsed: this.#parsed });
  }

  /** Makes the folders where they are missing. */
  static async open(options: ContentStoreOptions): Promise<ContentStore> {
    makeFolders(options.dir);
    return new ContentStore(options);
  }

  /** Removes what earlier processes left half done. Only while nothing else works on the folder. */
  async sweep(): Promise<void> {
    await sweepDirectory(`${this.#dir}/temporary`, () => false);
    const records = await this.#records.all();
    const names = new Set(records.map((record) => `${record.name}.tgz`));
    await sweepDirectory(this.#dir, (name) => !name.endsWith('.tgz') || names.has(name));
    const stored = records.filter(({ isEvicted }) => isEvicted !== true);
    const digests = new Set(stored.map((record) => record.digest.slice('sha256:'.length)));
    await sweepDirectory(`${this.#dir}/blobs/sha256`, (name) => digests.has(name.replace(/\.tgz$/, '')));
    await sweepDirectory(`${this.#dir}/parsed`, (name) => digests.has(name));
  }

  #temporaryPath(): string {
    return `${this.#dir}/temporary/${randomUUID()}`;
  }

  #blobPath(digest: string): string {
    return `${this.#dir}/blobs/sha256/${digest.slice('sha256:'.length)}.tgz`;
  }

  /** @throws TerminalError InvalidName: the name becomes a file's name */
  #bundlePath(name: string): string {
    if (!bundleNamePattern.test(name))
      throw new TerminalError('InvalidName', `${JSON.stringify(name)} is not the name of a Bundle`);
    return `${this.#dir}/${name}.tgz`;
  }

  /** An empty staging area; dispose it in every case. `room` is as `Staging` has it. Folders that were removed meanwhile are made again. */
  async stage(room?: StagingRoom): Promise<Staging> {
    makeFolders(this.#dir);
    return await Staging.create(this.#temporaryPath(), this.#options.limits, room);
  }

  /** Stores what was staged for a Bundle, in place of what it had.
   *  @throws TerminalError ContentChanged when the digest is not the expected one · TransientError StoreFull */
  async commit(staging: Staging, options: CommitOptions): Promise<ContentRecord> {
    const bundlePath = this.#bundlePath(options.name);
    const temporaryPath = this.#temporaryPath();
    try {
      const { digest, sizeBytes, archiveDigest } = await this.#writeBlob(staging, temporaryPath, options.signal);
      if (options.expectedDigest !== undefined && digest !== options.expectedDigest) {
        const text = `${options.name}: content has changed: expected ${options.expectedDigest}, got ${digest}`;
        throw new TerminalError('ContentChanged', text);
      }
      const record = {
        name: options.name,
        uid: options.uid,
        digest,
        sizeBytes,
        facts: options.facts,
        ...placeOf(options),
      };
      await using _ = await this.#options.locks.acquire(storeLock, { signal: options.signal });
      const previous = this.#records.read(options.name);
      const isNew = (await fileSizeBytes(this.#blobPath(digest))) === undefined;
      if (isNew) await this.#budget.makeRoom((await fileSizeBytes(temporaryPath)) ?? 0);
      if (isNew) await this.#addBlob(temporaryPath, digest);
      await this.#addParsed(digest, options.parsed, archiveDigest);
      await this.#install(temporaryPath, bundlePath, digest);
      // At once: a file system makes all of it last in the time of one.
      await this.#records.write(record, () => this.#settle(bundlePath));
      if (previous !== undefined && previous.digest !== digest) await this.#dropUnused(previous.digest);
      return record;
    } finally {
      await removeFile(temporaryPath);
    }
  }

  async #writeBlob(staging: Staging, path: string, signal: AbortSignal): Promise<WrittenArchive> {
    const hash = createHash('sha256');
    const archiveHash = createHash('sha256');
    let sizeBytes = 0;
    async function* hashed(): AsyncGenerator<Buffer> {
      for await (const chunk of canonicalTar(staging)) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    }
    await using handle = await open(path, 'wx', 0o600);
    const writer = new FileWriter(handle);
    try {
      for await (const piece of gzipMembers(hashed())) {
        signal.throwIfAborted();
        archiveHash.update(piece);
        staging.takeDisk(piece.length);
        writer.append(piece);
        await writer.relieve();
      }
      await writer.flush();
    } finally {
      await writer.abandon();
    }
    const [digest, archiveDigest] = [hash, archiveHash].map((made) => `sha256:${made.digest('hex')}`) as [
      string,
      string,
    ];
    return { digest, sizeBytes, archiveDigest };
  }

  /** Only while the store is locked. */
  async #addParsed(digest: string, packed: PackedObjects | undefined, archiveDigest: string): Promise<void> {
    if (packed === undefined) return;
    const addedBytes = packed.bytes.length - (await this.#parsed.sizeBytes(digest));
    if (await this.#budget.addIfRoom(addedBytes)) await this.#parsed.write(digest, packed, archiveDigest);
  }

  async #addBlob(temporaryPath: string, digest: string): Promise<void> {
    await rename(temporaryPath, this.#blobPath(digest));
  }

  /** Makes the content of a Bundle last, with its names. */
  async #settle(bundlePath: string): Promise<void> {
    const folders = [`${this.#dir}/blobs/sha256`, this.#dir];
    await Promise.all([syncFile(bundlePath), ...folders.map(syncDirectory)]);
  }

  /** All Bundles of one content have links to one blob. When it has as many as it can have, the same in `temporaryPath` takes its place. */
  async #install(temporaryPath: string, bundlePath: string, digest: string): Promise<void> {
    const linkPath = this.#temporaryPath();
    try {
      await link(this.#blobPath(digest), linkPath);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EMLINK') throw thrown;
      await this.#addBlob(temporaryPath, digest);
      await link(this.#blobPath(digest), linkPath);
    }
    await rename(linkPath, bundlePath);
    await removeFile(linkPath);
  }

  /** Removes a blob that no Bundle links to any more. */
  async #dropUnused(digest: string): Promise<void> {
    const path = this.#blobPath(digest);
    const facts = await stat(path).catch(() => undefined);
    if (facts?.nlink !== 1) return;
    await removeFile(path);
    await this.#parsed.remove(digest);
  }

  /** What is stored for this very Bundle, or was and had to give way; undefined when nothing is, or its file was lost. */
  async find(bundle: { readonly name: string; readonly uid: string }): Promise<ContentRecord | undefined> {
    const path = this.#bundlePath(bundle.name);
    const record = this.#records.read(bundle.name);
    if (record === undefined || record.uid !== bundle.uid) return undefined;
    if (record.isEvicted === true) return record;
    return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : record;
  }

  /** What is stored under a name, whatever Bundle had it. */
  async findByName(name: string): Promise<ContentRecord | undefined> {
    const record = this.#records.read(name);
    return record === undefined ? undefined : await this.find(record);
  }

  /** Records where else content is stored; does nothing when the content has changed or was removed meanwhile. */
  async noteStoredAt(record: ContentRecord, storedAt: string): Promise<void> {
    await using _ = await this.#options.locks.acquire(storeLock, {});
    const now = this.#records.read(record.name);
    if (now?.uid === record.uid && now.digest === record.digest) await this.#records.write({ ...now, storedAt });
  }

  /** The file of a Bundle's content. */
  path(name: string): string {
    return this.#bundlePath(name);
  }

  /** The content of a Bundle is used now: others go before it does. */
  async touch(name: string): Promise<void> {
    await this.#budget.touch(name);
  }

  /** What is on disk now. */
  async usage(): Promise<StoreUsage> {
    return await this.#budget.usage();
  }

  /** Makes room for an upload of `sizeBytes`.
   *  @throws TransientError StoreFull */
  async makeRoom(sizeBytes: number, options: { readonly signal: AbortSignal }): Promise<void> {
    await using _ = await this.#options.locks.acquire(storeLock, options);
    await this.#budget.makeRoom(sizeBytes);
  }

  /** Damaged content is as good as none: what is known of it stays, so that the same is fetched again. */
  async #dropDamaged(record: ContentRecord): Promise<void> {
    await using _ = await this.#options.locks.acquire(storeLock, {});
    const now = this.#records.read(record.name);
    if (now?.uid !== record.uid || now.digest !== record.digest) return;
    await this.#records.write({ ...now, isEvicted: true });
    await removeFile(this.#bundlePath(record.name));
    await removeFile(this.#blobPath(record.digest));
    await this.#parsed.remove(record.digest);
  }

  async list(): Promise<ContentRecord[]> {
    return await this.#records.all();
  }

  /** Removes what is stored for a name; nothing stored is no error. The blob is removed with its last Bundle. */
  async remove(name: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const path = this.#bundlePath(name);
    await using _ = await this.#options.locks.acquire(storeLock, options);
    const record = this.#records.read(name);
    await this.#records.remove(name);
    await removeFile(path);
    if (record !== undefined) await this.#dropUnused(record.digest);
  }

  /** What the content of a Bundle was parsed into by `format`; undefined where nothing is stored, where that is not known, or where it is not the
   *  expected content: `readDirectories` throws the reason. */
  async readParsed(
    bundle: { readonly name: string; readonly uid: string },
    query: Pick<ParsedQuery, 'format' | 'signal'> & { readonly expectedDigest: string },
  ): Promise<unknown> {
    const record = await this.find(bundle);
    if (record === undefined || record.isEvicted === true || record.digest !== query.expectedDigest) return undefined;
    await this.#budget.touch(bundle.name);
    return await this.#parsed.read({ ...query, digest: record.digest, archivePath: this.#bundlePath(bundle.name) });
  }

  /** Stores what the content of a Bundle was parsed into, for the next `readParsed`, if the content is stored still and there is room for it. */
  async saveParsed(
    bundle: { readonly name: string; readonly uid: string },
    parsed: { readonly digest: string; readonly archiveDigest: string; readonly packed: PackedObjects },
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    await using _ = await this.#options.locks.acquire(storeLock, options);
    const record = await this.find(bundle);
    if (record?.digest !== parsed.digest || record.isEvicted === true) return;
    await this.#addParsed(parsed.digest, parsed.packed, parsed.archiveDigest);
  }

  /** Hands every entry of stored directories to `visit`, in the order of names, and returns which of them exist. The whole
   *  content is verified against its digest, so take what was visited for true only when this returns.
   *  @throws TransientError ContentLost when nothing is stored or it is damaged · TerminalError FileTooLarge */
  async readDirectories(
    bundle: { readonly name: string; readonly uid: string },
    directories: {
      readonly names: DirectoryNames;
      readonly maxFileBytes: number;
      readonly expectedDigest?: string | undefined;
      readonly signal: AbortSignal;
    },
    visit: DirectoryVisitor,
  ): Promise<ReadDirectories> {
    const record = await this.find(bundle);
    if (record === undefined) throw new TransientError('ContentLost', `${bundle.name}: no content is stored`);
    if (record.isEvicted === true) {
      const text = `${bundle.name}: the content was evicted from the store and is fetched again`;
      throw new TransientError('ContentLost', text);
    }
    assertExpected(record, directories.expectedDigest);
    await this.#budget.touch(bundle.name);
    try {
      const pieceBytes = pieceBytesOf(record.sizeBytes);
      const source = createReadStream(this.#bundlePath(bundle.name), { highWaterMark: pieceBytes });
      const [hash, archiveHash] = [createHash('sha256'), createHash('sha256')];
      let present: ReadonlySet<string> = new Set();
      const gunzip = createGunzip({ chunkSize: pieceBytes });
      const consume = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
        present = await readTarDirectories(chunks, { ...directories, hash }, visit);
      };
      await pipeline(source, hashing(archiveHash), gunzip, consume, { signal: directories.signal });
      const digest = `sha256:${hash.digest('hex')}`;
      if (digest !== record.digest) throw new Error(`expected ${record.digest}, got ${digest}`);
      return { present, archiveDigest: `sha256:${archiveHash.digest('hex')}` };
    } catch (thrown) {
      directories.signal.throwIfAborted();
      if (thrown instanceof TerminalError) throw thrown;
      if (!isSystemError(thrown)) await this.#dropDamaged(record);
      throw new TransientError('ContentLost', `${bundle.name}: stored content is damaged`, { cause: thrown });
    }
  }
}
