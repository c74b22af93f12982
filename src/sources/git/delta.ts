import { TerminalError } from '../../base/index.ts';

function invalid(problem: string): TerminalError {
  return new TerminalError('InvalidPack', `invalid delta: ${problem}`);
}

class DeltaReader {
  readonly #delta: Buffer;
  at = 0;

  constructor(delta: Buffer) {
    this.#delta = delta;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#delta.length;
  }

  byte(): number {
    const byte = this.#delta[this.at];
    if (byte === undefined) throw invalid('unexpected end of data');
    this.at += 1;
    return byte;
  }

  size(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 7; count += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) return value;
    }
    throw invalid('a size has too many digits');
  }

  /** A number of which only the bytes in `flags` are present. */
  sparse(flags: number, count: number): number {
    let value = 0;
    for (let index = 0; index < count; index += 1) {
      if ((flags >> index) & 1) value += this.byte() * 256 ** index;
    }
    return value;
  }

  bytes(count: number): Buffer {
    const bytes = this.#delta.subarray(this.at, this.at + count);
    if (bytes.length < count) throw invalid('unexpected end of data');
    this.at += count;
    return bytes;
  }
}

/** What the next instruction adds: a part of the base, or bytes of the delta. */
function nextPiece(reader: DeltaReader, base: Buffer): Buffer {
  const code = reader.byte();
  if (code === 0) throw invalid('it holds a reserved instruction');
  if (code < 0x80) return reader.bytes(code);
  const offset = reader.sparse(code & 0x0f, 4);
  const copied = reader.sparse((code >> 4) & 0x07, 3) || 0x10000;
  const source = base.subarray(offset, offset + copied);
  if (source.length < copied) throw invalid('it copies from beyond its base');
  return source;
}

/** Applies a delta to its base.
 *  @throws TerminalError InvalidPack, DeltaTooLarge
 *  @see gitformat-pack(5), "Deltified representation" */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw invalid('its base has another size');
  const sizeBytes = reader.size();
  if (sizeBytes > maxBytes) {
    throw new TerminalError(
      'DeltaTooLarge',
      `a delta makes an object of ${sizeBytes} bytes, more than the limit of ${maxBytes} bytes`,
    );
  }
  const result = Buffer.allocUnsafe(sizeBytes);
  let end = 0;
  while (!reader.isAtEnd) {
    const source = nextPiece(reader, base);
    if (end + source.length > sizeBytes) throw invalid('its result is larger than declared');
    source.copy(result, end);
    end += source.length;
  }
  if (end !== sizeBytes) throw invalid('its result is smaller than declared');
  return result;
}
