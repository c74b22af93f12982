import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { errorMessage, TerminalError, TransientError } from '../../src/base/index.ts';
import { badRequest, groupResource, notFound, StatusError, sharerOf, type UserInfo, UserTurns } from '../core/index.ts';
import { storageName } from '../registry/index.ts';
import { ObjectTooLargeError, StorageError } from '../storage/index.ts';
import { checkAccess } from './access.ts';
import type { ApiParts, ResourceCall, VerbHandler } from './api-parts.ts';
import { handleDelete, handleDeleteCollection } from './delete-handlers.ts';
import { DocumentRoom } from './document-room.ts';
import { Exchange, type HttpRequest, type HttpResponse, type Reply, textReply, unknownPath } from './exchange.ts';
import { impersonate } from './impersonation.ts';
import { checkAcceptRoute, checkPatchRoute, negotiateFailure } from './negotiation.ts';
import { encodeValue } from './object-output.ts';
import { PlainError } from './plain-error.ts';
import { handleGet, handleList } from './read-handlers.ts';
import type { DelegatedRequest, RequestGuard } from './request-guard.ts';
import { parseRequestInfo, type RequestInfo, type ResourceRequest } from './request-info.ts';
import { reviewHandlers } from './reviews.ts';
import { handlePublicPath, isPublicPath } from './version-and-health.ts';
import { handleWatch } from './watch-handler.ts';
import { handleCreate, handleUpdate } from './write-handlers.ts';

const requestDeadlineMs = 60_000;
const writeDeadlineMs = 34_000;
const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Answers requests that another server serves; undefined when this one does. */
export type Delegate = (request: DelegatedRequest) => Promise<Reply | undefined> | undefined;

/** Answers requests on paths that are no resources; undefined when it does not know the path. */
export type PathHandler = (exchange: Exchange, path: string) => Promise<Reply | undefined> | Reply | undefined;

const verbHandlers: Readonly<Record<string, (call: ResourceCall) => Promise<Reply | undefined>>> = {
  get: handleGet,
  list: handleList,
  create: handleCreate,
  update: handleUpdate,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
  watch: async (call) => {
    await handleWatch(call);
    return undefined;
  },
};

/** Of custom resources the answer names the resource. */
function notSupported({ group, plural }: ResourceCall['type'], verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(groupResource({ group, plural }))}`;
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: { group, kind: plural } });
}

const methodNotAllowed = (): StatusError =>
  new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

/** Milliseconds of a duration as Go writes it.
 *  @throws StatusError 400 with Go's words */
function parseDuration(text: string): number {
  if (/^[-+]?0$/.test(text)) return 0;
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)([^\d.]*)/g)];
  const refuse = (why: string): StatusError =>
    badRequest(`invalid timeout specified in the request URL - time: ${why} duration ${JSON.stringify(text)}`);
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.replace(/^[-+]/, '')) throw refuse('invalid');
  const requested = parts.reduce((sum, [, count, unit = '']) => {
    if (unit === '') throw refuse('missing unit in');
    const factor = Object.hasOwn(unitsMs, unit) ? unitsMs[unit] : undefined;
    if (factor === undefined) throw refuse(`unknown unit ${JSON.stringify(unit)} in`);
    return sum + Number(count) * factor;
  }, 0);
  return text.startsWith('-') ? -requested : requested;
}

/** Milliseconds that `timeout` gives a request, at most 60 s.
 *  @throws StatusError 400 */
function parseRequestTimeout(query: URLSearchParams): number {
  const text = query.get('timeout');
  const requested = text === null || text === '' ? 0 : parseDuration(text);
  return requested <= 0 ? requestDeadlineMs : Math.min(requested, requestDeadlineMs);
}

const tooLate = (why: string): StatusError =>
  new StatusError({ code: 504, reason: 'Timeout', message: `Timeout: ${why}` });

/** Nothing was written: the disk is full, or fails. */
function storageFailure(thrown: StorageError): StatusError {
  const { message } = thrown;
  if (thrown.isFull) return new StatusError({ code: 507, reason: 'InsufficientStorage', message }, { cause: thrown });
  return new StatusError({ code: 500, reason: 'InternalError', message }, { cause: thrown });
}

function asStatusError(thrown: unknown): StatusError {
  if (thrown instanceof StatusError) return thrown;
  if (thrown instanceof TerminalError) return badRequest(thrown.message, thrown);
  if (thrown instanceof StorageError) return storageFailure(thrown);
  if (thrown instanceof ObjectTooLargeError) return new StatusError({ code: 500, message: thrown.message });
  if (thrown instanceof TransientError) {
    return new StatusError({ code: 503, reason: 'ServiceUnavailable', message: thrown.message }, { cause: thrown });
  }
  const message = errorMessage(thrown);
  const details = { causes: [{ message }] };
  return new StatusError(
    { code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}`, details },
    { cause: thrown },
  );
}

function failureReply(error: StatusError, exchange: Exchange): Reply {
  const seconds = error.failure.details?.retryAfterSeconds ?? 0;
  const syntax = negotiateFailure(exchange.header('accept'));
  const reply = encodeValue(error.failure.code, error.toStatus(), { syntax, isPretty: false });
  return seconds > 0 ? { ...reply, headers: { 'retry-after': String(seconds) } } : reply;
}

/** The one way of every request: identity, permission, resource, handler, answer. */
export class Pipeline {
  readonly #parts: ApiParts;
  readonly #paths: readonly PathHandler[];
  readonly #subresources: ReadonlyMap<string, VerbHandler>;
  readonly #patch: VerbHandler;
  readonly #delegate: Delegate | undefined;
  readonly #turns = new UserTurns();
  /** Lists wait for each other alone: a webhook may need some while a write waits for it. */
  readonly #rooms = { lists: new DocumentRoom(), writes: new DocumentRoom() };
  /** Clients that find these leave it to the server to slow them down. */
  readonly #flowHeaders: readonly (readonly [string, string])[] = [
    ['x-kubernetes-pf-flowschema-uid', randomUUID()],
    ['x-kubernetes-pf-prioritylevel-uid', randomUUID()],
  ];

  constructor(
    parts: ApiParts,
    handlers: {
      readonly paths: readonly PathHandler[];
      /** By `<verb> <subresource>`. */
      readonly subresources: ReadonlyMap<string, VerbHandler>;
      readonly patch: VerbHandler;
      readonly delegate?: Delegate;
    },
  ) {
    this.#parts = parts;
    this.#paths = handlers.paths;
    this.#subresources = handlers.subresources;
    this.#patch = handlers.patch;
    this.#delegate = handlers.delegate;
  }

  /** Answers one request; never rejects. `guard` stands between permission and answer. */
  async handle(request: HttpRequest, response: HttpResponse, guard?: RequestGuard): Promise<void> {
    using exchange = new Exchange(request, response, this.#parts.transfers);
    const leave = new AbortController();
    // Most clients disconnect after the response: do not wait for that.
    response.on('close', () => {
      if (!response.writableEnded) leave.abort();
    });
    try {
      const reply = await this.#answer(exchange, leave.signal, guard);
      if (reply !== undefined) await exchange.send(reply);
    } catch (thrown) {
      await this.#fail(exchange, thrown);
    }
  }

  async #fail(exchange: Exchange, thrown: unknown): Promise<void> {
    if (thrown instanceof PlainError && !exchange.response.headersSent) {
      await exchange.send(textReply(thrown.code, thrown.message)).catch(() => {}); // the client left
      return;
    }
    const error = asStatusError(thrown);
    const isOurs = error.failure.code === 500 && error.failure.reason === 'InternalError';
    const { request } = exchange;
    // Clients that leave in the middle of a body are no fault, and would fill the log.
    const level = request.destroyed && !request.complete ? 'debug' : 'error';
    if (isOurs) this.#parts.log[level]({ err: error.cause ?? error, path: exchange.path }, 'request failed');
    try {
      if (!exchange.response.headersSent) await exchange.send(failureReply(error, exchange));
      else exchange.response.destroy();
    } catch (again) {
      this.#parts.log.debug({ err: again }, 'answer could not be sent');
    }
  }

  async #answer(exchange: Exchange, left: AbortSignal, guard?: RequestGuard): Promise<Reply | undefined> {
    const info = parseRequestInfo(exchange.method, exchange.path, exchange.query);
    const timeoutMs = parseRequestTimeout(exchange.query);
    const { authorizer } = this.#parts;
    const identity = this.#userOf(exchange);
    for (const [name, value] of this.#flowHeaders) exchange.response.setHeader(name, value);
    const user = impersonate(authorizer, identity, exchange.request);
    const isPublic = info.kind === 'path' && isPublicPath(info.path);
    if (!isPublic) checkAccess(authorizer, user, info);
    const answer = (): Promise<Reply | undefined> => this.#answerAllowed(exchange, { info, user, left, timeoutMs });
    return await (guard === undefined ? answer() : guard.run({ exchange, info, user, signal: left }, answer));
  }

  async #answerAllowed(
    exchange: Exchange,
    about: {
      readonly info: RequestInfo;
      readonly user: UserInfo;
      readonly left: AbortSignal;
      readonly timeoutMs: number;
    },
  ): Promise<Reply | undefined> {
    const { info, user, left, timeoutMs } = about;
    const delegated = this.#delegate?.({ exchange, info, user, timeoutMs, signal: left });
    if (delegated !== undefined) return await delegated;
    if (info.kind === 'path') {
      exchange.takeTurn = async () => await this.#turns.take(sharerOf(user));
      await exchange.beginTurn();
      return (await this.#answerPath(exchange, info.path)) ?? this.#unknown(exchange.path);
    }
    const isLong = info.verb === 'watch';
    const isWrite = writeVerbs.has(info.verb);
    const deadlineMs = isWrite ? Math.min(timeoutMs, writeDeadlineMs) : timeoutMs;
    if (isLong) return await this.#answerResource(exchange, { request: info, user, signal: left });
    return await this.#withDeadline({ deadlineMs, isWrite, left }, (signal) =>
      this.#answerResource(exchange, { request: info, user, signal }),
    );
  }

  async #withDeadline<T>(
    limits: { readonly deadlineMs: number; readonly isWrite: boolean; readonly left: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const why = limits.isWrite
        ? 'request did not complete within requested timeout - context deadline exceeded'
        : 'request did not complete within the allotted timeout';
      late.abort();
      reject(tooLate(why));
    }, limits.deadlineMs);
    try {
      return await Promise.race([work(AbortSignal.any([limits.left, late.signal])), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #userOf(exchange: Exchange): UserInfo {
    const identity = this.#parts.authenticator.identify(exchange.request.headers, exchange.request.socket as TLSSocket);
    if (identity.kind !== 'refused') return identity.user;
    throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
  }

  async #answerPath(exchange: Exchange, path: string): Promise<Reply | undefined> {
    const reply = handlePublicPath(path, exchange.query, exchange.header('accept'));
    if (reply !== undefined) return reply;
    for (const handler of this.#paths) {
      const found = await handler(exchange, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Below the roots of built-in groups the router itself responds 404.
   *  @throws StatusError 404 */
  #unknown(path: string): Reply {
    const [root, group = '', ...rest] = path.split('/').filter((part) => part !== '');
    const isRouted =
      root === 'api' ? group !== '' : root === 'apis' && rest.length > 0 && this.#parts.types.isBuiltin(group);
    if (isRouted) throw unrouted();
    return unknownPath();
  }

  async #answerResource(
    exchange: Exchange,
    about: { readonly request: ResourceRequest; readonly user: UserInfo; readonly signal: AbortSignal },
  ): Promise<Reply | undefined> {
    const { request } = about;
    await this.#waitForTurn(exchange, about);
    const type = this.#typeOf(request);
    if (type === undefined) return this.#unknown(exchange.path);
    const handler = this.#handlerOf(type, request);
    exchange.findRoom = (bytes) => this.#findRoom(type, about, bytes);
    if (request.verb === 'patch' && !type.isCustom) checkPatchRoute(exchange.header('content-type'));
    if (type.deprecationWarning !== undefined) this.#warnOf(type, request, exchange);
    return await handler({ ...about, parts: this.#parts, exchange, type });
  }

  /** Users take turns, however many requests each of them has. Those that write wait once their body has been received. */
  async #waitForTurn(
    exchange: Exchange,
    about: { readonly request: ResourceRequest; readonly user: UserInfo; readonly signal: AbortSignal },
  ): Promise<void> {
    exchange.takeTurn = async () => {
      await this.#turns.take(sharerOf(about.user));
      if (about.signal.aborted) throw tooLate('request did not complete within the allotted timeout');
    };
    if (!writeVerbs.has(about.request.verb)) await exchange.beginTurn();
  }

  /** The stored object that a request changes counts with its body. */
  #findRoom(
    type: ResourceCall['type'],
    {
      request,
      user,
      signal,
    }: { readonly request: ResourceRequest; readonly user: UserInfo; readonly signal: AbortSignal },
    bodyBytes: number,
  ): Promise<Disposable> {
    const { name, namespace } = request;
    const key = storageName(type, namespace, name);
    const stored = name === '' ? undefined : this.#parts.store.get(type.storageKey, key);
    const bytes = bodyBytes + (stored?.text.length ?? 0);
    const room = writeVerbs.has(request.verb) ? this.#rooms.writes : this.#rooms.lists;
    return room.enter({ sharer: sharerOf(user), bytes, signal });
  }

  /** Requests that fail get no deprecation warning. */
  #warnOf(type: ResourceCall['type'], { name }: ResourceRequest, exchange: Exchange): void {
    if (!type.isCustom) checkAcceptRoute(exchange.header('accept'), name === '');
    exchange.warn(type.deprecationWarning ?? '');
  }

  /** The type of a request, if it may be in the place that the request names.
   *  @throws StatusError 405 */
  #typeOf({ group, version, plural, namespace, verb, name }: ResourceRequest): ResourceCall['type'] | undefined {
    const type = this.#parts.types.find(group, version, plural);
    if (type === undefined || (!type.namespaced && namespace !== '')) return undefined;
    const isCollectionRead = ['list', 'watch'].includes(verb) && name === '';
    if (!type.namespaced || namespace !== '' || isCollectionRead) return type;
    if (name !== '') return undefined;
    throw methodNotAllowed();
  }

  #handlerOf(type: ResourceCall['type'], request: ResourceRequest): VerbHandler {
    const { verb, subresource, name } = request;
    if (name !== '' && !hasNamedVerb(type.verbs)) throw unrouted();
    if (subresource !== '') return this.#subresourceHandler(type, request);
    return (verb === 'create' ? reviewHandlers.get(type.storageKey) : undefined) ?? this.#verbHandler(type, request);
  }

  #verbHandler(type: ResourceCall['type'], { verb, name }: ResourceRequest): VerbHandler {
    const isNamed = ['update', 'patch', 'delete', 'get'].includes(verb);
    if (isNamed === (name === '') && verb !== 'watch') throw methodNotAllowed();
    const handler = verb === 'patch' ? this.#patch : Object.hasOwn(verbHandlers, verb) ? verbHandlers[verb] : undefined;
    if (handler === undefined || !isServed(type.verbs, verb)) throw methodNotAllowed();
    return handler;
  }

  #subresourceHandler(type: ResourceCall['type'], request: ResourceRequest): VerbHandler {
    const { subresource } = request;
    // Permission and admission are about the subresource alone: nothing else may follow it.
    if (request.hasFurtherPath === true && subresource !== 'proxy') throw unrouted();
    const known = type.subresources.find(({ name }) => name === subresource);
    if (known === undefined) throw type.isCustom ? notFound(type, request.name) : unrouted();
    const handler = this.#subresources.get(`${request.verb} ${subresource}`);
    if (handler !== undefined && isServed(known.verbs, request.verb)) return handler;
    throw type.isCustom ? notSupported(type, request.verb) : methodNotAllowed();
  }
}

/** Kinds that are asked and not kept have no paths of objects. */
function hasNamedVerb(verbs: readonly string[]): boolean {
  return verbs.some((verb) => verb !== 'create' && verb !== 'list');
}

function unrouted(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError({ code: 404, reason: 'NotFound', message, details: {} });
}

function isServed(verbs: readonly string[], verb: string): boolean {
  return verbs.includes(verb);
}
