import type { IncomingHttpHeaders } from 'node:http2';
import { fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import { goQuote } from '../../base/index.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import { releaseBytes } from '../store/release.ts';
import type { ApiKind } from './api-messages.ts';
import { GrpcError, grpcStatus } from './grpc-status.ts';
import { RegistryAnswers } from './registry-answers.ts';

/** The answer of a call: a message, or several; encoded ones are sent as they are. */
export type Answer = object | Iterable<object>;

/** Answers a request, by its fields. */
export type Method = (request: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders) => Answer;

const metaKey = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;
const knownSchemas: ReadonlySet<string> = new Set(['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations']);

function text(request: Readonly<Record<string, unknown>>, field: string): string {
  const value = request[field];
  return typeof value === 'string' ? value : '';
}

function apiOf(request: Readonly<Record<string, unknown>>): ApiKind {
  return { group: text(request, 'group'), version: text(request, 'version'), kind: text(request, 'kind') };
}

function refuseArgument(message: string): never {
  throw new GrpcError(grpcStatus.invalidArgument, message);
}

function assertKey(field: string, value: string): void {
  if (!metaKey.test(value))
    refuseArgument(`invalid custom schema query: invalid ${field} ${goQuote(value)}: must match ${metaKey.source}`);
}

function* structs(index: CatalogIndex, schema: string, packageName: string): Generator<Uint8Array> {
  using _user = index.use();
  // Without a package those that have none are meant, not all.
  for (const line of index.select({ schema, package: packageName }).lines()) {
    const value = JSON.parse(line.toString()) as JsonObject;
    releaseBytes(line);
    yield toBinary(StructSchema, fromJson(StructSchema, value));
  }
}

/** Documents of a custom schema, as `google.protobuf.Struct`; none for clients that do not acknowledge that this is experimental. */
function customSchemas(
  index: CatalogIndex,
  request: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
): Answer {
  const acknowledged = [headers['x-acknowledge-experimental']].flat().flatMap((value) => value?.split(', '));
  if (!acknowledged.includes('true')) return [];
  const [schema, packageName] = [text(request, 'schema'), text(request, 'packageName')];
  if (schema === '') return refuseArgument('schema is required');
  assertKey('schema', schema);
  if (packageName !== '') assertKey('packageName', packageName);
  return knownSchemas.has(schema) ? [] : structs(index, schema, packageName);
}

/** The methods that are answered from a catalog, by their full names. `catalogOf` is asked again for every call, by the name of the server. */
export function registryMethods(
  catalogOf: (authority: string) => CatalogIndex | undefined,
): ReadonlyMap<string, Method> {
  const catalog = (headers: IncomingHttpHeaders): CatalogIndex => {
    const authority = headers[':authority'] ?? '';
    const found = catalogOf(authority);
    if (found !== undefined) return found;
    throw new GrpcError(grpcStatus.notFound, `no catalog is served as ${goQuote(authority)}`);
  };
  type Ask = (answers: RegistryAnswers, request: Readonly<Record<string, unknown>>) => Answer;
  const asks: Readonly<Record<string, Ask>> = {
    ListPackages: (answers) => answers.packages(),
    GetPackage: (answers, request) => answers.package(text(request, 'name')),
    GetBundle: (answers, request) =>
      answers.bundle(text(request, 'pkgName'), text(request, 'channelName'), text(request, 'csvName')),
    GetBundleForChannel: (answers, request) => answers.head(text(request, 'pkgName'), text(request, 'channelName')),
    GetChannelEntriesThatReplace: (answers, request) => answers.entriesThatReplace(text(request, 'csvName')),
    GetBundleThatReplaces: (answers, request) =>
      answers.bundleThatReplaces(text(request, 'csvName'), text(request, 'pkgName'), text(request, 'channelName')),
    GetChannelEntriesThatProvide: (answers, request) => answers.entriesThatProvide(apiOf(request)),
    GetLatestChannelEntriesThatProvide: (answers, request) => answers.latestEntriesThatProvide(apiOf(request)),
    GetDefaultBundleThatProvides: (answers, request) => answers.defaultBundleThatProvides(apiOf(request)),
    ListBundles: (answers) => answers.bundles(),
  };
  const methods = new Map<string, Method>(
    Object.entries(asks).map(([name, ask]) => [
      `api.Registry.${name}`,
      (request, headers) => ask(new RegistryAnswers(catalog(headers)), request),
    ]),
  );
  return methods.set('api.ExperimentalRegistry.ExperimentalListPackageCustomSchemas', (request, headers) =>
    customSchemas(catalog(headers), request, headers),
  );
}
