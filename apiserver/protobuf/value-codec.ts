import type { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type JsonValue, maxNestingDepth, TerminalError } from '../../src/base/index.ts';

/** Reads and writes one type of value. */
export interface ValueCodec {
  readonly wireType: WireType;
  /** What Go prints in JSON for a value of this type that was never set. */
  readonly zero: JsonValue;
  /** `depth` counts the messages around the value. */
  read(reader: BinaryReader, depth: number): JsonValue;
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
