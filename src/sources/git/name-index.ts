import { randomBytes } from 'node:crypto';

const wordBytes = 4;

function bitsFor(count: number): number {
  return Math.max(1, Math.ceil(Math.log2(Math.max(2, count))));
}

/** Finds positions in a list by the names at them, which a server chooses: by a hash with random multipliers, so that no choice makes it slow.
 *  @see "multiply-shift" of Dietzfelbinger and others */
export class NameIndex {
  readonly #names: Buffer;
  readonly #nameBytes: number;
  /** Odd, one for each word of a name. */
  readonly #multipliers: readonly number[];
  readonly #shift: number;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  /** `names` has them one after another. */
  constructor(names: Buffer, nameBytes: number) {
    const count = names.length / nameBytes;
    const bits = bitsFor(count);
    this.#names = names;
    this.#nameBytes = nameBytes;
    this.#multipliers = Array.from({ length: nameBytes / wordBytes }, () => randomBytes(wordBytes).readInt32LE(0) | 1);
    this.#shift = 32 - bits;
    this.#first = new Int32Array(2 ** bits).fill(-1);
    this.#next = new Int32Array(count).fill(-1);
    for (let position = count - 1; position >= 0; position -= 1) {
      const slot = this.#slotOf(names, position * nameBytes);
      this.#next[position] = this.#first[slot] ?? -1;
      this.#first[slot] = position;
    }
  }

  #slotOf(bytes: Buffer, start: number): number {
    let sum = 0;
    for (const [index, multiplier] of this.#multipliers.entries()) {
      sum = (sum + Math.imul(bytes.readInt32LE(start + index * wordBytes), multiplier)) | 0;
    }
    return sum >>> this.#shift;
  }

  #hasName(position: number, name: Buffer): boolean {
    const start = position * this.#nameBytes;
    return name.compare(this.#names, start, start + this.#nameBytes) === 0;
  }

  /** The first position with a name, -1 for none. */
  find(name: Buffer): number {
    if (name.length !== this.#nameBytes) return -1;
    let at = this.#first[this.#slotOf(name, 0)] ?? -1;
    while (at >= 0 && !this.#hasName(at, name)) at = this.#next[at] ?? -1;
    return at;
  }

  /** The same, and that position is not found again. */
  take(name: Buffer): number {
    const slot = this.#slotOf(name, 0);
    let before = -1;
    for (let at = this.#first[slot] ?? -1; at >= 0; at = this.#next[at] ?? -1) {
      if (this.#hasName(at, name)) {
        const next = this.#next[at] ?? -1;
        if (before < 0) this.#first[slot] = next;
        else this.#next[before] = next;
        return at;
      }
      before = at;
    }
    return -1;
  }
}
