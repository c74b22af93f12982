import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { JsonValue } from '../../src/base/index.ts';
import type { KubeObject, TypeRegistry } from '../core/index.ts';
import { ApiError } from './api-error.ts';
import { type DirectConnection, type DirectRequest, readText } from './connection.ts';
import {
  type ApiObject,
  collectionOf,
  type KindReference,
  type ObjectReference,
  objectOf,
  referenceOf,
} from './references.ts';
import { Watch } from './watch.ts';

const waitMs = 30_000;

/** Of writes. */
export interface WriteOptions {
  /** `status`, `scale`, `finalize`, … */
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

/** Of server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that belong to others. */
  readonly force?: boolean;
}

/** `merge` (RFC 7396, the default), `json` (RFC 6902) or `strategic` (built-in kinds). */
export interface PatchOptions extends WriteOptions {
  readonly type?: 'merge' | 'json' | 'strategic';
}

export interface ClientDeleteOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** Which objects of a kind; without a namespace those of all. */
export interface Selection extends KindReference {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchSelection extends Selection {
  /** Absent: begins with ADDED for everything that is there. */
  readonly resourceVersion?: string;
}

/** Any request at all. */
export interface RawRequest {
  /** Default GET. */
  readonly method?: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: JsonValue | string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const patchTypes: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

function writeQuery({ dryRun, fieldManager }: WriteOptions): Record<string, string | undefined> {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager };
}

/** A client within the server's process, for tests: what it asks passes the whole server (authorisation, admission, validation), but no
 *  network and no faults on demand. All methods take and give plain JSON in the version they name, and throw `ApiError`. */
export class ClusterClient {
  readonly #connection: DirectConnection;
  readonly #types: TypeRegistry;
  readonly #identity: Readonly<Record<string, string | readonly string[]>>;

  /** `identity`: the headers with the identity of the user. */
  constructor(
    connection: DirectConnection,
    types: TypeRegistry,
    identity: Readonly<Record<string, string | readonly string[]>>,
  ) {
    this.#connection = connection;
    this.#types = types;
    this.#identity = identity;
  }

  /** The same client as another user; it may only do what roles and bindings allow this user. */
  as(user: string, groups: readonly string[] = []): ClusterClient {
    const impersonated = { 'impersonate-user': user, ...(groups.length > 0 ? { 'impersonate-group': groups } : {}) };
    return new ClusterClient(this.#connection, this.#types, { ...this.#identity, ...impersonated });
  }

  async get<T extends ApiObject = KubeObject>(
    reference: ObjectReference | ApiObject,
    options: { readonly subresource?: string } = {},
  ): Promise<T> {
    const { path } = objectOf(this.#types, referenceOf(reference), options.subresource);
    return await this.#json<T>({ method: 'GET', path });
  }

  /** The object, or undefined when there is none. */
  async find<T extends ApiObject = KubeObject>(reference: ObjectReference | ApiObject): Promise<T | undefined> {
    try {
      return await this.get<T>(reference);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 404) return undefined;
      throw thrown;
    }
  }

  async list<T extends ApiObject = KubeObject>(selection: Selection): Promise<T[]> {
    return (await this.#list<T>(selection)).items;
  }

  async create<T extends ApiObject = KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const { apiVersion, kind, name, namespace } = referenceOf(object);
    const isSub = options.subresource !== undefined;
    const { path } = isSub
      ? objectOf(this.#types, { apiVersion, kind, name, namespace }, options.subresource)
      : collectionOf(this.#types, { apiVersion, kind }, namespace ?? 'default');
    return await this.#json<T>({ method: 'POST', path: withQuery(path, writeQuery(options)), body: object });
  }

  /** Replaces the object; its resourceVersion, where it has one, must be the current one. */
  async update<T extends ApiObject = KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const { path } = objectOf(this.#types, referenceOf(object), options.subresource);
    return await this.#json<T>({ method: 'PUT', path: withQuery(path, writeQuery(options)), body: object });
  }

  async patch<T extends ApiObject = KubeObject>(
    reference: ObjectReference | ApiObject,
    patch: unknown,
    options: PatchOptions = {},
  ): Promise<T> {
    const { path } = objectOf(this.#types, referenceOf(reference), options.subresource);
    const contentType = patchTypes[options.type ?? 'merge'];
    const query = writeQuery(options);
    return await this.#json<T>({ method: 'PATCH', path: withQuery(path, query), body: patch, contentType });
  }

  /** Server-side apply, as `cluster-client` unless a field manager is named. */
  async apply<T extends ApiObject = KubeObject>(object: T, options: ApplyOptions = {}): Promise<T> {
    const { path } = objectOf(this.#types, referenceOf(object), options.subresource);
    const { fieldManager = 'cluster-client', force } = options;
    const query = { ...writeQuery({ ...options, fieldManager }), force: force === true ? 'true' : undefined };
    const contentType = 'application/apply-patch+yaml';
    return await this.#json<T>({ method: 'PATCH', path: withQuery(path, query), body: object, contentType });
  }

  /** Resolves when the deletion is accepted; what has finalizers or dependents goes later (`until`). */
  async delete(reference: ObjectReference | ApiObject, options: ClientDeleteOptions = {}): Promise<void> {
    const { path } = objectOf(this.#types, referenceOf(reference));
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
    await this.#json({ method: 'DELETE', path, body });
  }

  /** Resolves when the watch is open. */
  async watch<T extends ApiObject = KubeObject>(selection: WatchSelection): Promise<Watch<T>> {
    const { path } = collectionOf(this.#types, selection, selection.namespace ?? '');
    const { labelSelector, fieldSelector, resourceVersion } = selection;
    const query = { watch: 'true', labelSelector, fieldSelector, resourceVersion };
    const leave = new AbortController();
    const request = { method: 'GET', path: withQuery(path, query), signal: leave.signal };
    return new Watch<T>(await this.#send(request), () => leave.abort());
  }

  /** Waits until the object is as expected (`undefined`: it does not exist) and returns it.
   *  @throws Error with the last state of the object after `timeoutMs` (default 30 s) */
  async until<T extends ApiObject = KubeObject>(
    reference: ObjectReference | ApiObject,
    isDone: (object: T | undefined) => boolean,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<T | undefined> {
    const { apiVersion, kind, name, namespace } = referenceOf(reference);
    const { type } = objectOf(this.#types, { apiVersion, kind, name });
    const scope = type.namespaced ? { namespace: namespace ?? 'default' } : {};
    const selection = { apiVersion, kind, fieldSelector: `metadata.name=${name}`, ...scope };
    const { items, resourceVersion } = await this.#list<T>(selection);
    let [last] = items;
    if (isDone(last)) return last;
    const { timeoutMs = waitMs } = options;
    using watch = await this.watch<T>({ ...selection, resourceVersion });
    const timer = setTimeout(() => watch.stop(), timeoutMs);
    try {
      for await (const { type: event, object } of watch) {
        last = event === 'DELETED' ? undefined : object;
        if (isDone(last)) return last;
      }
    } finally {
      clearTimeout(timer);
    }
    const state = last === undefined ? 'it is not there' : JSON.stringify(last);
    throw new Error(`${kind} ${name} did not come to be as awaited within ${timeoutMs} ms: ${state}`);
  }

  /** Sends any request and gives the answer, whatever its status. */
  async request(request: RawRequest): Promise<RawAnswer> {
    const { method = 'GET', path, headers = {}, body } = request;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = text === undefined ? {} : { 'content-type': 'application/json' };
    const all = { accept: 'application/json', ...type, ...this.#identity, ...headers };
    const response = await this.#connection.send({ method, path, headers: all, body: text });
    return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response) };
  }

  async #list<T extends ApiObject>(selection: Selection): Promise<{ items: T[]; resourceVersion: string }> {
    const { path, type } = collectionOf(this.#types, selection, selection.namespace ?? '');
    const { labelSelector, fieldSelector } = selection;
    const list = await this.#json<{ items: T[]; metadata: { resourceVersion: string } }>({
      method: 'GET',
      path: withQuery(path, { labelSelector, fieldSelector }),
    });
    const head = { apiVersion: selection.apiVersion, kind: type.kind };
    return {
      items: list.items.map((item) => ({ ...head, ...item })),
      resourceVersion: list.metadata.resourceVersion,
    };
  }

  async #json<T>(request: {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    readonly contentType?: string | undefined;
  }): Promise<T> {
    const { method, path, body, contentType = 'application/json' } = request;
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': contentType } };
    const response = await this.#send({ method, path, ...sent });
    return JSON.parse(await readText(response)) as T;
  }

  /** @throws ApiError */
  async #send(request: Omit<DirectRequest, 'headers'> & Partial<DirectRequest>): Promise<IncomingMessage> {
    const headers = { accept: 'application/json', ...this.#identity, ...request.headers };
    const response = await this.#connection.send({ ...request, headers });
    const code = response.statusCode ?? 0;
    if (code >= 400) throw new ApiError(code, await readText(response));
    return response;
  }
}
