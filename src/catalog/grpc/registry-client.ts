import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { serverText, TerminalError, TransientError } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { bundleCodec, packageCodec } from './api-messages.ts';
import { type MessageCodec, messageCodec } from './descriptors.ts';
import { describeBundle, documentsOf, isDescribed, type ReadPackage, takeBundle } from './registry-documents.ts';
import { countFields } from './wire-fields.ts';

/** Bounds on what a registry may send. */
export interface RegistryLimits {
  /** Of all messages together. */
  readonly totalBytes: number;
  readonly messageBytes: number;
  /** Of all messages together, each counted as one more. */
  readonly fields: number;
  readonly packages: number;
  /** Until everything has come. */
  readonly deadlineMs: number;
}

export const defaultRegistryLimits: RegistryLimits = Object.freeze({
  totalBytes: 256 * 1024 * 1024,
  // Four times the default of clients in Go.
  messageBytes: 16 * 1024 * 1024,
  fields: 2_000_000,
  packages: 20_000,
  deadlineMs: 5 * 60_000,
});

export interface RegistryReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: RegistryLimits;
  /** IP addresses and port that `address` leads to, where that is known: names are not looked up again. */
  readonly endpoints?: readonly RegistryEndpoint[];
  /** Reads the ClusterServiceVersions of the heads of channels as well, a call each: for icons, descriptions and the like. Default false. */
  readonly hasHeads?: boolean;
}

/** An IP address and a port. */
export interface RegistryEndpoint {
  readonly address: string;
  readonly port: number;
}

const nameCodec: MessageCodec<{ readonly name: string }> = messageCodec('api.PackageName');
const packageRequest: MessageCodec<object> = messageCodec('api.GetPackageRequest');
const bundleRequest: MessageCodec<object> = messageCodec('api.GetBundleRequest');

const transientCodes: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.RESOURCE_EXHAUSTED,
]);

function faultOf(address: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  const { code, details } = thrown as ServiceError;
  // Errors of the library's own decoder have no details. It ends its texts with a heading that nothing follows.
  const known = details === '' ? undefined : (details as string | undefined);
  const reason = (known ?? thrown.message).replace(/\.? Resolution note: $/, '');
  const text = `grpc://${address}: ${serverText(reason)}`;
  if (transientCodes.has(code)) return new TransientError('RegistryUnavailable', text, { cause: thrown });
  const expected = `${text}: expected an operator registry (api.Registry)`;
  return new TerminalError('RegistryUnreadable', expected, { cause: thrown });
}

/** What the library is to connect to; all endpoints are of one family. */
function targetOf(address: string, endpoints: readonly RegistryEndpoint[] | undefined): string {
  if (endpoints === undefined) return address;
  const isV6 = endpoints.some((endpoint) => endpoint.address.includes(':'));
  const places = endpoints.map((endpoint) => `${isV6 ? `[${endpoint.address}]` : endpoint.address}:${endpoint.port}`);
  return `${isV6 ? 'ipv6' : 'ipv4'}:${places.join(',')}`;
}

/** Calls of one registry, within limits. */
class RegistryCalls {
  readonly #address: string;
  readonly #client: Client;
  readonly #limits: RegistryLimits;
  readonly #signal: AbortSignal | undefined;
  readonly #options: CallOptions;
  #bytes = 0;
  #fields = 0;

  constructor(address: string, { signal, limits = defaultRegistryLimits, endpoints }: RegistryReadOptions) {
    this.#address = address;
    this.#limits = limits;
    this.#signal = signal;
    this.#options = { deadline: Date.now() + limits.deadlineMs };
    this.#client = new Client(targetOf(address, endpoints), credentials.createInsecure(), {
      ...(endpoints === undefined ? {} : { 'grpc.default_authority': address }),
      'grpc.max_receive_message_length': limits.messageBytes,
      'grpc.enable_channelz': 0,
      'grpc.enable_http_proxy': 0,
    });
  }

  close(): void {
    this.#client.close();
  }

  async *list<T extends object>(method: string, codec: MessageCodec<T>): AsyncGenerator<T> {
    this.#signal?.throwIfAborted();
    const path = `/api.Registry/${method}`;
    const decode = this.#counted(codec);
    const call: ClientReadableStream<T> = this.#client.makeServerStreamRequest(
      path,
      packageRequest.encode,
      decode,
      {},
      new Metadata(),
      this.#options,
    );
    const cancel = (): void => call.cancel();
    this.#signal?.addEventListener('abort', cancel, { once: true });
    try {
      for await (const message of call) yield message as T;
    } catch (thrown) {
      throw this.#fault(thrown);
    } finally {
      this.#signal?.removeEventListener('abort', cancel);
      call.cancel();
    }
  }

  /** `request` is encoded. */
  async get<T extends object>(method: string, codec: MessageCodec<T>, request: Buffer): Promise<T> {
    this.#signal?.throwIfAborted();
    const path = `/api.Registry/${method}`;
    const decode = this.#counted(codec);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call = this.#client.makeUnaryRequest(
      path,
      (encoded) => encoded,
      decode,
      request,
      new Metadata(),
      this.#options,
      (thrown, message) => (message === undefined ? reject(thrown as Error) : resolve(message)),
    );
    const cancel = (): void => call.cancel();
    this.#signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise;
    } catch (thrown) {
      throw this.#fault(thrown);
    } finally {
      this.#signal?.removeEventListener('abort', cancel);
    }
  }

  #counted<T>(codec: MessageCodec<T>): (bytes: Buffer) => T {
    return (bytes) => {
      this.#bytes += bytes.length;
      this.#fields += countFields(bytes, this.#limits.fields) + 1;
      if (this.#excess !== undefined) throw new Error(this.#excess);
      return codec.decode(bytes);
    };
  }

  /** Which limit is exceeded. */
  get #excess(): string | undefined {
    const { totalBytes, fields } = this.#limits;
    if (this.#bytes > totalBytes) return `larger than the limit of ${totalBytes} bytes`;
    return this.#fields > fields ? `more fields in its messages than the limit of ${fields}` : undefined;
  }

  #fault(thrown: unknown): unknown {
    this.#signal?.throwIfAborted();
    if (this.#excess === undefined) return faultOf(this.#address, thrown);
    return new TerminalError('BodyTooLarge', `grpc://${this.#address}: ${this.#excess}`, { cause: thrown });
  }
}

async function readPackages(calls: RegistryCalls, limits: RegistryLimits): Promise<Map<string, ReadPackage>> {
  const names: string[] = [];
  for await (const { name } of calls.list('ListPackages', nameCodec)) {
    names.push(name);
    if (names.length > limits.packages) {
      throw new TerminalError('TooManyPackages', `the registry lists more than ${limits.packages} packages`);
    }
  }
  const packages = new Map<string, ReadPackage>();
  for (const name of names.sort()) {
    const message = await calls.get('GetPackage', packageCodec, packageRequest.encode({ name }));
    packages.set(name, { message, channels: new Map(), bundles: new Map() });
  }
  return packages;
}

/** Adds what only calls for single bundles give. A registry without that is not refused. */
async function describeHeads(calls: RegistryCalls, read: ReadPackage): Promise<void> {
  for (const { name: channelName, csvName } of read.message.channels) {
    const listed = read.bundles.get(csvName);
    if (listed === undefined || isDescribed(listed)) continue;
    const request = bundleRequest.encode({ pkgName: read.message.name, channelName, csvName });
    try {
      describeBundle(read, await calls.get('GetBundle', bundleCodec, request));
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason === 'BodyTooLarge') throw thrown;
    }
  }
}

function* metasOf(read: ReadPackage, address: string): Generator<Meta> {
  for (const value of documentsOf(read)) {
    const { schema, package: packageName, name } = value as Record<string, string | undefined>;
    const place = { file: `grpc://${address}`, line: 1 };
    yield { schema: schema ?? '', package: packageName ?? '', name: name ?? '', value, place };
  }
}

/** The catalog that a running registry serves, as documents by package: what its lists have, so without icons, descriptions and the like, unless
 *  `hasHeads`.
 *  `address` is `HOST:PORT`, spoken to in plain text.
 *  @throws TransientError RegistryUnavailable · TerminalError RegistryUnreadable, BodyTooLarge, TooManyPackages */
export async function* readRegistry(address: string, options: RegistryReadOptions = {}): AsyncGenerator<Meta> {
  const calls = new RegistryCalls(address, options);
  try {
    const packages = await readPackages(calls, options.limits ?? defaultRegistryLimits);
    for await (const bundle of calls.list('ListBundles', bundleCodec)) {
      const read = packages.get(bundle.packageName);
      if (read !== undefined) takeBundle(read, bundle);
    }
    for (const read of packages.values()) {
      if (options.hasHeads === true) await describeHeads(calls, read);
      yield* metasOf(read, address);
    }
  } finally {
    calls.close();
  }
}
