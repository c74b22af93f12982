import { type ContentLimits, errorMessage, type RoomShare, TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from './directory.ts';
import { assertLinkStaysInside, parseEntryPath } from './entry-path.ts';
import { type FileNode, FileTree, type LinkNode, type PathSegments, sortedByBytes } from './file-tree.ts';
import { quoteEntry } from './quote-entry.ts';
import { Spool } from './spool.ts';

const pieceBytes = 1024 * 1024;
/** What archives may spend on headers and padding, a node. */
const framingBytesPerEntry = 2048;

/** Of all records of entries together, such as long paths, which take much longer to read than contents: those of Go have a few hundred bytes. */
const maxRecordBytes = 64 * 1024 * 1024;

/** What is staged, as plain data: for other threads, as long as the staging area is there. */
export interface StagedFiles {
  readonly spoolPath: string;
  readonly limits: ContentLimits;
  readonly directories: readonly string[];
  /** With their paths. */
  readonly files: readonly (readonly [string, FileNode | LinkNode])[];
}

/** What the work on a bundle may take, where others take of it as well. */
export interface StagingRoom {
  /** Of temporary files. */
  readonly disk: RoomShare;
  /** Of names, which servers decide how many there are, and for how long. */
  readonly memory: RoomShare;
}

/** Where a source puts a bundle's files before they are checked and stored. Holds names in memory and bytes in one spool file;
 *  dispose it to remove both. Limits count over all layers. */
export class Staging implements AsyncDisposable {
  readonly limits: ContentLimits;
  readonly tree: FileTree;
  readonly #spool: Spool;
  readonly #room: StagingRoom | undefined;
  #layerCount = 0;
  #unpackedBytes = 0;
  #streamedBytes = 0;
  #recordBytes = 0;

  private constructor(spool: Spool, limits: ContentLimits, room?: StagingRoom) {
    this.#spool = spool;
    this.limits = limits;
    this.#room = room;
    this.tree = new FileTree(limits.entries, (sizeBytes) => this.takeMemory(sizeBytes));
  }

  /** `spoolPath` is a file that does not exist yet. */
  static async create(spoolPath: string, limits: ContentLimits, room?: StagingRoom): Promise<Staging> {
    return new Staging(await Spool.create(spoolPath), limits, room);
  }

  /** What another staging area holds, for reading alone; that one must stay until this is disposed. */
  static async reopen({ spoolPath, limits, directories, files }: StagedFiles): Promise<Staging> {
    const staging = new Staging(await Spool.reopen(spoolPath), limits);
    for (const path of directories) staging.tree.makeDirectory(path.split('/'), 1);
    for (const [path, node] of files) staging.tree.put(path.split('/'), node);
    return staging;
  }

  /** What `reopen` takes. */
  async describe(): Promise<StagedFiles> {
    await this.#spool.flush();
    const directories: string[] = [];
    const files: [string, FileNode | LinkNode][] = [];
    for (const { path, node } of this.tree.entries()) {
      if (node.kind === 'file') files.push([path, node]);
      else directories.push(path);
    }
    for (const { path, target } of this.tree.links()) files.push([path, { kind: 'link', layer: 1, target }]);
    return { spoolPath: this.#spool.path, limits: this.limits, directories, files };
  }

  /** Begins a layer over the staged files; `what` names its origin in messages. */
  beginLayer(what: string): LayerWriter {
    this.#layerCount += 1;
    return new LayerWriter(this, this.#spool, { what, layer: this.#layerCount });
  }

  /** Counts bytes of files.
   *  @throws TerminalError UnpackedTooLarge */
  countUnpacked(sizeBytes: number): void {
    this.#unpackedBytes += sizeBytes;
    if (this.#unpackedBytes > this.limits.unpackedBytes) {
      throw new TerminalError(
        'UnpackedTooLarge',
        `unpacks to more than the limit of ${this.limits.unpackedBytes} bytes`,
      );
    }
  }

  /** What archives may be in all, with headers and padding: larger ones cannot fit, compressed or not. */
  get maxStreamedBytes(): number {
    const { unpackedBytes, entries, streamedBytes } = this.limits;
    return streamedBytes ?? unpackedBytes + framingBytesPerEntry * entries;
  }

  /** Counts bytes of temporary files: those of the staging area, and what a source downloads beside it.
   *  @throws TransientError StoreFull when other work needs the room */
  takeDisk(sizeBytes: number): void {
    this.#room?.disk.take(sizeBytes);
  }

  /** Counts bytes of names in memory: those of the staging area, and what a source has beside it.
   *  @throws TransientError NamesTooLarge when other work needs the room */
  takeMemory(sizeBytes: number): void {
    this.#room?.memory.take(sizeBytes);
  }

  /** Counts bytes that came out of a decompressor, whatever they are.
   *  @throws TerminalError UnpackedTooLarge */
  countStreamed(sizeBytes: number): void {
    this.#streamedBytes += sizeBytes;
    if (this.#streamedBytes > this.maxStreamedBytes) {
      throw new TerminalError(
        'UnpackedTooLarge',
        `unpacks to more than the limit of ${this.limits.streamedBytes ?? this.limits.unpackedBytes} bytes`,
      );
    }
  }

  /** Counts records about entries that archives have apart from these.
   *  @throws TerminalError TooManyEntries · TransientError NamesTooLarge */
  countRecords(sizeBytes: number): void {
    this.#recordBytes += sizeBytes;
    if (this.#recordBytes > maxRecordBytes) {
      throw new TerminalError(
        'TooManyEntries',
        `records of entries of more than the limit of ${maxRecordBytes} bytes together`,
      );
    }
    // Names in them are parts of them.
    this.takeMemory(sizeBytes);
  }

  /** Finishes the staging: checks absolute links, which start at the bundle's root: their first directory must exist.
   *  @throws TerminalError LinkLeavesRoot */
  assertLinksInside(what: string): void {
    for (const { path, target } of this.tree.links()) {
      if (!target.startsWith('/')) continue;
      const first = target.split('/').find((segment) => segment !== '' && segment !== '.');
      if (first === undefined || (first !== '..' && this.tree.root.children.has(first))) continue;
      throw new TerminalError(
        'LinkLeavesRoot',
        `${what}: ${quoteEntry(path)}: link to ${quoteEntry(target)} leaves the bundle root`,
      );
    }
  }

  /** The content of a file; `maxBytes` bounds what is read into memory.
   *  @throws TerminalError FileTooLarge */
  async readFile(path: string, node: FileNode, maxBytes: number): Promise<Buffer> {
    if (node.sizeBytes > maxBytes) {
      throw new TerminalError(
        'FileTooLarge',
        `${path}: ${node.sizeBytes} bytes, more than the limit of ${maxBytes} bytes`,
      );
    }
    return await this.#spool.read(node.offset, node.sizeBytes);
  }

  /** The bytes of a file in pieces of at most 1 MiB; one is read while the one before is used. */
  async *streamFile(node: FileNode): AsyncGenerator<Buffer> {
    const read = (done: number): Promise<Buffer> => {
      const piece = this.#spool.read(node.offset + done, Math.min(pieceBytes, node.sizeBytes - done));
      // Reported to the code that awaits it.
      piece.catch(() => undefined);
      return piece;
    };
    if (node.sizeBytes === 0) return;
    let next = read(0);
    for (let done = pieceBytes; done < node.sizeBytes; done += pieceBytes) {
      const piece = await next;
      next = read(done);
      yield piece;
    }
    yield await next;
  }

  /** What a directory holds, sorted by name; undefined when there is no such directory. */
  readDirectory(name: string, maxFileBytes: number): AsyncIterable<DirectoryEntry> | undefined {
    const directory = this.tree.get([name]);
    return directory?.kind === 'directory' ? this.#readEntries(name, maxFileBytes) : undefined;
  }

  /** Every file, named by its path, in the order of paths. */
  async *readFiles(maxFileBytes: number): AsyncGenerator<DirectoryEntry> {
    for (const { path, node } of this.tree.entries()) {
      if (node.kind !== 'file') continue;
      yield { kind: 'file', name: path, content: await this.readFile(path, node, maxFileBytes) };
    }
  }

  async *#readEntries(name: string, maxFileBytes: number): AsyncGenerator<DirectoryEntry> {
    const directory = this.tree.get([name]);
    if (directory?.kind !== 'directory') return;
    const byName = sortedByBytes([...directory.children], ([childName]) => childName);
    for (const [childName, node] of byName) {
      if (node.kind === 'directory') yield { kind: 'directory', name: childName };
      if (node.kind !== 'file') continue;
      yield { kind: 'file', name: childName, content: await this.readFile(`${name}/${childName}`, node, maxFileBytes) };
    }
  }

  /** Keeps only what lies under a directory, which becomes the root. False, and nothing changed, when there is none. */
  moveRootTo(path: PathSegments): boolean {
    const directory = this.tree.get(path);
    if (directory?.kind !== 'directory') return false;
    const children = [...directory.children];
    this.tree.root.children.clear();
    for (const [name, node] of children) this.tree.root.children.set(name, node);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spool[Symbol.asyncDispose]();
  }
}

/** Adds the entries of one layer, in the order they come. Every method checks the entry's name.
 *  @throws TerminalError with `<what>: "<entry>": ` before the text */
export class LayerWriter {
  readonly #staging: Staging;
  readonly #spool: Spool;
  readonly #what: string;
  readonly #layer: number;

  constructor(staging: Staging, spool: Spool, origin: { readonly what: string; readonly layer: number }) {
    this.#staging = staging;
    this.#spool = spool;
    this.#what = origin.what;
    this.#layer = origin.layer;
  }

  /** Runs `work` with the checked path of an entry; its errors gain the names of archive and entry. */
  #at<T>(name: string, work: (path: PathSegments) => T): T {
    try {
      return work(parseEntryPath(name, this.#staging.limits.pathBytes));
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      throw new TerminalError(thrown.reason, `${this.#what}: ${quoteEntry(name)}: ${errorMessage(thrown)}`, {
        cause: thrown,
      });
    }
  }

  addDirectory(name: string): void {
    this.#at(name, (path) => this.#staging.tree.makeDirectory(path, this.#layer));
  }

  /** Begins a file of exactly `sizeBytes`; push that many bytes into the returned function, then call `relieve`. */
  addFile(
    name: string,
    file: { readonly sizeBytes: number; readonly isExecutable: boolean },
  ): (bytes: Uint8Array) => void {
    this.#at(name, (path) => {
      if (path.length === 0) throw new TerminalError('UnsafePath', 'the root of a bundle must be a directory');
      this.#staging.countUnpacked(file.sizeBytes);
      this.#staging.takeDisk(file.sizeBytes);
      this.#staging.tree.put(path, { kind: 'file', layer: this.#layer, offset: this.#spool.endOffset, ...file });
    });
    return (bytes) => this.#spool.append(bytes);
  }

  /** A symbolic link: checked and remembered, never followed and never stored. */
  addLink(name: string, target: string): void {
    this.#at(name, (path) => {
      assertLinkStaysInside(path, target);
      this.#staging.tree.put(path, { kind: 'link', layer: this.#layer, target });
    });
  }

  /** A second name for a staged file; its size counts again. */
  addHardLink(name: string, target: string): void {
    this.#at(name, (path) => {
      const found = this.#staging.tree.get(this.#hardLinkTarget(target));
      if (found === undefined || found.kind === 'directory') {
        throw new TerminalError(
          'LinkLeavesRoot',
          `hard link to ${quoteEntry(target)}, which is not a file of the bundle`,
        );
      }
      if (found.kind === 'file') this.#staging.countUnpacked(found.sizeBytes);
      this.#staging.tree.put(path, { ...found, layer: this.#layer });
    });
  }

  #hardLinkTarget(target: string): PathSegments {
    try {
      return parseEntryPath(target, this.#staging.limits.pathBytes);
    } catch (thrown) {
      throw new TerminalError('LinkLeavesRoot', `hard link to ${quoteEntry(target)} leaves the bundle root`, {
        cause: thrown,
      });
    }
  }

  /** Whiteout: removes `name` of earlier layers. */
  hide(name: string): void {
    this.#at(name, (path) => this.#staging.tree.hide(path, this.#layer));
  }

  /** Opaque whiteout: removes everything of earlier layers in `name`. */
  hideChildren(name: string): void {
    this.#at(name, (path) => this.#staging.tree.hideChildren(path, this.#layer));
  }

  /** Waits until gathered bytes are written, when there are many. */
  async relieve(): Promise<void> {
    await this.#spool.relieve();
  }
}
