import { type AddressInfo, createServer, type Server as Listener } from 'node:net';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { errorMessage, type Logger, TerminalError } from '../../base/index.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import { codecOf, descriptors } from './descriptors.ts';
import { limitGrpcConnections } from './grpc-connections.ts';
import { type ReflectionRequest, reflect } from './reflection.ts';
import { type Answer, type Method, registryMethods } from './registry-methods.ts';
import type { ListenAddress, RegistryThreads } from './registry-threads.ts';

const maxCalls = 256;
/** Watches of health and conversations of reflection: they last as long as their clients like, and take no call's place. */
const maxTalks = 256;
const maxRequestBytes = 64 * 1024;
const stallDeadlineMs = 60_000;
const stopDeadlineMs = 10_000;
const keepaliveMs = 60_000;
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
  /** What is served; asked again for every call. */
  readonly catalog: () => CatalogIndex;
  /** Serve the same catalog on the same port; the limits of connections and calls hold for each thread. */
  readonly threads?: RegistryThreads;
  /** Others of this user may listen on the port, too (Linux). */
  readonly isPortShared?: boolean;
}

/** A registry that answers over gRPC. Disposing it lets calls end that are under way, for a while. */
export interface RegistryServer extends AsyncDisposable {
  readonly port: number;
}

interface CallFault {
  readonly code: status;
  readonly details: string;
}

function faultOf(thrown: unknown): CallFault {
  const isArgument = thrown instanceof TerminalError && thrown.reason === 'InvalidArgument';
  return { code: isArgument ? status.INVALID_ARGUMENT : status.UNKNOWN, details: errorMessage(thrown) };
}

function tooMany(what: string): CallFault {
  return { code: status.RESOURCE_EXHAUSTED, details: `more than ${what} at a time: try again later` };
}

function isMany(answer: Answer): answer is Iterable<object> {
  return Symbol.iterator in answer && !(answer instanceof Uint8Array);
}

function definitionOf(service: DescService, method: DescMethod): MethodDefinition<object, object> {
  const [taken, answered] = [codecOf<object>(method.input), codecOf<object>(method.output)];
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind !== 'unary',
    requestSerialize: taken.encode,
    requestDeserialize: taken.decode,
    responseSerialize: (message) => {
      const isEncoded = message instanceof Uint8Array;
      return isEncoded ? Buffer.from(message.buffer, message.byteOffset, message.length) : answered.encode(message);
    },
    responseDeserialize: answered.decode,
  };
}

/** Waits until there is room again. Nothing of it is left when it ends: a long answer waits hundreds of times.
 *  @throws Error when there is none for too long, or nobody is left to read */
async function untilDrained(call: ServerWritableStream<object, object>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => reject(new Error('the client disconnected'));
  const late = setTimeout(() => reject(new TerminalError('TooSlow', 'the client reads too slowly')), stallDeadlineMs);
  call.once('drain', resolve).once('cancelled', leave);
  try {
    await promise;
  } finally {
    clearTimeout(late);
    call.off('drain', resolve).off('cancelled', leave);
  }
}

/** Answers calls; no more than so many at a time, over all connections. */
class CallHandler {
  readonly #log: Logger;
  readonly #stop: AbortSignal;
  #calls = 0;
  #talks = 0;

  constructor(log: Logger, stop: AbortSignal) {
    this.#log = log;
    this.#stop = stop;
  }

  handler(name: string, definition: MethodDefinition<object, object>, method: Method): UntypedHandleCall {
    if (!definition.responseStream) return this.#one(name, method);
    const many: handleServerStreamingCall<object, object> = (call) => {
      call.on('error', () => undefined);
      void this.#counted(call, async () => {
        try {
          await this.#send(call, method(call.request as Record<string, unknown>, call.metadata));
          call.end();
        } catch (thrown) {
          if (!call.cancelled) call.emit('error', this.#fault(name, thrown));
        }
      });
    };
    return many as UntypedHandleCall;
  }

  /** Says that all is well, and once that it ends. */
  readonly watchHealth: handleServerStreamingCall<object, object> = (call) => {
    if (!this.#isLetIn(call)) return;
    call.write(serving);
    const end = (): void => {
      call.end();
    };
    this.#stop.addEventListener('abort', end, { once: true });
    call.once('cancelled', () => this.#stop.removeEventListener('abort', end));
  };

  readonly reflect = (call: ServerDuplexStream<ReflectionRequest, object>): void => {
    if (!this.#isLetIn(call)) return;
    call.on('data', (request: ReflectionRequest) => {
      if (!call.write(reflect(request, services))) {
        call.pause();
        call.once('drain', () => call.resume());
      }
    });
    call.on('end', () => call.end());
    const end = (): void => {
      call.end();
    };
    this.#stop.addEventListener('abort', end, { once: true });
    call.once('close', () => this.#stop.removeEventListener('abort', end));
  };

  /** Whether there is room for one talk more; it counts until its stream is closed. */
  #isLetIn(call: ServerWritableStream<object, object> | ServerDuplexStream<ReflectionRequest, object>): boolean {
    call.on('error', () => undefined);
    if (this.#talks >= maxTalks) {
      call.emit('error', tooMany(`${maxTalks} watches and reflections`));
      return false;
    }
    this.#talks += 1;
    call.once('close', () => {
      this.#talks -= 1;
    });
    return true;
  }

  #one(name: string, method: Method): UntypedHandleCall {
    const one: handleUnaryCall<object, object> = (call, reply) => {
      try {
        reply(null, method(call.request as Record<string, unknown>, call.metadata));
      } catch (thrown) {
        reply(this.#fault(name, thrown));
      }
    };
    return one as UntypedHandleCall;
  }

  async #counted(call: ServerWritableStream<object, object>, run: () => Promise<void>): Promise<void> {
    if (this.#calls >= maxCalls) {
      call.emit('error', tooMany(`${maxCalls} calls`));
      return;
    }
    this.#calls += 1;
    try {
      await run();
    } finally {
      this.#calls -= 1;
    }
  }

  async #send(call: ServerWritableStream<object, object>, answer: Answer): Promise<void> {
    for (const message of isMany(answer) ? answer : [answer]) {
      if (call.cancelled) return;
      if (!call.write(message)) await untilDrained(call);
    }
  }

  #fault(name: string, thrown: unknown): CallFault {
    const fault = faultOf(thrown);
    this.#log.debug({ method: name, code: fault.code, message: fault.details }, 'gRPC call failed');
    return fault;
  }
}

function addServices(server: Server, calls: CallHandler, methods: ReadonlyMap<string, Method>): void {
  for (const typeName of services) {
    const service = descriptors.getService(typeName);
    for (const method of service?.methods ?? []) {
      const name = `${typeName}.${method.name}`;
      const definition = definitionOf(method.parent, method);
      const special: Readonly<Record<string, UntypedHandleCall>> = {
        Watch: calls.watchHealth as UntypedHandleCall,
        ServerReflectionInfo: calls.reflect as UntypedHandleCall,
      };
      const answer: Method = methods.get(name) ?? (() => serving);
      const implementation = special[method.name] ?? calls.handler(name, definition, answer);
      server.addService({ [method.name]: definition }, { [method.name]: implementation });
    }
  }
}

async function stopServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => server.forceShutdown(), stopDeadlineMs);
  server.tryShutdown(() => resolve());
  await promise;
  clearTimeout(late);
}

async function listen(listener: Listener, { host, port }: ListenAddress, isShared: boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  listener.once('error', reject);
  listener.listen({ port, reusePort: isShared, ...(host === undefined ? {} : { host }) }, resolve);
  await promise;
}

/** A shared port may be taken by another program of this user without an error: whether it is free is found out beforehand.
 *  @throws Error when the port is taken */
async function assertPortIsFree(address: ListenAddress): Promise<void> {
  const probe = createServer();
  await listen(probe, address, false);
  await new Promise((resolve) => probe.close(resolve));
}

/** Serves a catalog as api.Registry over gRPC, in plain text, with health and server reflection. Port 0 takes a free one.
 *  @throws Error when the port is taken */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { log, catalog, threads } = options;
  const stop = new AbortController();
  const listener = createServer({ noDelay: true }, (socket) => connections.injectConnection(socket));
  const server = new Server({
    interceptors: [limitGrpcConnections(listener)],
    'grpc.max_receive_message_length': maxRequestBytes,
    'grpc.max_concurrent_streams': maxCalls,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.enable_channelz': 0,
  });
  addServices(server, new CallHandler(log, stop.signal), registryMethods(catalog));
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  if (threads !== undefined) await assertPortIsFree(options);
  await listen(listener, options, threads !== undefined || options.isPortShared === true);
  const { port } = listener.address() as AddressInfo;
  await threads?.listen(options.host === undefined ? { port } : { host: options.host, port });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      stop.abort();
      await Promise.all([stopServer(server), threads?.[Symbol.asyncDispose]()]);
      await closed;
    },
  };
}
