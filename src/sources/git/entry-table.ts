import { NameIndex } from './name-index.ts';
import { objectTypes } from './object-format.ts';

const ofsDelta = 6;
const refDelta = 7;

/** What a pack holds, in typed arrays of about 60 bytes an object: where each entry lies, what it is based on, and its name. */
export class EntryTable {
  readonly count: number;
  readonly oidBytes: number;
  /** One more than there are entries: the last is the end. */
  readonly offsets: Float64Array;
  readonly headerBytes: Uint8Array;
  /** Inflated, of what the entry itself holds: an object or a delta. */
  readonly sizes: Float64Array;
  /** Of the object that a delta makes, once it is resolved. */
  readonly madeBytes: Uint32Array;
  /** As the pack has it; for a delta 6 or 7. */
  readonly storedTypes: Uint8Array;
  /** Of the object; 0 for a delta until it is resolved. */
  readonly types: Uint8Array;
  /** Index of the entry that a delta is based on, -1 for none or unknown. */
  readonly bases: Int32Array;
  readonly #oids: Buffer;
  #index: NameIndex;

  constructor(count: number, oidBytes: number) {
    this.count = count;
    this.oidBytes = oidBytes;
    this.offsets = new Float64Array(count + 1);
    this.headerBytes = new Uint8Array(count);
    this.sizes = new Float64Array(count);
    this.madeBytes = new Uint32Array(count);
    this.storedTypes = new Uint8Array(count);
    this.types = new Uint8Array(count);
    this.bases = new Int32Array(count).fill(-1);
    this.#oids = Buffer.alloc(count * oidBytes);
    this.#index = new NameIndex(Buffer.alloc(0), oidBytes);
  }

  isDelta(index: number): boolean {
    const type = this.storedTypes[index];
    return type === ofsDelta || type === refDelta;
  }

  isRefDelta(index: number): boolean {
    return this.storedTypes[index] === refDelta;
  }

  /** Of the object; of a delta by name, until it is resolved, that of its base. */
  oid(index: number): Buffer {
    return this.#oids.subarray(index * this.oidBytes, (index + 1) * this.oidBytes);
  }

  setObject(index: number, type: number, oid: Buffer): void {
    this.types[index] = type;
    oid.copy(this.#oids, index * this.oidBytes);
  }

  setBaseOid(index: number, oid: Buffer): void {
    oid.copy(this.#oids, index * this.oidBytes);
  }

  typeName(index: number): string {
    return objectTypes.get(this.types[index] ?? 0) ?? 'delta';
  }

  /** Index of the entry that begins at an offset, among the first `count`; -1 for none. */
  indexBefore(offset: number, count: number): number {
    const at = lowerBound(count, (position) => (this.offsets[position] ?? 0) - offset);
    return at < count && this.offsets[at] === offset ? at : -1;
  }

  /** Makes `find` work, once all objects have their names. */
  index(): void {
    this.#index = new NameIndex(this.#oids, this.oidBytes);
  }

  /** Index of an object by its name, -1 for none. */
  find(oid: Buffer): number {
    return this.#index.find(oid);
  }
}

/** The first position of a sorted list that `compare` does not call smaller. */
function lowerBound(length: number, compare: (position: number) => number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(middle) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
