import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonValue } from '../../src/base/index.ts';
import { malformed, type ValueCodec } from './value-codec.ts';

function text(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const string: ValueCodec = {
  wireType: WireType.LengthDelimited,
  zero: '',
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(text(value)),
};

/** Base64 in JSON. */
const bytes: ValueCodec = {
  wireType: WireType.LengthDelimited,
  zero: null,
  read: (reader) => {
    const value = reader.bytes();
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  },
  write: (writer, value) => writer.bytes(Buffer.from(text(value), 'base64')),
};

const bool: ValueCodec = {
  wireType: WireType.Varint,
  zero: false,
  read: (reader) => reader.bool(),
  write: (writer, value) => writer.bool(value === true),
};

function integer(read: (reader: BinaryReader) => number): ValueCodec {
  return {
    wireType: WireType.Varint,
    zero: 0,
    read,
    write: (writer, value) => writeInteger(writer, Math.trunc(Number(value)) || 0),
  };
}

/** Small numbers, which nearly all are, need no 64-bit arithmetic. */
function writeInteger(writer: BinaryWriter, value: number): void {
  if (value >= 0 && value <= 0xffff_ffff) writer.uint32(value);
  else writer.int64(Number.isSafeInteger(value) ? value : BigInt(value));
}

const double: ValueCodec = {
  wireType: WireType.Bit64,
  zero: 0,
  read: (reader) => {
    const value = reader.double();
    if (!Number.isFinite(value)) throw malformed('a number is not finite');
    return value;
  },
  write: (writer, value) => writer.double(Number(value)),
};

/** Codecs of the scalar types that Kubernetes uses, by their name in .proto files. */
export const scalars: ReadonlyMap<string, ValueCodec> = new Map([
  ['string', string],
  ['bytes', bytes],
  ['bool', bool],
  ['int32', integer((reader) => reader.int32())],
  ['int64', integer((reader) => Number(reader.int64()))],
  ['double', double],
]);
