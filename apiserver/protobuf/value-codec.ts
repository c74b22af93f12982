import { BinaryReader, type BinaryWriter, type WireType } from '@bufbuild/protobuf/wire';
import { type JsonValue, maxNestingDepth, TerminalError } from '../../src/base/index.ts';

/** Reads and writes one type of value. */
export interface ValueCodec {
  readonly wireType: WireType;
  /** What Go prints in JSON for a value of this type that was never set. */
  readonly zero: JsonValue;
  /** `depth` counts the messages around the value. */
  read(reader: CountingReader, depth: number): JsonValue;
  write(writer: BinaryWriter, value: JsonValue): void;
}

/** What bytes that are no message of the kind lead to. */
export function malformed(message: string, cause?: unknown): TerminalError {
  return new TerminalError('MalformedProtobuf', `proto: ${message}`, { cause });
}

/** What bytes that end too early lead to. */
export function endless(cause?: unknown): TerminalError {
  return new TerminalError('MalformedProtobuf', 'unexpected EOF', { cause });
}

/** Reads a length and gives where the value that it is of ends.
 *  @throws TerminalError MalformedProtobuf */
export function readEnd(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw endless();
  return end;
}

/** @throws TerminalError MalformedProtobuf when messages are nested too deeply to be walked safely */
export function checkDepth(depth: number): void {
  if (depth > maxNestingDepth) throw malformed(`nested deeper than ${maxNestingDepth} levels`);
}

/** Counts the values that are made of the bytes of an object: an empty message of two bytes becomes an object with members. */
export class ValueCount {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get left(): number {
    return this.#most - this.#count;
  }

  /** @throws TerminalError TooManyValues */
  add(count: number): void {
    this.#count += count;
    if (this.#count > this.#most) {
      throw new TerminalError('TooManyValues', `the body has more than ${this.#most} fields and items`);
    }
  }
}

/** A reader that knows how many values may still be made of what it reads. */
export class CountingReader extends BinaryReader {
  readonly values: ValueCount;

  constructor(bytes: Uint8Array, values: ValueCount) {
    super(bytes);
    this.values = values;
  }
}
