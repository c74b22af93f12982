const newline = 10;
const initialBytes = 1024 * 1024;

/** The part of a stream that is being looked at: bytes come in behind, and go when they are done with. */
export class ByteWindow {
  #buffer: Buffer = Buffer.allocUnsafe(initialBytes);
  #length = 0;
  /** Bytes of the stream that are discarded. */
  #gone = 0;
  /** Lines that end before an index. */
  #lines = 0;
  #countedTo = 0;

  /** What there is; valid until more comes in. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Where the index stands in the stream, from 0. */
  offsetOf(index: number): number {
    return this.#gone + index;
  }

  /** The line of an index, from 1; ask in rising order. */
  lineOf(index: number): number {
    const seen = this.bytes.subarray(0, index);
    for (let at = seen.indexOf(newline, this.#countedTo); at >= 0; at = seen.indexOf(newline, at + 1)) {
      this.#lines += 1;
    }
    this.#countedTo = Math.max(this.#countedTo, index);
    return this.#lines + 1;
  }

  /** Gives up what is before `index`, which becomes 0, and takes more. */
  append(chunk: Uint8Array, index: number): void {
    this.lineOf(index);
    const retained = this.#length - index;
    const needed = retained + chunk.length;
    const size = this.#buffer.length;
    const isWasteful = size > 4 * initialBytes && needed < size / 8;
    const isTooSmall = needed > size;
    const target = isTooSmall || isWasteful ? Buffer.allocUnsafe(Math.max(initialBytes, 2 * needed)) : this.#buffer;
    // A document that has not ended yet stays where it is: moving it with every chunk would take the square of its size.
    if (target !== this.#buffer || index > 0) this.#buffer.copy(target, 0, index, this.#length);
    target.set(chunk, retained);
    [this.#buffer, this.#length] = [target, needed];
    this.#gone += index;
    this.#countedTo -= index;
  }
}
