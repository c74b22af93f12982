import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { descriptors } from './descriptors.ts';

interface Choice {
  readonly case?: string;
  readonly value?: unknown;
}

/** A request of either version of server reflection. */
export interface ReflectionRequest {
  readonly host: string;
  readonly messageRequest: Choice;
}

/** An answer to it. */
export interface ReflectionResponse {
  readonly validHost: string;
  readonly originalRequest: ReflectionRequest;
  readonly messageResponse: Choice;
}

const notFound = 5;
const unimplemented = 12;

function withImports(file: DescFile, seen: Set<DescFile> = new Set()): Set<DescFile> {
  if (!seen.has(file)) {
    seen.add(file);
    for (const imported of file.dependencies) withImports(imported, seen);
  }
  return seen;
}

function describeFile(file: DescFile | undefined, what: string): Choice {
  if (file === undefined) return refusal(notFound, `${what} not found`);
  const files = Array.from(withImports(file), ({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: files } };
}

function refusal(errorCode: number, errorMessage: string): Choice {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}

/** A message, an enum, a service, or a member of one. */
function fileOfSymbol(symbol: string): DescFile | undefined {
  const owner = symbol.slice(0, Math.max(0, symbol.lastIndexOf('.')));
  const found = descriptors.get(symbol) ?? descriptors.get(owner);
  return found?.file;
}

function answer({ case: kind, value }: Choice, services: readonly string[]): Choice {
  const text = typeof value === 'string' ? value : '';
  switch (kind) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: services.map((name) => ({ name })) } };
    case 'fileByFilename':
      return describeFile(descriptors.getFile(text), `file "${text}"`);
    case 'fileContainingSymbol':
      return describeFile(fileOfSymbol(text), `symbol "${text}"`);
    case 'fileContainingExtension':
    case 'allExtensionNumbersOfType':
      return refusal(notFound, 'there are no extensions');
    default:
      return refusal(unimplemented, 'expected one of the requests of server reflection');
  }
}

/** Describes what is served to clients that have no `.proto` files.
 *  @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md */
export function reflect(request: ReflectionRequest, services: readonly string[]): ReflectionResponse {
  return {
    validHost: request.host,
    originalRequest: request,
    messageResponse: answer(request.messageRequest, services),
  };
}
