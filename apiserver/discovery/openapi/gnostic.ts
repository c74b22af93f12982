import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { formatYaml, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Steps } from '../../core/index.ts';
import type { DocumentV2 } from './document-v2.ts';

/** Writes one member of an object as fields of a message. */
type Part = (writer: BinaryWriter, value: JsonValue) => void;

const { LengthDelimited, Varint, Bit64 } = WireType;

const text =
  (number: number): Part =>
  (writer, value) => {
    if (typeof value === 'string') writer.tag(number, LengthDelimited).string(value);
  };
const flag =
  (number: number): Part =>
  (writer, value) => {
    if (value === true) writer.tag(number, Varint).bool(true);
  };
const integer =
  (number: number): Part =>
  (writer, value) => {
    if (Number.isSafeInteger(value)) writer.tag(number, Varint).int64(Number(value));
  };
const double =
  (number: number): Part =>
  (writer, value) => {
    if (typeof value === 'number') writer.tag(number, Bit64).double(value);
  };
const message =
  (number: number, part: Part): Part =>
  (writer, value) => {
    writer.tag(number, LengthDelimited).fork();
    part(writer, value);
    writer.join();
  };
const each =
  (part: Part): Part =>
  (writer, value) => {
    for (const item of Array.isArray(value) ? value : []) part(writer, item);
  };

/** Members of an object as messages of a name and a value. */
function named(number: number, part: Part): Part {
  const entry = message(number, (writer, pair) => {
    const [name, value] = pair as [string, JsonValue];
    text(1)(writer, name);
    message(2, part)(writer, value);
  });
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [name, item] of Object.entries(value)) if (item !== undefined) entry(writer, [name, item]);
  };
}

/** Any value is YAML within protobuf. */
const anything: Part = (writer, value) => text(2)(writer, formatYaml(value));

/** An object whose members are fields; those that begin with `x-` go to the field `extensions`. */
function members(parts: () => Readonly<Record<string, Part>>, extensions?: number): Part {
  let known: ReadonlyMap<string, Part> | undefined;
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    known ??= new Map(Object.entries(parts()));
    const extras: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const part = known.get(name);
      if (part !== undefined) part(writer, member);
      else if (name.startsWith('x-')) extras[name] = member;
    }
    if (extensions !== undefined) named(extensions, anything)(writer, extras);
  };
}

const schema: Part = members(
  () => ({
    $ref: text(1),
    format: text(2),
    description: text(4),
    default: message(5, anything),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: flag(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: each(text(19)),
    enum: each(message(20, anything)),
    additionalProperties: message(21, message(1, schema)),
    type: message(22, text(1)),
    items: message(23, message(1, schema)),
    properties: message(25, named(1, schema)),
  }),
  31,
);

const bodyParameter = members(() => ({ name: text(2), in: text(3), required: flag(4), schema: message(5, schema) }));
const queryParameter = members(() => ({ in: text(2), name: text(4), type: text(6), uniqueItems: flag(20) }));
const pathParameter = members(() => ({
  required: flag(1),
  in: text(2),
  name: text(4),
  type: text(5),
  uniqueItems: flag(19),
}));

const parameter: Part = (writer, value) => {
  const place = isJsonObject(value) ? value['in'] : undefined;
  if (place === 'body') message(1, message(1, bodyParameter))(writer, value);
  else if (place === 'path') message(1, message(2, message(4, pathParameter)))(writer, value);
  else message(1, message(2, message(3, queryParameter)))(writer, value);
};

const response = members(() => ({ description: text(1), schema: message(2, message(1, schema)) }));

const operation = members(
  () => ({
    tags: each(text(1)),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(message(8, parameter)),
    responses: message(9, named(1, message(1, response))),
    schemes: each(text(10)),
  }),
  13,
);

const pathItem = members(() => ({
  get: message(2, operation),
  put: message(3, operation),
  post: message(4, operation),
  delete: message(5, operation),
  options: message(6, operation),
  head: message(7, operation),
  patch: message(8, operation),
  parameters: each(message(9, parameter)),
}));

const apiKey = members(() => ({ type: text(1), name: text(2), in: text(3), description: text(4) }));
const strings: Part = each(text(1));

const head = members(() => ({
  swagger: text(1),
  info: message(
    2,
    members(() => ({ title: text(1), version: text(2) })),
  ),
}));
const security = members(() => ({
  security: each(message(12, named(1, strings))),
  securityDefinitions: message(13, named(1, message(2, apiKey))),
}));

function bytesOf(part: Part, value: JsonValue): Uint8Array {
  const writer = new BinaryWriter();
  part(writer, value);
  return writer.finish();
}

/** A message of members whose values are JSON, one after another. */
function* namedTexts(number: number, entry: Part, members: ReadonlyMap<string, string>): Steps<readonly Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for (const [name, json] of members) {
    yield;
    entries.push(bytesOf(entry, { [name]: JSON.parse(json) as JsonValue }));
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  return [new BinaryWriter().tag(number, LengthDelimited).uint32(size).finish(), ...entries];
}

/** An OpenAPI 2.0 document as the protobuf message that gnostic defines for it, in pieces.
 *  @see gnostic-models, openapiv2/OpenAPIv2.proto */
export function* encodeGnostic(document: DocumentV2): Steps<readonly Uint8Array[]> {
  return [
    bytesOf(head, document.head),
    ...(yield* namedTexts(8, named(2, pathItem), document.paths)),
    ...(yield* namedTexts(9, named(1, schema), document.definitions)),
    bytesOf(security, document.security),
  ];
}
