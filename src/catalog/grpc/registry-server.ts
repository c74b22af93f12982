import { createServer } from 'node:net';
import type { DescMethod } from '@bufbuild/protobuf';
import type { Logger } from '../../base/index.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import { codecOf, descriptors } from './descriptors.ts';
import { type GrpcMethod, GrpcServer, type ListenAddress } from './grpc-server.ts';
import { type ReflectionRequest, reflect } from './reflection.ts';
import { type Answer, type Method, registryMethods } from './registry-methods.ts';
import type { RegistryThreads } from './registry-threads.ts';

const serving = { status: 1 };

const services: readonly string[] = [
  'api.ExperimentalRegistry',
  'api.Registry',
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];

export interface RegistryServerOptions extends ListenAddress {
  readonly log: Logger;
  /** What is served to clients that call the server by this name (`:authority`, with its port); asked again for every call. Undefined: nothing. */
  readonly catalog: (authority: string) => CatalogIndex | undefined;
  /** Serve the same catalog on the same port; the limits of connections and calls hold for each thread. */
  readonly threads?: RegistryThreads;
  /** Others of this user may listen on the port, too (Linux). */
  readonly isPortShared?: boolean;
}

/** A registry that answers over gRPC. Disposing it lets calls end that are under way, for a while. */
export interface RegistryServer extends AsyncDisposable {
  readonly port: number;
}

function isMany(answer: Answer): answer is Iterable<object> {
  return Symbol.iterator in answer && !(answer instanceof Uint8Array);
}

function* eachOf(answer: Answer, encode: (message: object) => Uint8Array): Generator<Uint8Array> {
  for (const message of isMany(answer) ? answer : [answer]) yield encode(message);
}

function methodOf({ name, methodKind, input, output }: DescMethod, answer: Method): GrpcMethod {
  const { decode } = codecOf<Readonly<Record<string, unknown>>>(input);
  const codec = codecOf<object>(output);
  const encode = (message: object): Uint8Array => (message instanceof Uint8Array ? message : codec.encode(message));
  if (name === 'Watch') return { kind: 'watch', answer: () => encode(serving) };
  if (methodKind === 'bidi_streaming') {
    const converse = (request: object): object => reflect(request as ReflectionRequest, services);
    return { kind: 'talk', answer: (request) => encode(converse(decode(request))) };
  }
  if (methodKind === 'unary') {
    return { kind: 'unary', answer: (request, headers) => encode(answer(decode(request), headers)) };
  }
  return { kind: 'stream', answer: (request, headers) => eachOf(answer(decode(request), headers), encode) };
}

/** Everything that a registry serves, by path. */
function methodsOf(catalog: RegistryServerOptions['catalog']): ReadonlyMap<string, GrpcMethod> {
  const answers = registryMethods(catalog);
  const methods = services.flatMap((typeName) => descriptors.getService(typeName)?.methods ?? []);
  return new Map(
    methods.map((method) => {
      const { typeName } = method.parent;
      const answer = answers.get(`${typeName}.${method.name}`) ?? (() => serving);
      return [`/${typeName}/${method.name}`, methodOf(method, answer)];
    }),
  );
}

/** A shared port may be taken by another program of this user without an error: whether it is free is found out beforehand.
 *  @throws Error when the port is taken */
async function assertPortIsFree(address: ListenAddress): Promise<void> {
  const probe = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  probe.once('error', reject).listen(address, resolve);
  await promise;
  await new Promise((closed) => probe.close(closed));
}

/** Serves a catalog as api.Registry over gRPC, in plain text, with health and server reflection. Port 0 takes a free one.
 *  @throws Error when the port is taken */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { log, catalog, host, threads, isPortShared = threads !== undefined } = options;
  const address = (port: number): ListenAddress => (host === undefined ? { port } : { host, port });
  const server = new GrpcServer({ log, methods: methodsOf(catalog) });
  if (threads !== undefined) await assertPortIsFree(address(options.port));
  const port = await server.listen(address(options.port), isPortShared);
  await threads?.listen(address(port));
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.close(), threads?.[Symbol.asyncDispose]()]);
    },
  };
}
