import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import {
  CountingReader,
  checkDepth,
  endless,
  malformed,
  readEnd,
  type ValueCodec,
  type ValueCount,
} from './value-codec.ts';

/** One field of a message. `name` is its name in JSON. */
export interface MessageField {
  readonly name: string;
  readonly number: number;
  readonly shape: 'single' | 'list' | 'map';
  /** A zero that is there counts: the Go field is a pointer. */
  readonly keepsZero: boolean;
  /** Is there in JSON even when it was never set. */
  readonly isShown: boolean;
  readonly codec: ValueCodec;
  /** Set where the fields of this message are fields of the object around it. */
  readonly inline?: MessageCodec | undefined;
}

const { LengthDelimited } = WireType;

/** One message type: turns its bytes into the JSON that Go prints of it, and back. Its fields are worked out when they are first needed, so
 *  types may contain themselves. */
export class MessageCodec implements ValueCodec {
  readonly wireType: WireType = LengthDelimited;
  readonly zero: JsonValue = {};
  readonly name: string;
  readonly #fields: () => readonly MessageField[];
  #byNumber: (MessageField | undefined)[] | undefined;
  #byName: Map<string, MessageField> = new Map();
  #shown: readonly MessageField[] = [];
  #inline: readonly MessageField[] = [];

  constructor(name: string, fields: () => readonly MessageField[]) {
    this.name = name;
    this.#fields = fields;
  }

  read(reader: CountingReader, depth: number): JsonObject {
    const value: JsonObject = {};
    this.readInto(value, reader, { end: readEnd(reader), depth });
    return value;
  }

  /** What Go prints of a value of this type in which nothing was set. */
  empty(values: ValueCount): JsonObject {
    const value: JsonObject = {};
    this.readInto(value, new CountingReader(new Uint8Array(), values), { end: 0, depth: 0 });
    return value;
  }

  write(writer: BinaryWriter, value: JsonValue): void {
    writer.fork();
    if (isJsonObject(value)) this.writeFields(writer, value);
    writer.join();
  }

  /** Reads fields up to `end` into `target`. Bytes of fields that are not known are skipped.
   *  @throws TerminalError MalformedProtobuf */
  readInto(target: JsonObject, reader: CountingReader, range: { readonly end: number; readonly depth: number }): void {
    const { end, depth } = range;
    checkDepth(depth);
    const byNumber = this.#prepare();
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      reader.values.add(1);
      const field = byNumber[number];
      if (field === undefined) reader.skip(wireType, number);
      else this.#readField(field, target, { reader, wireType, depth: depth + 1 });
    }
    if (reader.pos !== end) throw endless();
    for (const field of this.#shown) {
      if (Object.hasOwn(target, field.name)) continue;
      reader.values.add(1);
      target[field.name] = zeroOf(field, reader.values);
    }
  }

  /** Writes the members of `value` that are fields of this message. */
  writeFields(writer: BinaryWriter, value: JsonObject): void {
    this.#prepare();
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined || member === null) continue;
      const field = this.#byName.get(name);
      if (field !== undefined) writeField(writer, field, member);
    }
    for (const { number, inline } of this.#inline) {
      writer.tag(number, LengthDelimited).fork();
      inline?.writeFields(writer, value);
      writer.join();
    }
  }

  #prepare(): (MessageField | undefined)[] {
    if (this.#byNumber !== undefined) return this.#byNumber;
    const fields = this.#fields();
    const byNumber: (MessageField | undefined)[] = [];
    for (const field of fields) byNumber[field.number] = field;
    this.#inline = fields.filter(({ inline }) => inline !== undefined);
    this.#byName = new Map(fields.filter(({ inline }) => inline === undefined).map((field) => [field.name, field]));
    this.#shown = fields.filter(({ isShown }) => isShown);
    this.#byNumber = byNumber;
    return byNumber;
  }

  #readField(
    field: MessageField,
    target: JsonObject,
    from: { readonly reader: CountingReader; readonly wireType: WireType; readonly depth: number },
  ): void {
    const { reader, wireType, depth } = from;
    const { codec, shape, name, inline } = field;
    const isPacked = shape === 'list' && wireType === LengthDelimited && codec.wireType !== LengthDelimited;
    const expected = shape === 'map' ? LengthDelimited : codec.wireType;
    if (wireType !== expected && !isPacked) throw malformed(`wrong wireType = ${wireType} for field ${goName(name)}`);
    if (inline !== undefined) inline.readInto(target, reader, { end: readEnd(reader), depth });
    else if (shape === 'map') readEntry(field, memberObject(target, name), { reader, depth });
    else if (isPacked) readPacked(codec, memberList(target, name), reader);
    else if (shape === 'list') memberList(target, name).push(codec.read(reader, depth));
    else readSingle(field, target, { reader, depth });
  }
}

/** Fields of Go structs are named as in JSON, but for metadata. */
function goName(name: string): string {
  return name === 'metadata' ? 'ObjectMeta' : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function zeroOf({ shape, keepsZero, codec }: MessageField, values: ValueCount): JsonValue {
  if (shape !== 'single' || keepsZero) return null;
  return codec instanceof MessageCodec ? codec.empty(values) : codec.zero;
}

function readSingle(
  field: MessageField,
  target: JsonObject,
  from: { readonly reader: CountingReader; readonly depth: number },
): void {
  const { codec, name } = field;
  const before = Object.hasOwn(target, name) ? target[name] : undefined;
  if (codec instanceof MessageCodec && isJsonObject(before)) {
    // A message that comes in parts is put together.
    codec.readInto(before, from.reader, { end: readEnd(from.reader), depth: from.depth });
    return;
  }
  const value = codec.read(from.reader, from.depth);
  const isNothing = value === '' || value === 0 || value === false;
  if (isNothing && !field.keepsZero && !field.isShown) delete target[name];
  else target[name] = value;
}

function memberList(target: JsonObject, name: string): JsonValue[] {
  const known = Object.hasOwn(target, name) ? target[name] : undefined;
  if (Array.isArray(known)) return known;
  const list: JsonValue[] = [];
  target[name] = list;
  return list;
}

function memberObject(target: JsonObject, name: string): JsonObject {
  const known = Object.hasOwn(target, name) ? target[name] : undefined;
  if (isJsonObject(known)) return known;
  const object: JsonObject = {};
  target[name] = object;
  return object;
}

function readPacked(codec: ValueCodec, list: JsonValue[], reader: CountingReader): void {
  const end = readEnd(reader);
  while (reader.pos < end) {
    reader.values.add(1);
    list.push(codec.read(reader, 0));
  }
  if (reader.pos !== end) throw endless();
}

const keyNumber = 1;
const valueNumber = 2;

function readEntry(
  field: MessageField,
  map: JsonObject,
  from: { readonly reader: CountingReader; readonly depth: number },
): void {
  const { reader, depth } = from;
  const { codec } = field;
  const end = readEnd(reader);
  let key = '';
  let value: JsonValue = codec instanceof MessageCodec ? codec.empty(reader.values) : codec.zero;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === keyNumber && wireType === LengthDelimited) key = reader.string();
    else if (number === valueNumber && wireType === codec.wireType) value = codec.read(reader, depth);
    else reader.skip(wireType, number);
  }
  if (reader.pos !== end) throw endless();
  if (key === '__proto__') throw malformed('the key "__proto__" is not accepted');
  map[key] = value;
}

function writeField(writer: BinaryWriter, field: MessageField, value: JsonValue): void {
  const { number, codec, shape } = field;
  if (shape === 'single') {
    codec.write(writer.tag(number, codec.wireType), value);
  } else if (shape === 'list') {
    for (const item of Array.isArray(value) ? value : []) codec.write(writer.tag(number, codec.wireType), item);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) writeEntry(writer, field, [key, value[key]]);
  }
}

function writeEntry(
  writer: BinaryWriter,
  { number, codec }: MessageField,
  [key, value]: readonly [string, JsonValue | undefined],
): void {
  writer.tag(number, LengthDelimited).fork();
  writer.tag(keyNumber, LengthDelimited).string(key);
  if (value !== undefined && value !== null) codec.write(writer.tag(valueNumber, codec.wireType), value);
  writer.join();
}
