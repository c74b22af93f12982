import { type TakeTurn, TerminalError } from '../../base/index.ts';

function invalid(problem: string): TerminalError {
  return new TerminalError('InvalidPack', `invalid delta: ${problem}`);
}

class DeltaReader {
  readonly delta: Buffer;
  at = 0;

  constructor(delta: Buffer) {
    this.delta = delta;
  }

  get isAtEnd(): boolean {
    return this.at >= this.delta.length;
  }

  byte(): number {
    const byte = this.delta[this.at];
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

  /** Passes over bytes; the answer is where they begin. */
  skip(count: number): number {
    const start = this.at;
    if (start + count > this.delta.length) throw invalid('unexpected end of data');
    this.at += count;
    return start;
  }
}

/** Copies of a few bytes are made here: to call for each takes longer. */
const fewBytes = 32;

/** The object that a delta makes, as far as it is made. */
class DeltaResult {
  readonly bytes: Buffer;
  end = 0;

  constructor(sizeBytes: number) {
    this.bytes = Buffer.allocUnsafe(sizeBytes);
  }

  append(source: Buffer, start: number, count: number): void {
    if (this.end + count > this.bytes.length) throw invalid('its result is larger than declared');
    if (count > fewBytes) source.copy(this.bytes, this.end, start, start + count);
    else for (let at = 0; at < count; at += 1) this.bytes[this.end + at] = source[start + at] ?? 0;
    this.end += count;
  }
}

/** Adds what the next instruction has: a part of the base, or bytes of the delta. */
function appendNext(result: DeltaResult, reader: DeltaReader, base: Buffer): void {
  const code = reader.byte();
  if (code === 0) throw invalid('it holds a reserved instruction');
  if (code < 0x80) {
    result.append(reader.delta, reader.skip(code), code);
    return;
  }
  const offset = reader.sparse(code & 0x0f, 4);
  const copied = reader.sparse((code >> 4) & 0x07, 3) || 0x10000;
  if (offset + copied > base.length) throw invalid('it copies from beyond its base');
  result.append(base, offset, copied);
}

/** Between two looks at the clock. */
const instructionsAtATime = 10_000;

interface DeltaLimits {
  readonly maxBytes: number;
  readonly turns: TakeTurn;
  /** Called with the size of the result before memory is taken for it; what it throws ends the work. */
  readonly onSize?: (sizeBytes: number) => void;
}

/** Applies a delta to its base; one of many short instructions shares the thread meanwhile.
 *  @throws TerminalError InvalidPack, DeltaTooLarge
 *  @see gitformat-pack(5), "Deltified representation" */
export async function applyDelta(
  base: Buffer,
  delta: Buffer,
  { maxBytes, turns, onSize }: DeltaLimits,
): Promise<Buffer> {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw invalid('its base has another size');
  const sizeBytes = reader.size();
  if (sizeBytes > maxBytes) {
    throw new TerminalError(
      'DeltaTooLarge',
      `a delta makes an object of ${sizeBytes} bytes, more than the limit of ${maxBytes} bytes`,
    );
  }
  onSize?.(sizeBytes);
  const result = new DeltaResult(sizeBytes);
  for (let count = 1; !reader.isAtEnd; count += 1) {
    appendNext(result, reader, base);
    if (count % instructionsAtATime === 0) await turns();
  }
  if (result.end !== sizeBytes) throw invalid('its result is smaller than declared');
  return result.bytes;
}
