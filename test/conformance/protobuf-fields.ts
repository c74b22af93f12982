import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';

/** One field of a message by its number: text, a number, bytes, or the fields of a message within. */
export type Field = readonly [number: number, value: string | number | boolean | Uint8Array | readonly Field[]];

const magic = Buffer.from('k8s\0');

function writeFields(writer: BinaryWriter, fields: readonly Field[]): BinaryWriter {
  for (const [number, value] of fields) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
    else if (typeof value === 'number') writer.tag(number, WireType.Varint).int64(value);
    else if (value instanceof Uint8Array) writer.tag(number, WireType.LengthDelimited).bytes(value);
    else writeFields(writer.tag(number, WireType.LengthDelimited).fork(), value).join();
  }
  return writer;
}

/** The bytes of a message, written by hand: what servers make of them does not depend on anybody's table of fields. */
export function message(...fields: readonly Field[]): Buffer {
  return Buffer.from(writeFields(new BinaryWriter(), fields).finish());
}

/** An object in the envelope that Kubernetes puts around protobuf. */
export function enveloped(apiVersion: string, kind: string, ...fields: readonly Field[]): Buffer {
  const meta: Field = [
    1,
    [
      [1, apiVersion],
      [2, kind],
    ].map((field) => field as unknown as Field),
  ];
  return Buffer.concat([magic, message(meta, [2, message(...fields)])]);
}

/** Larger numbers are seconds of times at which the case ran. */
const justNow = 1_760_000_000;

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte !== 0x7f);
}

function readValue(reader: BinaryReader, wireType: WireType): JsonValue {
  if (wireType === WireType.Varint) {
    const number = Number(reader.int64());
    return number > justNow ? '<time>' : number;
  }
  if (wireType === WireType.Bit64) return reader.double();
  const bytes = reader.bytes();
  if (isText(bytes)) return Buffer.from(bytes).toString();
  try {
    return dump(bytes);
  } catch {
    // What is neither text nor a message is shown as it is.
    return Buffer.from(bytes).toString('hex');
  }
}

function isNothing(value: JsonValue): boolean {
  return (
    value === '' || value === 0 || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

/** The fields of a message by number, without those of zero value: whether a zero is written or not is the writer's choice. */
function dump(bytes: Uint8Array): JsonObject {
  const reader = new BinaryReader(bytes);
  const fields: [number, JsonValue][] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const value = readValue(reader, wireType);
    if (!isNothing(value)) fields.push([number, value]);
  }
  const byNumber = Map.groupBy(fields, ([number]) => number);
  return Object.fromEntries(
    [...byNumber].map(([number, all]) => [
      String(number),
      all.length === 1 ? (all[0]?.[1] ?? null) : all.map(([, value]) => value),
    ]),
  );
}

/** The fields of an object in its envelope; its metadata are left out but for the name. */
export function dumpEnveloped(raw: Buffer): JsonValue {
  if (!magic.equals(raw.subarray(0, magic.length))) return `not enveloped: ${raw.subarray(0, 20).toString('hex')}`;
  const { 1: type = null, 2: object = null } = dump(raw.subarray(magic.length));
  return { type, object: typeof object === 'object' ? withoutMetadata(object as JsonObject) : object };
}

function withoutMetadata(object: JsonObject): JsonObject {
  const { 1: metadata, ...rest } = object;
  const name =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata['1'] : undefined;
  return { ...rest, ...(typeof name === 'string' ? { name } : {}) };
}

/** The frames of a watch: what happened, and the object as `dumpEnveloped` shows it. */
export function dumpFrames(raw: Buffer): JsonValue[] {
  const frames: JsonValue[] = [];
  for (let at = 0; at + 4 <= raw.length; ) {
    const length = raw.readUInt32BE(at);
    const reader = new BinaryReader(raw.subarray(at + 4, at + 4 + length));
    const frame: JsonObject = {};
    while (reader.pos < reader.len) {
      const [number] = reader.tag();
      if (number === 1) frame['type'] = reader.string();
      else frame['object'] = dumpEnveloped(rawOf(reader.bytes()));
    }
    frames.push(frame);
    at += 4 + length;
  }
  return frames;
}

/** The bytes that a RawExtension holds. */
function rawOf(bytes: Uint8Array): Buffer {
  const reader = new BinaryReader(bytes);
  reader.tag();
  return Buffer.from(reader.bytes());
}
