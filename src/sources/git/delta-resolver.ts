import { TerminalError } from '../../base/index.ts';
import { applyDelta } from './delta.ts';
import { type EntryTable, lowerBound } from './entry-table.ts';
import type { ObjectFormat } from './object-format.ts';
import type { PackInflater } from './pack-inflater.ts';
import { hashObject } from './pack-scan.ts';

/** Size of base contents cached while deltas on them are resolved. */
const cacheBytes = 64 * 1024 * 1024;
/** git itself makes no longer chains. */
const maxDepth = 4095;

interface DeltaSource {
  readonly table: EntryTable;
  readonly inflater: PackInflater;
  readonly maxDeltaBytes: number;
}

/** The object that results from a delta and its base. */
export async function applyEntry(
  { table, inflater, maxDeltaBytes }: DeltaSource,
  index: number,
  base: Buffer,
): Promise<Buffer> {
  const delta = await inflateEntry({ table, inflater, maxDeltaBytes }, index);
  const result = applyDelta(base, delta, maxDeltaBytes);
  inflater.count(result.length);
  return result;
}

/** What an entry itself holds: an object or a delta. */
export async function inflateEntry({ table, inflater, maxDeltaBytes }: DeltaSource, index: number): Promise<Buffer> {
  const sizeBytes = table.sizes[index] ?? 0;
  if (sizeBytes > maxDeltaBytes) {
    throw new TerminalError(
      'DeltaTooLarge',
      `deltas are based on an object of ${sizeBytes} bytes, more than the limit of ${maxDeltaBytes} bytes`,
    );
  }
  const offset = (table.offsets[index] ?? 0) + (table.headerBytes[index] ?? 0);
  return (await inflater.inflate(offset, sizeBytes)).content;
}

/** Which deltas are based on which entry. */
class Children {
  readonly #table: EntryTable;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  /** Deltas by name of base, sorted by that name, and these names: the table's own are overwritten by and by. */
  readonly #byName: Uint32Array;
  readonly #names: Buffer;

  constructor(table: EntryTable) {
    this.#table = table;
    this.#first = new Int32Array(table.count).fill(-1);
    this.#next = new Int32Array(table.count).fill(-1);
    let namedCount = 0;
    for (let index = table.count - 1; index >= 0; index -= 1) {
      const base = table.bases[index] ?? -1;
      if (table.isRefDelta(index)) namedCount += 1;
      if (base < 0) continue;
      this.#next[index] = this.#first[base] ?? -1;
      this.#first[base] = index;
    }
    this.#byName = new Uint32Array(namedCount);
    for (let index = 0, at = 0; index < table.count; index += 1) {
      if (table.isRefDelta(index)) this.#byName[at++] = index;
    }
    this.#byName.sort((a, b) => table.compareOids(a, b));
    this.#names = Buffer.alloc(namedCount * table.oidBytes);
    for (const [at, index] of this.#byName.entries()) table.oid(index).copy(this.#names, at * table.oidBytes);
  }

  #nameAt(position: number): Buffer {
    const { oidBytes } = this.#table;
    return this.#names.subarray(position * oidBytes, (position + 1) * oidBytes);
  }

  /** The deltas of an entry, one by one. */
  *of(index: number): Generator<number> {
    for (let child = this.#first[index] ?? -1; child >= 0; child = this.#next[child] ?? -1) yield child;
    if (this.#byName.length === 0) return;
    const oid = Buffer.from(this.#table.oid(index));
    let at = lowerBound(this.#byName.length, (position) => Buffer.compare(this.#nameAt(position), oid));
    for (; at < this.#byName.length && this.#nameAt(at).equals(oid); at += 1) {
      const child = this.#byName[at] ?? 0;
      // Of two equal objects, the first one met serves as the base.
      if (this.#table.types[child] === 0) yield child;
    }
  }
}

/** An object on the way from the root of a chain to its tips. */
interface Frame {
  readonly index: number;
  readonly children: Iterator<number>;
  upcoming: number | undefined;
  content: Buffer | undefined;
}

function nextOf(children: Iterator<number>): number | undefined {
  const step = children.next();
  return step.done === true ? undefined : step.value;
}

/** Names every object that is stored as a delta. Works through chains of any depth with a bounded memory: contents that do not fit are made
 *  again when they are needed, and all output is counted. */
class DeltaResolver {
  readonly #source: DeltaSource;
  readonly #format: ObjectFormat;
  readonly #signal: AbortSignal;
  readonly #children: Children;
  #frames: Frame[] = [];
  #cacheBytes = 0;
  #resolvedCount = 0;

  constructor(source: DeltaSource, format: ObjectFormat, signal: AbortSignal) {
    this.#source = source;
    this.#format = format;
    this.#signal = signal;
    this.#children = new Children(source.table);
  }

  async resolveAll(): Promise<number> {
    const { table } = this.#source;
    for (let index = 0; index < table.count; index += 1) {
      if (!table.isDelta(index)) await this.#resolveFrom(index);
    }
    return this.#resolvedCount;
  }

  #frame(index: number, content: Buffer | undefined): Frame {
    const children = this.#children.of(index);
    return { index, children, upcoming: nextOf(children), content };
  }

  async #resolveFrom(root: number): Promise<void> {
    const first = this.#frame(root, undefined);
    if (first.upcoming === undefined) return;
    this.#frames = [first];
    for (let top = this.#frames.at(-1); top !== undefined; top = this.#frames.at(-1)) {
      const child = top.upcoming;
      if (child === undefined) {
        this.#forget(top);
        this.#frames.pop();
        continue;
      }
      this.#signal.throwIfAborted();
      await this.#resolve(top, child);
    }
  }

  async #resolve(parent: Frame, child: number): Promise<void> {
    const { table } = this.#source;
    const content = await applyEntry(this.#source, child, await this.#contentOf(this.#frames.length - 1));
    table.bases[child] = parent.index;
    table.setObject(
      child,
      table.types[parent.index] ?? 0,
      hashObject(this.#format, table.typeName(parent.index), content),
    );
    this.#resolvedCount += 1;
    parent.upcoming = nextOf(parent.children);
    if (parent.upcoming === undefined) this.#forget(parent);
    const frame = this.#frame(child, undefined);
    if (frame.upcoming === undefined) return;
    if (this.#frames.length >= maxDepth) {
      throw new TerminalError('DeltaTooDeep', `a chain of more than ${maxDepth} deltas`);
    }
    this.#frames.push(frame);
    this.#keep(frame, content);
  }

  #keep(frame: Frame, content: Buffer): void {
    frame.content = content;
    this.#cacheBytes += content.length;
    for (const other of this.#frames) {
      if (this.#cacheBytes <= cacheBytes) return;
      if (other !== frame) this.#forget(other);
    }
  }

  #forget(frame: Frame): void {
    this.#cacheBytes -= frame.content?.length ?? 0;
    frame.content = undefined;
  }

  /** Of the frame at a depth; computed again from the nearest cached one above. */
  async #contentOf(depth: number): Promise<Buffer> {
    let from = depth;
    while (from > 0 && this.#frames[from]?.content === undefined) from -= 1;
    const start = this.#frames[from];
    if (start === undefined) throw new Error('no frame to take a content from');
    let content = start.content ?? (await inflateEntry(this.#source, start.index));
    for (let at = from + 1; at <= depth; at += 1) {
      this.#signal.throwIfAborted();
      const frame = this.#frames[at];
      if (frame === undefined) break;
      content = await applyEntry(this.#source, frame.index, content);
      this.#keep(frame, content);
    }
    if (start.content === undefined && from === depth) this.#keep(start, content);
    return content;
  }
}

/** Names every object that is stored as a delta.
 *  @throws TerminalError InvalidPack, DeltaTooLarge, DeltaTooDeep, UnpackedTooLarge */
export async function resolveDeltas(
  source: DeltaSource,
  { format, signal }: { readonly format: ObjectFormat; readonly signal: AbortSignal },
): Promise<void> {
  const { table } = source;
  const deltaCount = table.storedTypes.reduce((sum, _, index) => sum + Number(table.isDelta(index)), 0);
  if (deltaCount === 0) return;
  const resolvedCount = await new DeltaResolver(source, format, signal).resolveAll();
  if (resolvedCount === deltaCount) return;
  throw new TerminalError('InvalidPack', `${deltaCount - resolvedCount} deltas of the pack have no base`);
}
