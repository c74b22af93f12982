import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type JsonObject, TerminalError } from '../../src/base/index.ts';
import type { MessageCodec } from './message-codec.ts';
import { CountingReader, endless, ValueCount } from './value-codec.ts';

const magic = Buffer.from('k8s\0');
const { LengthDelimited } = WireType;

/** The kind of the bytes of an object. Texts are empty where they are not given. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Opens the envelope around an object.
 *  @throws TerminalError MalformedProtobuf */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!magic.equals(bytes.subarray(0, magic.length))) {
    const why = `provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(' ')}]`;
    throw new TerminalError('MalformedProtobuf', bytes.length === 0 ? 'empty data' : why);
  }
  if (bytes.length === magic.length) throw new TerminalError('MalformedProtobuf', 'empty body');
  return guarded(() => {
    const reader = new BinaryReader(bytes.subarray(magic.length));
    let meta = { apiVersion: '', kind: '' };
    let raw: Uint8Array = new Uint8Array();
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 1 && wireType === LengthDelimited) meta = readTypeMeta(reader.bytes());
      else if (number === 2 && wireType === LengthDelimited) raw = reader.bytes();
      else reader.skip(wireType, number);
    }
    return { ...meta, raw };
  });
}

function readTypeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const reader = new BinaryReader(bytes);
  const meta = { apiVersion: '', kind: '' };
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === LengthDelimited) meta.apiVersion = reader.string();
    else if (number === 2 && wireType === LengthDelimited) meta.kind = reader.string();
    else reader.skip(wireType, number);
  }
  return meta;
}

/** What the library throws about bytes is about the bytes. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof TerminalError) throw thrown;
    throw endless(thrown);
  }
}

/** The fields of an object from the bytes of its message, as Go would print them in JSON; kind and apiVersion are not among them.
 *  @throws TerminalError MalformedProtobuf · TooManyValues before more than `maxValues` are made */
export function decodeMessage(codec: MessageCodec, raw: Uint8Array, maxValues: number): JsonObject {
  return guarded(() => {
    const value: JsonObject = {};
    const reader = new CountingReader(raw, new ValueCount(maxValues));
    codec.readInto(value, reader, { end: reader.len, depth: 0 });
    return value;
  });
}

/** A writer that has written all of an envelope that comes before the object. */
export function startEnvelope({ apiVersion, kind }: JsonObject): BinaryWriter {
  const writer = new BinaryWriter();
  writer.raw(magic);
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, LengthDelimited).string(typeof apiVersion === 'string' ? apiVersion : '');
  writer.tag(2, LengthDelimited).string(typeof kind === 'string' ? kind : '');
  return writer.join();
}

/** An object in its envelope. `value` has its kind and apiVersion. */
export function encodeEnveloped(codec: MessageCodec, value: JsonObject): Uint8Array {
  const writer = startEnvelope(value);
  writer.tag(2, LengthDelimited).fork();
  codec.writeFields(writer, value);
  writer.join();
  writer.tag(3, LengthDelimited).string('');
  writer.tag(4, LengthDelimited).string('');
  return writer.finish();
}

/** One frame of a watch: its length in four bytes, then the event with its object enveloped. */
export function encodeWatchFrame(type: string, object: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  writer.raw(Buffer.alloc(4));
  writer.tag(1, LengthDelimited).string(type);
  writer.tag(2, LengthDelimited).fork();
  writer.tag(1, LengthDelimited).bytes(object);
  writer.join();
  const frame = writer.finish();
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, frame.length - 4);
  return frame;
}
