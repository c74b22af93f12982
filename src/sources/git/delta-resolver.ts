import { TerminalError } from '../../base/index.ts';
import { applyDelta } from './delta.ts';
import type { EntryTable } from './entry-table.ts';
import { NameIndex } from './name-index.ts';
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
  const onSize = (sizeBytes: number): void => inflater.count(sizeBytes);
  return await applyDelta(base, delta, { maxBytes: maxDeltaBytes, turns: inflater.turns, onSize });
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
  /** Deltas by name of base, and these names: the table's own are overwritten by and by. */
  readonly #byName: Uint32Array;
  readonly #names: NameIndex;

  constructor(table: EntryTable) {
    this.#table = table;
    this.#first = new Int32Array(table.count).fill(-1);
    this.#next = new Int32Array(table.count).fill(-1);
    const named: number[] = [];
    for (let index = table.count - 1; index >= 0; index -= 1) {
      const base = table.bases[index] ?? -1;
      if (table.isRefDelta(index)) named.push(index);
      if (base < 0) continue;
      this.#next[index] = this.#first[base] ?? -1;
      this.#first[base] = index;
    }
    this.#byName = Uint32Array.from(named);
    const names = Buffer.alloc(named.length * table.oidBytes);
    for (const [at, index] of named.entries()) table.oid(index).copy(names, at * table.oidBytes);
    this.#names = new NameIndex(names, table.oidBytes);
  }

  /** The deltas of an entry, one by one. Of two equal objects, the first one met serves as the base. */
  *of(index: number): Generator<number> {
    for (let child = this.#first[index] ?? -1; child >= 0; child = this.#next[child] ?? -1) yield child;
    if (this.#byName.length === 0) return;
    const oid = Buffer.from(this.#table.oid(index));
    for (let at = this.#names.take(oid); at >= 0; at = this.#names.take(oid)) yield this.#byName[at] ?? 0;
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
  readonly #children: Children;
  #frames: Frame[] = [];
  #cacheBytes = 0;
  #resolvedCount = 0;

  constructor(source: DeltaSource, format: ObjectFormat) {
    this.#source = source;
    this.#format = format;
    this.#children = new Children(source.table);
  }

  async resolveAll(): Promise<number> {
    const { table } = this.#source;
    for (let index = 0; index < table.count; index += 1) {
      await this.#source.inflater.turns();
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
      await this.#source.inflater.turns();
      await this.#resolve(top, child);
    }
  }

  async #resolve(parent: Frame, child: number): Promise<void> {
    const { table } = this.#source;
    const content = await applyEntry(this.#source, child, await this.#contentOf(this.#frames.length - 1));
    table.bases[child] = parent.index;
    table.madeBytes[child] = content.length;
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
      await this.#source.inflater.turns();
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
export async function resolveDeltas(source: DeltaSource, format: ObjectFormat): Promise<void> {
  const { table } = source;
  const deltaCount = table.storedTypes.reduce((sum, _, index) => sum + Number(table.isDelta(index)), 0);
  if (deltaCount === 0) return;
  const resolvedCount = await new DeltaResolver(source, format).resolveAll();
  if (resolvedCount === deltaCount) return;
  throw new TerminalError('InvalidPack', `${deltaCount - resolvedCount} deltas of the pack have no base`);
}
