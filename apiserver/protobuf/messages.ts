import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonValue } from '../../src/base/index.ts';
import source from './generated/message-fields.json' with { type: 'json' };
import { MessageCodec, type MessageField } from './message-codec.ts';
import { scalars } from './scalars.ts';
import { specialMessages } from './special-messages.ts';
import { type CountingReader, endless, readEnd, type ValueCodec } from './value-codec.ts';

interface Source {
  /** API group → its folder. */
  readonly groups: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const { groups, messages } = source as unknown as Source;
const known = new Map<string, ValueCodec>();

/** The codec of a type: a scalar, or a message by its full name (`core/v1.Pod`).
 *  @throws Error when there is no such message */
function codecOf(type: string): ValueCodec {
  const found = scalars.get(type) ?? known.get(type);
  if (found !== undefined) return found;
  const made = makeCodec(type);
  known.set(type, made);
  return made;
}

function makeCodec(type: string): ValueCodec {
  const fields = Object.hasOwn(messages, type) ? messages[type] : undefined;
  if (fields === undefined) throw new Error(`${type}: no such message among the built-in ones`);
  const plain = (): MessageCodec =>
    new MessageCodec(type, () => Object.entries(fields).map((entry) => readField(type, entry)));
  const special = specialMessages.get(type);
  if (special !== undefined) return special(plain);
  const own = fields[''];
  return own === undefined ? plain() : wrappedList(readField(type, ['', own]));
}

/** Types without a folder are those of the message's own. */
function fullName(message: string, type: string): string {
  const isWhole = type.includes('.') || scalars.has(type);
  return isWhole ? type : `${message.slice(0, message.lastIndexOf('.'))}.${type}`;
}

const shapes: Readonly<Record<string, MessageField['shape']>> = { '[]': 'list', '{}': 'map' };

/** `1? int32` */
function splitField(text: string): { readonly number: string; readonly marks: string; readonly type: string } {
  const [, number = '', marks = '', type = ''] = /^(\d+)(\S*) (.+)$/.exec(text) ?? [];
  return { number, marks, type };
}

/** `["replicas", "1? int32"]` of `apps/v1.DeploymentSpec` */
function readField(message: string, [name, text]: readonly [string, string]): MessageField {
  const { number, marks, type } = splitField(text);
  const codec = codecOf(fullName(message, type));
  const shape = shapes[marks.slice(0, 2)] ?? 'single';
  const keepsZero = marks.includes('?');
  const isInline = marks.includes('+');
  // Go prints structs that are no pointers whether anything is set in them or not.
  const isStruct = shape === 'single' && !scalars.has(type) && !keepsZero && !isInline;
  return {
    name,
    number: Number(number),
    shape,
    keepsZero,
    isShown: marks.includes('!') || isStruct,
    codec,
    inline: isInline && codec instanceof MessageCodec ? codec : undefined,
  };
}

/** A message that is nothing but a list, and a list in JSON. */
function wrappedList({ codec, number }: MessageField): ValueCodec {
  const read = (reader: CountingReader, depth: number): JsonValue => {
    const end = readEnd(reader);
    const list: JsonValue[] = [];
    while (reader.pos < end) {
      const [found, wireType] = reader.tag();
      reader.values.add(1);
      if (found === number && wireType === codec.wireType) list.push(codec.read(reader, depth));
      else reader.skip(wireType, found);
    }
    if (reader.pos !== end) throw endless();
    return list;
  };
  const write = (writer: BinaryWriter, value: JsonValue): void => {
    writer.fork();
    for (const item of Array.isArray(value) ? value : []) codec.write(writer.tag(number, codec.wireType), item);
    writer.join();
  };
  return { wireType: WireType.LengthDelimited, zero: null, read, write };
}

/** The message of a kind that the server has built in, lists and options included; undefined when there is none. `apiVersion` is as in
 *  objects: `v1`, `apps/v1`. */
export function messageOfKind(apiVersion: string, kind: string): MessageCodec | undefined {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const folder = Object.hasOwn(groups, group) ? groups[group] : undefined;
  if (folder === undefined) return undefined;
  // Options, Status and the like are known in every group.
  const name = [`${folder}/${version}.${kind}`, `meta/v1.${kind}`].find((one) => Object.hasOwn(messages, one));
  const codec = name === undefined ? undefined : codecOf(name);
  return codec instanceof MessageCodec ? codec : undefined;
}
