import { type FileHandle, open, stat } from 'node:fs/promises';
import { TerminalError, turnTaker } from '../../base/index.ts';
import { applyEntry, inflateEntry, resolveDeltas } from './delta-resolver.ts';
import type { EntryTable } from './entry-table.ts';
import type { ObjectFormat } from './object-format.ts';
import { PackInflater, smallBytes } from './pack-inflater.ts';
import { scanPack } from './pack-scan.ts';

const mebibyte = 1024 * 1024;
/** Deltas, and objects that they are made of, are held in memory whole. */
const maxDeltaBytes = 64 * 1024 * 1024;
/** A small one takes less work and memory than others, a large one no more work than its bytes are worth; each is refused where it would take more. */
export type PackSize = 'small' | 'large' | 'huge';

/** All that opening a pack of so many bytes may inflate, and then reading it: bounds the work that it makes, and the memory it takes meanwhile. */
const inflatedBytes: Readonly<Record<PackSize, (fileBytes: number) => { opened: number; read: number }>> = {
  small: (fileBytes) => ({ opened: Math.min(32 * mebibyte, worthOf(fileBytes)), read: 1024 * mebibyte }),
  large: (fileBytes) => ({ opened: worthOf(fileBytes), read: worthOf(fileBytes) }),
  huge: () => ({ opened: 16 * 1024 ** 3, read: 0 }),
};
/** A huge pack works a quarter of the time: what others do takes very many turns of the thread. */
const hugeRestMs = 30;
/** To read an object takes as much time as so many bytes, however small it is. */
const leastReadBytes = 64;
const cacheBytes = 32 * 1024 * 1024;

/** The work that a pack of so many bytes is worth: a few KiB of deltas may stand for gigabytes. */
function worthOf(fileBytes: number): number {
  return Math.max(8 * mebibyte, Math.min(128 * mebibyte, 64 * fileBytes), 16 * fileBytes);
}

export interface PackOptions {
  readonly path: string;
  readonly size: PackSize;
  readonly format: ObjectFormat;
  readonly signal: AbortSignal;
}

export interface GitObject {
  readonly type: string;
  readonly sizeBytes: number;
  /** In pieces; whole objects when they are small or stored as deltas. */
  readonly content: AsyncIterable<Buffer>;
}

/** The objects of a pack on disk, by name. Their contents are read when they are asked for; in memory is a table of them. */
export class Pack implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #inflater: PackInflater;
  readonly #table: EntryTable;
  readonly #cache = new Map<number, Buffer>();
  readonly #maxReadBytes: number;
  #cacheBytes = 0;
  #plannedBytes = 0;

  private constructor(handle: FileHandle, inflater: PackInflater, parts: { table: EntryTable; maxReadBytes: number }) {
    this.#handle = handle;
    this.#inflater = inflater;
    this.#table = parts.table;
    this.#maxReadBytes = parts.maxReadBytes;
  }

  /** Passes through the pack and names all its objects.
   *  @throws TerminalError InvalidPack, DeltaTooLarge, DeltaTooDeep, UnpackedTooLarge, TooManyObjects */
  static async open({ path, format, size, signal }: PackOptions): Promise<Pack> {
    const fileBytes = (await stat(path)).size;
    const { opened: maxInflatedBytes, read: maxReadBytes } = inflatedBytes[size](fileBytes);
    const endOffset = fileBytes - format.oidBytes;
    const handle = await open(path, 'r');
    try {
      const turns = turnTaker(signal, size === 'huge' ? hugeRestMs : 0);
      const inflater = new PackInflater({ handle, path, endOffset }, { maxInflatedBytes, turns });
      const table = await scanPack(inflater, { format, maxDeltaBytes });
      await resolveDeltas({ table, inflater, maxDeltaBytes }, format);
      table.index();
      inflater.allow(maxReadBytes);
      return new Pack(handle, inflater, { table, maxReadBytes });
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** Names and types of all objects. */
  *list(): Generator<{ readonly oid: string; readonly type: string }> {
    for (let index = 0; index < this.#table.count; index += 1) {
      yield { oid: this.#table.oid(index).toString('hex'), type: this.#table.typeName(index) };
    }
  }

  has(oid: string): boolean {
    return this.#table.find(Buffer.from(oid, 'hex')) >= 0;
  }

  /** Counts what it takes at most to read an object, which is not read yet.
   *  @throws TerminalError UnpackedTooLarge */
  plan(oid: string): void {
    const { bases, sizes, madeBytes } = this.#table;
    for (let at = this.#table.find(Buffer.from(oid, 'hex')); at >= 0; at = bases[at] ?? -1) {
      this.#plannedBytes += Math.max((sizes[at] ?? 0) + (madeBytes[at] ?? 0), leastReadBytes);
      if (this.#plannedBytes <= this.#maxReadBytes) continue;
      const text = `what is read of the pack has more than the limit of ${this.#maxReadBytes} bytes`;
      throw new TerminalError('UnpackedTooLarge', text);
    }
  }

  /** Lets all be read that was planned. */
  allowPlanned(): void {
    this.#inflater.allow(this.#plannedBytes);
  }

  /** Lets other work have a turn: between objects. */
  async share(): Promise<void> {
    await this.#inflater.turns();
  }

  /** @throws TerminalError ObjectMissing */
  async read(oid: string): Promise<GitObject> {
    const index = this.#table.find(Buffer.from(oid, 'hex'));
    if (index < 0) throw new TerminalError('ObjectMissing', `the repository lacks the object ${oid}`);
    const type = this.#table.typeName(index);
    if (this.#table.isDelta(index)) {
      const content = await this.#resolve(index);
      return { type, sizeBytes: content.length, content: piecesOf(content) };
    }
    const sizeBytes = this.#table.sizes[index] ?? 0;
    const offset = (this.#table.offsets[index] ?? 0) + (this.#table.headerBytes[index] ?? 0);
    if (sizeBytes > smallBytes) return { type, sizeBytes, content: this.#inflater.stream(offset, sizeBytes) };
    return { type, sizeBytes, content: piecesOf((await this.#inflater.inflate(offset, sizeBytes)).content) };
  }

  /** A whole object of a type.
   *  @throws TerminalError ObjectMissing, InvalidObject */
  async readWhole(oid: string, expected: { readonly type: string; readonly maxBytes: number }): Promise<Buffer> {
    const { type, sizeBytes, content } = await this.read(oid);
    if (type !== expected.type) {
      throw new TerminalError('InvalidObject', `the object ${oid} is a ${type}, expected a ${expected.type}`);
    }
    if (sizeBytes > expected.maxBytes) {
      const text = `the ${type} ${oid} has ${sizeBytes} bytes, more than the limit of ${expected.maxBytes} bytes`;
      throw new TerminalError('ObjectTooLarge', text);
    }
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async #resolve(index: number): Promise<Buffer> {
    const source = { table: this.#table, inflater: this.#inflater, maxDeltaBytes };
    const chain: number[] = [];
    let at = index;
    for (; this.#table.isDelta(at) && !this.#cache.has(at); at = this.#table.bases[at] ?? 0) chain.push(at);
    let content = this.#cache.get(at) ?? (await inflateEntry(source, at));
    this.#keep(at, content);
    for (const next of chain.reverse()) {
      content = await applyEntry(source, next, content);
      this.#keep(next, content);
    }
    return content;
  }

  #keep(index: number, content: Buffer): void {
    this.#drop(index);
    this.#cache.set(index, content);
    this.#cacheBytes += content.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#cacheBytes <= cacheBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(index: number): void {
    this.#cacheBytes -= this.#cache.get(index)?.length ?? 0;
    this.#cache.delete(index);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function* piecesOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
