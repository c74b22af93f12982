import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { assertHarmless, countValues, formatTimestamp, isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { MessageCodec } from './message-codec.ts';
import { type CountingReader, endless, malformed, readEnd, type ValueCodec, type ValueCount } from './value-codec.ts';

const { LengthDelimited, Varint } = WireType;

/** The numbers and byte strings of a small message, by field number; the last of each counts. */
function readPlain(reader: CountingReader): Map<number, number | Uint8Array> {
  const end = readEnd(reader);
  const values = new Map<number, number | Uint8Array>();
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    reader.values.add(1);
    if (wireType === Varint) values.set(number, Number(reader.int64()));
    else if (wireType === LengthDelimited) values.set(number, reader.bytes());
    else reader.skip(wireType, number);
  }
  if (reader.pos !== end) throw endless();
  return values;
}

function textOf(value: number | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString() : '';
}

function special(
  zero: JsonValue,
  read: (fields: ReadonlyMap<number, number | Uint8Array>, values: ValueCount) => JsonValue,
  write: (writer: BinaryWriter, value: JsonValue) => void,
): ValueCodec {
  return {
    wireType: LengthDelimited,
    zero,
    read: (reader) => read(readPlain(reader), reader.values),
    write: (writer, value) => {
      writer.fork();
      write(writer, value);
      writer.join();
    },
  };
}

const quantity = special(
  '0',
  (values) => textOf(values.get(1)) || '0',
  (writer, value) => {
    if (typeof value === 'string' || typeof value === 'number') writer.tag(1, LengthDelimited).string(String(value));
  },
);

const intOrString = special(
  0,
  (values) => (values.get(1) === 1 ? textOf(values.get(3)) : Number(values.get(2) ?? 0) | 0),
  (writer, value) => {
    const isText = typeof value === 'string';
    writer.tag(1, Varint).uint32(isText ? 1 : 0);
    writer.tag(2, Varint).int32(isText ? 0 : Number(value) | 0);
    writer.tag(3, LengthDelimited).string(isText ? value : '');
  },
);

const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

/** @throws TerminalError MalformedProtobuf for years that RFC 3339 cannot write */
function secondsOf(values: ReadonlyMap<number, number | Uint8Array>): number {
  const seconds = Number(values.get(1) ?? 0);
  if (!(seconds >= firstSecond && seconds <= lastSecond)) throw malformed('a time is outside of the years 1 to 9999');
  return seconds;
}

function writeTime(writer: BinaryWriter, value: JsonValue, hasFractions: boolean): void {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (typeof value !== 'string' || Number.isNaN(ms)) return;
  writer.tag(1, Varint).int64(Math.floor(ms / 1000));
  writer.tag(2, Varint).int32(hasFractions ? nanosOf(value) : 0);
}

function nanosOf(time: string): number {
  const fraction = /\.(\d{1,9})/.exec(time)?.[1] ?? '';
  return Number(fraction.padEnd(9, '0'));
}

const time = special(
  null,
  (values) => (values.size === 0 ? null : formatTimestamp(secondsOf(values) * 1000)),
  (writer, value) => writeTime(writer, value, false),
);

const microTime = special(
  null,
  (values) => {
    if (values.size === 0) return null;
    const micros = Math.floor(Number(values.get(2) ?? 0) / 1000);
    const whole = formatTimestamp(secondsOf(values) * 1000).slice(0, -1);
    return `${whole}.${String(Math.min(Math.max(micros, 0), 999_999)).padStart(6, '0')}Z`;
  },
  (writer, value) => writeTime(writer, value, true),
);

const enveloped = Buffer.from('k8s\0');

/** JSON that Kubernetes does not look into. Objects that are protobuf inside protobuf are not taken. */
function readJson(bytes: number | Uint8Array | undefined, values: ValueCount): JsonValue {
  const text = textOf(bytes);
  if (text === '') return null;
  if (bytes instanceof Uint8Array && enveloped.equals(bytes.subarray(0, enveloped.length))) {
    throw malformed('an object inside of this one is not JSON');
  }
  // Counted before it is parsed: what is too much is not in memory.
  values.add(countValues(text, values.left));
  try {
    const value = JSON.parse(text) as JsonValue;
    assertHarmless('embedded JSON', value);
    return value;
  } catch (thrown) {
    throw malformed('embedded bytes are not JSON', thrown);
  }
}

const rawJson = special(
  null,
  (fields, values) => readJson(fields.get(1), values),
  (writer, value) => writer.tag(1, LengthDelimited).string(JSON.stringify(value)),
);

/** A message that holds either a schema or something else in a field of its own. */
function schemaOr(plain: MessageCodec, other: { readonly name: string; readonly zero: JsonValue }): ValueCodec {
  return {
    wireType: LengthDelimited,
    zero: other.zero,
    read: (reader, depth) => {
      const fields = plain.read(reader, depth);
      return fields['schema'] ?? fields[other.name] ?? other.zero;
    },
    write: (writer, value) => plain.write(writer, { [isJsonObject(value) ? 'schema' : other.name]: value }),
  };
}

/** Makes a codec; `plain` is that of the fields which the message has on the wire. */
type Maker = (plain: () => MessageCodec) => ValueCodec;

/** Messages whose JSON is not an object of their fields, by name. */
export const specialMessages: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['resource.Quantity', () => quantity],
  ['intstr.IntOrString', () => intOrString],
  ['meta/v1.Time', () => time],
  ['meta/v1.MicroTime', () => microTime],
  ['meta/v1.FieldsV1', () => rawJson],
  ['runtime.RawExtension', () => rawJson],
  ['apiextensions/v1.JSON', () => rawJson],
  ['apiextensions/v1.JSONSchemaPropsOrArray', (plain) => schemaOr(plain(), { name: 'jSONSchemas', zero: null })],
  ['apiextensions/v1.JSONSchemaPropsOrBool', (plain) => schemaOr(plain(), { name: 'allows', zero: false })],
  ['apiextensions/v1.JSONSchemaPropsOrStringArray', (plain) => schemaOr(plain(), { name: 'property', zero: null })],
]);
