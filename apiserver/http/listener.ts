import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type ConnectionLimits, limitConnections, nodeHttp } from '../../src/base/index.ts';
import type { Credentials } from '../auth/index.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { RequestTurns } from './request-turns.ts';

/** An open port; `close` ends what is left of its connections after the requests in flight had a moment. */
export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

const graceMs = 1000;
const headersTimeoutMs = 30_000;
/** Between probes on an upgraded connection, which may be idle for hours. */
const keepAliveMs = 30_000;
/** All clients of a laptop come from one address. */
const connectionLimits: ConnectionLimits = {
  maxConnections: 4_096,
  maxPerPeer: 4_096,
  firstRequestMs: headersTimeoutMs,
};

function track<T extends object>(
  open: Set<T>,
  item: T & { once(event: 'close', listener: () => void): unknown },
): void {
  open.add(item);
  item.once('close', () => open.delete(item));
}

async function closeServer(
  server: Http2SecureServer,
  open: { sessions: Set<ServerHttp2Session>; sockets: Set<Socket> },
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of open.sessions) session.close();
  const timer = setTimeout(() => {
    for (const session of open.sessions) session.destroy();
    for (const socket of open.sockets) socket.destroy();
  }, graceMs);
  // Idle HTTP/1.1 connections have nothing to wait for.
  setImmediate(() => {
    for (const socket of open.sockets) if (isIdle(socket)) socket.destroy();
  });
  await closed;
  clearTimeout(timer);
}

function isIdle(socket: Socket): boolean {
  return (socket as Socket & { _httpMessage?: unknown })._httpMessage === null;
}

/** Upgrades are asked for by HTTP/1.1 alone; other requests that name a protocol (`h2c`) are answered without. */
function isPortForward({ url = '' }: HttpRequest): boolean {
  return /^[^?]*\/portforward(?:\?|$)/.test(url);
}

/** Answers a request to upgrade as any other, until its handler takes the connection over. */
function answerUpgrades(server: Http2SecureServer): void {
  server.on('upgrade', (request: HttpRequest, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    socket.setKeepAlive(true, keepAliveMs);
    if (head.length > 0) socket.unshift(head);
    const response: HttpResponse = new (nodeHttp().ServerResponse)(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    server.emit('request', request, response);
  });
}

/** Lets connections take turns, and ends one on which more requests wait than a client may have at once. */
function inTurns(
  handle: (request: HttpRequest, response: HttpResponse) => Promise<void>,
): (request: HttpRequest, response: HttpResponse) => void {
  const turns = new RequestTurns();
  return (request, response) => {
    const session = 'stream' in request ? (request.stream as ServerHttp2Stream).session : undefined;
    const answer = (): void => {
      if (!request.destroyed) void handle(request, response);
    };
    if (turns.add(session ?? request.socket, answer)) return;
    if (session === undefined) request.socket.destroy();
    else session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether a request may change the protocol of its connection, besides port-forward. */
  readonly mayUpgrade?: (request: HttpRequest) => boolean;
}

/** Serves HTTPS, HTTP/2 and HTTP/1.1 on one port; client certificates are requested here and verified by the handler. */
export async function listen(
  address: ListenAddress,
  credentials: Credentials,
  handle: (request: HttpRequest, response: HttpResponse) => Promise<void>,
): Promise<Listener> {
  const server = createSecureServer({
    allowHTTP1: true,
    key: credentials.server.privateKeyPem,
    cert: credentials.server.certificatePem,
    ca: [credentials.authority.certificatePem],
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    // In megabytes: lists that wait to be read count; over the limit node refuses every new request of the connection.
    maxSessionMemory: 512,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024 },
  });
  const open = { sessions: new Set<ServerHttp2Session>(), sockets: new Set<Socket>() };
  server.on('secureConnection', (socket: Socket) => track(open.sockets, socket));
  server.on('session', (session) => {
    track(open.sessions, session);
    session.on('error', () => session.destroy());
  });
  server.on('sessionError', (_error, session) => session.destroy());
  server.setTimeout(0);
  // Only HTTP/1.1 connections are parsed by node's http module and know this.
  Object.assign(server, {
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: 120_000,
    shouldUpgradeCallback: (request: HttpRequest) => isPortForward(request) || address.mayUpgrade?.(request) === true,
  });
  limitConnections(server, connectionLimits);
  answerUpgrades(server);
  const take = inTurns(handle);
  server.on('request', (request, response) => {
    take(request as unknown as HttpRequest, response as unknown as HttpResponse);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return { port, close: () => closeServer(server, open) };
}
