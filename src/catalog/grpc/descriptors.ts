import {
  create,
  createFileRegistry,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Type as FieldType,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  file_google_protobuf_struct as structFile,
} from '@bufbuild/protobuf/wkt';
import { type ServiceTable, serviceTables } from './service-tables.ts';

type FileInit = MessageInitShape<typeof FileDescriptorProtoSchema>;
type MessageInit = NonNullable<FileInit['messageType']>[number];
type FieldInit = NonNullable<MessageInit['field']>[number];

const scalars: Readonly<Record<string, FieldType>> = {
  string: FieldType.STRING,
  bytes: FieldType.BYTES,
  int32: FieldType.INT32,
};

function fullName(table: ServiceTable, type: string): string {
  return type.startsWith('google.') ? `.${type}` : `.${table.package}.${type}`;
}

function typeOf(table: ServiceTable, type: string): Pick<FieldInit, 'type' | 'typeName'> {
  const scalar = scalars[type];
  if (scalar !== undefined) return { type: scalar };
  const isEnum = Object.hasOwn(table.enums ?? {}, type);
  return { type: isEnum ? FieldType.ENUM : FieldType.MESSAGE, typeName: fullName(table, type) };
}

function messageInit(table: ServiceTable, name: string): MessageInit {
  const choices: string[] = [];
  const field = Object.entries(table.messages[name] ?? {}).map(([fieldName, text]): FieldInit => {
    const [, number = '', list, choice, type = ''] = /^(\d+)(\[\])?(?:\|(\w+))? (.+)$/.exec(text) ?? [];
    if (choice !== undefined && !choices.includes(choice)) choices.push(choice);
    return {
      name: fieldName,
      number: Number(number),
      label: list === undefined ? Label.OPTIONAL : Label.REPEATED,
      ...typeOf(table, type),
      ...(choice === undefined ? {} : { oneofIndex: choices.indexOf(choice) }),
    };
  });
  return { name, field, oneofDecl: choices.map((choice) => ({ name: choice })) };
}

function splitStream(type: string): { readonly type: string; readonly isStream: boolean } {
  return { type: type.replace(/^stream /, ''), isStream: type.startsWith('stream ') };
}

function fileInit(table: ServiceTable): FileInit {
  const service = Object.entries(table.services).map(([name, methods]) => {
    const method = Object.entries(methods).map(([methodName, [input, output]]) => {
      const [taken, answered] = [splitStream(input), splitStream(output)];
      return {
        name: methodName,
        inputType: fullName(table, taken.type),
        outputType: fullName(table, answered.type),
        clientStreaming: taken.isStream,
        serverStreaming: answered.isStream,
      };
    });
    return { name, method };
  });
  return {
    name: table.file,
    package: table.package,
    syntax: 'proto3',
    dependency: [...(table.imports ?? [])],
    messageType: Object.keys(table.messages).map((name) => messageInit(table, name)),
    enumType: Object.entries(table.enums ?? {}).map(([name, values]) => {
      return { name, value: values.map((value, number) => ({ name: value, number })) };
    }),
    service,
  };
}

const file: readonly FileDescriptorProto[] = [
  structFile.proto,
  ...serviceTables.map((table) => create(FileDescriptorProtoSchema, fileInit(table))),
];

/** Every message and service that is spoken here. */
export const descriptors: FileRegistry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...file] }));

/** Turns one kind of message into bytes and back. */
export interface MessageCodec<Shape> {
  readonly encode: (message: Shape) => Buffer;
  /** @throws Error when the bytes are no such message */
  readonly decode: (bytes: Uint8Array) => Shape;
}

/** The codec of a message by its full name; `Shape` has its fields in camel case.
 *  @throws Error when there is no such message */
export function messageCodec<Shape extends object>(typeName: string): MessageCodec<Shape> {
  const descriptor = descriptors.getMessage(typeName);
  if (descriptor === undefined) throw new Error(`${typeName}: no such message`);
  return codecOf<Shape>(descriptor);
}

/** The codec of a message. */
export function codecOf<Shape extends object>(descriptor: DescMessage): MessageCodec<Shape> {
  return {
    encode: (message) => {
      const bytes = toBinary(descriptor, create(descriptor, message as MessageInitShape<DescMessage>));
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    decode: (bytes) => fromBinary(descriptor, bytes, { readUnknownFields: false }) as unknown as Shape,
  };
}
