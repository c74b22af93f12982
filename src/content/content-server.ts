import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { DetailedPeerCertificate, SecureContextOptions, TLSSocket } from 'node:tls';
import {
  type Clock,
  type ConnectionLimits,
  errorMessage,
  type Logger,
  limitConnections,
  peerOf,
  type ServingCertificate,
  type ServingPair,
  TokenGuesses,
} from '../base/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { type ForwardTarget, forward, forwardedHeader } from './forward.ts';

const headersDeadlineMs = 10_000;
const handshakeDeadlineMs = 5_000;
const requestDeadlineMs = 15 * 60_000;
const connectionLimits: ConnectionLimits = {
  maxConnections: 256,
  maxPerPeer: 64,
  firstRequestMs: 10_000,
  requestMs: requestDeadlineMs,
  slowMs: 60_000,
};

/** What a client proved of itself. */
export interface ContentCredentials {
  readonly token?: string;
  /** Of a certificate that the cluster's authority signed. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
}

/** Who asks, as the API server knows them. */
export interface ContentUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Whether a user may read or write; its own errors are answered with 503. */
export interface ContentAccess {
  /** Undefined when the credentials are worth nothing. */
  authenticate(credentials: ContentCredentials, signal: AbortSignal): Promise<ContentUser | undefined>;
  isAllowed(
    user: ContentUser,
    action: { readonly verb: string; readonly path: string },
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** What is known of an authorized request. */
export interface ContentRequest {
  readonly user: ContentUser;
  readonly signal: AbortSignal;
}

/** An answer of a few words. */
export interface ContentReply {
  readonly status: number;
  readonly text: string;
}

export interface ContentServerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Served at `/metrics`; counts every request. */
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** The cluster's authority for client certificates. */
  readonly clientCaPem?: string | undefined;
  readonly access: ContentAccess;
  /** The file behind `/<folder>/<bundle>.tgz`; undefined when there is none: then 404. */
  readonly fileOf: (
    folder: 'bundles' | 'uploads',
    bundleName: string,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** The response to authorized requests for contents and uploads while these are not served; undefined while they are. */
  readonly refusal?: () => ContentReply | undefined;
  /** Where a Bundle's content and upload are, if not here: requests are passed on. */
  readonly elsewhere?: ((bundleName: string, signal: AbortSignal) => Promise<ForwardTarget | undefined>) | undefined;
  /** Takes the body of a PUT to `/uploads/<bundle>.tgz`. */
  readonly upload: (bundleName: string, body: IncomingMessage, request: ContentRequest) => Promise<ContentReply>;
}

/** A content server that answers. Disposing it ends what is under way. */
export interface ContentServer extends AsyncDisposable {
  readonly port: number;
}

const tooManyGuesses: ContentReply = {
  status: 429,
  text: 'too many tokens from this address were not valid: try again in a minute',
};

interface Target {
  readonly folder: 'bundles' | 'uploads';
  readonly bundleName: string;
  readonly path: string;
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function targetOf(path: string): Target | undefined {
  const match = /^\/(bundles|uploads)\/([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)\.tgz$/.exec(path);
  if (match === null) return undefined;
  return { folder: match[1] === 'uploads' ? 'uploads' : 'bundles', bundleName: match[2] ?? '', path };
}

/** Counts what is answered, by class of path. */
class RequestCounter {
  readonly #metrics: Metrics;
  /** Connections are used again: what was counted of each. */
  readonly #countedBytes = new WeakMap<Socket, number>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Counts the request once its response is sent or its client has disconnected. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const path = /^\/(bundles|uploads|metrics)(?=[/?]|$)/.exec(request.url ?? '')?.[1] ?? 'other';
    const method = request.method !== undefined && request.method in verbs ? request.method : 'other';
    response.once('close', () => {
      this.#metrics.add('longshore_content_requests_total', { path, method, code: String(response.statusCode) });
      const sentBytes = socket.bytesWritten;
      this.#metrics.add(
        'longshore_content_response_bytes_total',
        { path },
        sentBytes - (this.#countedBytes.get(socket) ?? 0),
      );
      this.#countedBytes.set(socket, sentBytes);
    });
  }
}

/** A connection, and the session that it resumes, may outlive the certificate. */
function certificateOf(request: IncomingMessage, nowMs: number): ContentCredentials['certificate'] {
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return undefined;
  const shown = socket.getPeerCertificate() as Partial<DetailedPeerCertificate>;
  if (Date.parse(shown.valid_to ?? '') < nowMs) return undefined;
  const subject = shown.subject as { readonly CN?: string | string[]; readonly O?: string | string[] } | undefined;
  const commonName = [subject?.CN ?? []].flat()[0];
  return commonName === undefined ? undefined : { commonName, organizations: [subject?.O ?? []].flat() };
}

function credentialsOf(request: IncomingMessage, nowMs: number): ContentCredentials | undefined {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined) return { token };
  const certificate = certificateOf(request, nowMs);
  return certificate === undefined ? undefined : { certificate };
}

/** Answers requests for content. @see docs/spec/rukpak-v1alpha1.md#content-server */
class ContentHandler {
  readonly #options: ContentServerOptions;
  readonly #guesses: TokenGuesses;

  constructor(options: ContentServerOptions) {
    this.#options = options;
    this.#guesses = new TokenGuesses(options.clock);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signal = AbortSignal.timeout(requestDeadlineMs);
    const user = await this.#userOf(request, signal);
    if ('status' in user) return this.#reply(response, user);
    if (pathOf(request) === '/metrics') return await this.#sendMetrics(request, response);
    const target = targetOf(pathOf(request));
    if (target === undefined) return this.#reply(response, { status: 404, text: 'not found' });
    const instead = this.#options.refusal?.();
    if (instead !== undefined) return this.#reply(response, instead);
    const other = await this.#options.elsewhere?.(target.bundleName, signal);
    if (other !== undefined) return await this.#passOn(request, response, { target: other, signal });
    await this.#handleTarget(request, response, { ...target, signal, user });
  }

  async #passOn(
    request: IncomingMessage,
    response: ServerResponse,
    to: { readonly target: ForwardTarget; readonly signal: AbortSignal },
  ): Promise<void> {
    if (request.headers[forwardedHeader] !== undefined) {
      return this.#reply(response, { status: 503, text: 'the Bundle is moving to another shard: try again later' });
    }
    await forward(request, response, to);
  }

  async #handleTarget(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target & ContentRequest,
  ): Promise<void> {
    if (request.method === 'GET' || request.method === 'HEAD') return await this.#sendFile(request, response, target);
    if (request.method === 'PUT' && target.folder === 'uploads') {
      return this.#reply(response, await this.#options.upload(target.bundleName, request, target));
    }
    this.#refuseMethod(response, target.folder === 'uploads' ? 'GET, HEAD, PUT' : 'GET, HEAD');
  }

  #refuseMethod(response: ServerResponse, allow: string): void {
    response.setHeader('allow', allow);
    this.#reply(response, { status: 405, text: `method ${response.req.method} is not allowed: expected ${allow}` });
  }

  async #sendMetrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return this.#refuseMethod(response, 'GET, HEAD');
    const { contentType, text } = await this.#options.metrics.show();
    response.writeHead(200, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(text);
  }

  /** The user of the credentials; undefined when they are worth nothing. */
  async #authenticate(
    { socket }: IncomingMessage,
    credentials: ContentCredentials,
    signal: AbortSignal,
  ): Promise<ContentUser | ContentReply | undefined> {
    const { token } = credentials;
    const peer = peerOf(socket.remoteAddress ?? '');
    if (token !== undefined && this.#guesses.refuses(peer, token)) return tooManyGuesses;
    const user = await this.#options.access.authenticate(credentials, signal);
    if (token !== undefined) this.#guesses.answered(peer, token, user !== undefined);
    return user;
  }

  /** The user, or why they may not do what they ask. */
  async #userOf(request: IncomingMessage, signal: AbortSignal): Promise<ContentUser | ContentReply> {
    const { access, clock } = this.#options;
    const credentials = credentialsOf(request, clock.now());
    const user = credentials === undefined ? undefined : await this.#authenticate(request, credentials, signal);
    if (user === undefined)
      return { status: 401, text: 'unauthorized: expected a bearer token or a client certificate' };
    if ('status' in user) return user;
    const path = pathOf(request);
    const verb = verbs[request.method ?? ''] ?? (request.method ?? '').toLowerCase();
    if (await access.isAllowed(user, { verb, path }, signal)) return user;
    return { status: 403, text: `forbidden: ${user.username} may not ${verb} ${path}` };
  }

  async #sendFile(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target & { readonly signal: AbortSignal },
  ): Promise<void> {
    const file = await this.#options.fileOf(target.folder, target.bundleName, target.signal);
    if (file === undefined) return this.#reply(response, { status: 404, text: 'not found' });
    // Threads that unpack bundles load this folder as well, and send nothing.
    const { default: send } = await import('send');
    response.setHeader('content-type', 'application/gzip');
    const { promise, resolve } = Promise.withResolvers<void>();
    response.once('close', resolve);
    send(request, file, { dotfiles: 'allow', index: false, cacheControl: false })
      .on('error', ({ status }: { status?: number }) =>
        this.#reply(response, { status: status ?? 500, text: 'not readable' }),
      )
      .on('directory', () => this.#reply(response, { status: 404, text: 'not found' }))
      .pipe(response);
    await promise;
  }

  #reply(response: ServerResponse, { status, text }: ContentReply): void {
    if (response.headersSent) return void response.destroy();
    // An unread body must not hold the connection.
    if (!response.req.complete) response.setHeader('connection', 'close');
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
    response.end(status === 204 ? undefined : `${text}\n`);
  }
}

async function listen(server: Server, options: ContentServerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Serves stored bundles and metrics over HTTPS, and takes uploads: bearer tokens or client certificates, each request authorised.
 *  @throws Error when the port is taken */
export async function startContentServer(options: ContentServerOptions): Promise<ContentServer> {
  const { log, clientCaPem, serving } = options;
  const handler = new ContentHandler(options);
  const counter = new RequestCounter(options.metrics);
  const clients = clientCaPem === undefined ? {} : { ca: clientCaPem };
  const tlsOf = ({ certificatePem: cert, privateKeyPem: key }: ServingPair): SecureContextOptions => {
    return { cert, key, minVersion: 'TLSv1.2', ...clients };
  };
  const asking = clientCaPem === undefined ? {} : { requestCert: true, rejectUnauthorized: false };
  const tls = {
    ...tlsOf(serving.current()),
    ...asking,
    maxHeaderSize: 16 * 1024,
    handshakeTimeout: handshakeDeadlineMs,
  };
  const server = createServer(tls, (request, response) => {
    counter.follow(request, response);
    handler.handle(request, response).catch((thrown: unknown) => {
      log.warn({ err: thrown, path: request.url }, 'content request failed');
      if (!response.headersSent) response.writeHead(503, { 'content-type': 'text/plain' });
      response.end(`${errorMessage(thrown)}\n`);
    });
  });
  server.headersTimeout = headersDeadlineMs;
  server.requestTimeout = requestDeadlineMs;
  limitConnections(server, connectionLimits);
  const port = await listen(server, options);
  const stop = new AbortController();
  // All of it each time: what is left out, the authority of clients for one, is forgotten.
  const install = (next: ServingPair): void => server.setSecureContext(tlsOf(next));
  const renewal = serving.keepFresh(install, stop.signal).catch((thrown: unknown) => {
    if (!stop.signal.aborted) log.error({ err: thrown }, 'certificate renewal ended');
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, renewal]);
    },
  };
}
