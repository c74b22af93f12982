import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorMessage,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type Logger,
  makeFolder,
  parseJson,
  replaceFile,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { type CatalogIndex, openCatalogIndex } from '../../catalog/index.ts';
import { lockFolder } from '../../content/index.ts';
import { Leftovers } from '../images/leftovers.ts';
import type { UnpackedCatalog } from './unpack-job.ts';

const recordName = 'current.json';
/** Kept over a failed try, not over a restart. */
const workName = 'work';
/** What the API server lets names of objects be: one can be a folder's name as it stands. */
const namePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** What is stored of a catalog. */
export interface CatalogRecord extends UnpackedCatalog {
  /** Of the ClusterCatalog or CatalogSource. */
  readonly uid: string;
  /** The image, by digest; of what is no image, what identifies its content. */
  readonly ref: string;
  /** What `ref` became of, where another answer replaces the content. */
  readonly askedRef?: string;
  /** RFC 3339 */
  readonly unpackedAt: string;
}

/** Properties of the object that the index of its catalog needs. */
export interface CatalogTraits {
  /** Where it is not the key in the store. */
  readonly name?: string;
  /** Of a catalog of a namespace. */
  readonly namespace?: string;
  readonly priority: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** The index of a catalog, as a thread opens it: plain data. */
export interface CatalogPlace extends CatalogTraits {
  readonly name: string;
  /** Deleted when the catalog has another one. */
  readonly file: string;
}

export interface CatalogStoreOptions {
  /** Of what failed work of all catalogs leaves; 1 GiB when absent. */
  readonly maxLeftBytes?: number;
}

interface StoreParts extends CatalogStoreOptions {
  readonly lock: Disposable;
}

interface Held {
  readonly record: CatalogRecord;
  /** Name of the index in the catalog's folder. */
  readonly fileName: string;
  readonly traits: CatalogTraits;
  readonly index: CatalogIndex;
}

const noTraits: CatalogTraits = { priority: 0, labels: {} };

function readRecord(what: string, text: string): { readonly fileName: string; readonly record: CatalogRecord } {
  const document = parseJson(what, text);
  const fileName = isJsonObject(document) ? textAt(document, 'fileName') : '';
  const record = isJsonObject(document) ? document['record'] : undefined;
  if (!/^[-0-9a-f]+\.index$/.test(fileName) || !isJsonObject(record ?? null)) {
    throw new TerminalError('InvalidRecord', `${what}: expected the record of a catalog`);
  }
  return { fileName, record: record as unknown as CatalogRecord };
}

/** Whether the content is damaged or incomplete. Anything else, such as too many open files, may be over at the next start. */
function isContentLost(thrown: unknown): boolean {
  return thrown instanceof TerminalError || (thrown as NodeJS.ErrnoException).code === 'ENOENT';
}

function unreadable(folder: string, cause: unknown): TerminalError {
  const text = `${folder}: the catalog cannot be read: ${errorMessage(cause)}: correct that, or remove the folder; its content is then fetched again`;
  return new TerminalError('DataFolderUnusable', text, { cause });
}

const ownFilePattern = /^([-0-9a-f]+\.index(\..*)?|current\.json(\.unfinished)?|work)$/;

/** Removes what a store creates, and the folder when it is empty then: it may be another program's. */
async function removeOwnFiles(folder: string): Promise<void> {
  const names = await readdir(folder);
  const own = names.filter((name) => ownFilePattern.test(name));
  // The record last: without it the rest is unknown.
  for (const name of own) if (name !== recordName) await rm(join(folder, name), { recursive: true, force: true });
  if (own.includes(recordName)) await rm(join(folder, recordName));
  if (own.length === names.length) await rmdir(folder);
}

/** Catalogs on disk, one folder each: `<uuid>.index` and `current.json`, which names it. A new index is written next to the old one, then the name is
 *  changed by a rename: there is always the old content or the new one, and readers of the old content can finish. */
export class CatalogStore implements AsyncDisposable {
  readonly #dir: string;
  readonly #log: Logger;
  readonly #lock: Disposable;
  readonly #held = new Map<string, Held>();
  /** Of what is stored, and of what is to come. */
  readonly #traits = new Map<string, CatalogTraits>();
  readonly #listeners = new Set<() => void>();
  readonly #leftovers: Leftovers;

  private constructor(dir: string, log: Logger, { lock, maxLeftBytes }: StoreParts) {
    this.#leftovers = new Leftovers(maxLeftBytes);
    this.#dir = dir;
    this.#log = log;
    this.#lock = lock;
  }

  /** Takes the folder for this process, removes what an earlier one left half done, and opens all catalogs.
   *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
  static async open(dir: string, log: Logger, options: CatalogStoreOptions = {}): Promise<CatalogStore> {
    using stack = new DisposableStack();
    const lock = stack.use(lockFolder(dir));
    const store = new CatalogStore(dir, log, { lock, ...options });
    stack.defer(() => {
      for (const { index } of store.#held.values()) index[Symbol.dispose]();
    });
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      if (entry.isDirectory()) await store.#openOrRemove(entry.name);
    }
    stack.move();
    return store;
  }

  /** Names of all that is stored, sorted. */
  names(): readonly string[] {
    return [...this.#held.keys()].toSorted();
  }

  find(name: string): CatalogRecord | undefined {
    return this.#held.get(name)?.record;
  }

  /** Good until the catalog is replaced or removed; keep it with `use`. */
  index(name: string): CatalogIndex | undefined {
    return this.#held.get(name)?.index;
  }

  placeOf(name: string): CatalogPlace | undefined {
    const held = this.#held.get(name);
    return held && { name, file: join(this.#folder(name), held.fileName), ...held.traits };
  }

  /** Paths for a new index and for temporary files. */
  async prepare(name: string): Promise<{ readonly workDir: string; readonly file: string }> {
    const folder = this.#folder(name);
    makeFolder(folder, 0o700);
    // A thread that was ended has left its index as it was then.
    const workDir = join(folder, workName);
    this.#leftovers.claim(workDir);
    await this.#sweep(folder, [workName, this.#held.get(name)?.fileName ?? '']);
    return { workDir, file: join(folder, `${randomUUID()}.index`) };
  }

  /** Work that failed leaves what the next attempt can use, as far as there is room for it. */
  async leave(name: string): Promise<void> {
    const folder = this.#folder(name);
    await this.#leftovers.leave(join(folder, workName));
    // It may have been removed meanwhile.
    if (existsSync(folder)) await this.#sweep(folder, [workName, this.#held.get(name)?.fileName ?? '']);
  }

  /** Makes an index at the path from `prepare` the catalog's content. */
  async commit(name: string, file: string, record: CatalogRecord): Promise<void> {
    const folder = this.#folder(name);
    const fileName = file.slice(folder.length + 1);
    const traits = this.#traits.get(name) ?? noTraits;
    const index = openCatalogIndex(file, { name, ...traits });
    try {
      await this.#point(folder, { fileName, record: record as unknown as JsonObject });
    } catch (thrown) {
      index[Symbol.dispose]();
      throw thrown;
    }
    const before = this.#held.get(name);
    this.#held.set(name, { record, fileName, traits, index });
    this.#notify();
    before?.index[Symbol.dispose]();
    await this.#sweep(folder, [fileName]);
  }

  /** Replaces the record of the present index, whose content is the same. */
  async amend(name: string, record: CatalogRecord): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) return;
    await this.#point(this.#folder(name), { fileName: held.fileName, record: record as unknown as JsonObject });
    this.#held.set(name, { ...held, record });
    await this.#sweep(this.#folder(name), [held.fileName]);
  }

  /** Sets the traits for the present index, or the first one to come. */
  describe(name: string, traits: CatalogTraits): void {
    this.#traits.set(name, traits);
    const held = this.#held.get(name);
    const [desired, known] = [traits, held?.traits].map((one) => one as unknown as JsonObject);
    if (held === undefined || isJsonEqual(desired ?? null, known ?? null)) return;
    const index = openCatalogIndex(join(this.#folder(name), held.fileName), { name, ...traits });
    this.#held.set(name, { ...held, traits, index });
    this.#notify();
    held.index[Symbol.dispose]();
  }

  async remove(name: string): Promise<void> {
    const held = this.#held.get(name);
    this.#held.delete(name);
    this.#traits.delete(name);
    if (held !== undefined) this.#notify();
    held?.index[Symbol.dispose]();
    // The record goes first: content without a record is removed at the next start.
    const folder = this.#folder(name);
    this.#leftovers.claim(join(folder, workName));
    await rm(join(folder, recordName), { force: true });
    await rm(folder, { recursive: true, force: true });
  }

  /** Called when a catalog is added, changed or removed; must return at once. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Of all indexes, or of those with these names, on disk. */
  async sizeBytes(names?: ReadonlySet<string>): Promise<number> {
    let sum = 0;
    for (const [name, { fileName }] of this.#held) {
      if (names?.has(name) === false) continue;
      sum += (await stat(join(this.#folder(name), fileName)).catch(() => undefined))?.size ?? 0;
    }
    return sum;
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const { index } of this.#held.values()) index[Symbol.dispose]();
    this.#held.clear();
    this.#lock[Symbol.dispose]();
    return Promise.resolve();
  }

  #folder(name: string): string {
    if (namePattern.test(name)) return join(this.#dir, name);
    throw new TerminalError('InvalidObject', `catalog "${name.slice(0, 253)}": its name can be no folder's`);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #openOrRemove(name: string): Promise<void> {
    const folder = join(this.#dir, name);
    try {
      const path = join(folder, recordName);
      const { fileName, record } = readRecord(path, await readFile(path, 'utf8'));
      const index = openCatalogIndex(join(folder, fileName), { name, ...noTraits });
      this.#held.set(name, { record, fileName, traits: noTraits, index });
      await this.#sweep(folder, [fileName]);
    } catch (thrown) {
      if (!isContentLost(thrown)) throw unreadable(folder, thrown);
      this.#log.warn({ catalog: name, message: errorMessage(thrown) }, 'no usable content of the catalog is left');
      await removeOwnFiles(folder);
    }
  }

  async #point(folder: string, document: JsonObject): Promise<void> {
    const path = join(folder, recordName);
    await replaceFile(path, JSON.stringify(document), { temporaryPath: `${path}.unfinished` });
  }

  /** Removes everything but the record and what is to be kept. */
  async #sweep(folder: string, kept: readonly string[]): Promise<void> {
    for (const name of await readdir(folder)) {
      if (name === recordName || kept.includes(name)) continue;
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
