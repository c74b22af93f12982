import type { IncomingHttpHeaders } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type ConnectionLimits,
  endExcessiveSession,
  limitConnections,
  limitSmallFrames,
  nodeHttp,
  OpenRequests,
  oldSpaceBytes,
  placesOf,
} from '../../src/base/index.ts';
import type { Credentials } from '../auth/index.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { hasBody } from './has-body.ts';
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
/** Of a body that no one reads, what a client may send. */
const windowBytes = 65_535;
/** Of all open requests of HTTP/2: ten thousand watches and more. */
const maxOpenBytes = 256 * 1024 * 1024;
/** Of the heap, where it is small. */
const shareOfOpen = 1 / 8;
/** All clients of a laptop come from one address. */
const connectionLimits: ConnectionLimits = {
  maxConnections: 4_096,
  maxPerPeer: 4_096,
  firstRequestMs: headersTimeoutMs,
  // A client of this machine reads at once. Short: one that does not could otherwise hold its places by connecting again before they are taken.
  slowMs: 5_000,
  isLocal: true,
};

/** How many connections a server takes. */
export function connectionPlaces(): number {
  return placesOf(connectionLimits);
}

function track<T extends object>(
  open: Set<T>,
  item: T & { once(event: 'close', listener: () => void): unknown },
): void {
  open.add(item);
  item.once('close', () => open.delete(item));
}

/** What is open of a server. */
interface Open {
  readonly connections: Set<Socket>;
  /** Of connections whose TLS handshake has ended. */
  readonly sockets: Set<Socket>;
  readonly sessions: Set<ServerHttp2Session>;
}

function trackOpen(server: Http2SecureServer): Open {
  const open: Open = { connections: new Set(), sockets: new Set(), sessions: new Set() };
  server.on('connection', (socket: Socket) => track(open.connections, socket));
  server.on('secureConnection', (socket: Socket) => track(open.sockets, socket));
  server.on('session', (session) => {
    track(open.sessions, session);
    limitSmallFrames(session);
    session.on('error', () => session.destroy());
  });
  server.on('sessionError', (_error, session) => session.destroy());
  return open;
}

async function closeServer(server: Http2SecureServer, open: Open): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of open.sessions) session.close();
  const timer = setTimeout(() => {
    for (const session of open.sessions) session.destroy();
    for (const socket of open.sockets) socket.destroy();
    for (const socket of open.connections) socket.destroy();
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

/** The stream of a request of HTTP/2. */
function streamOf(request: HttpRequest): ServerHttp2Stream | undefined {
  return 'stream' in request ? (request.stream as ServerHttp2Stream) : undefined;
}

function sessionOf(request: HttpRequest): ServerHttp2Session | undefined {
  return streamOf(request)?.session as ServerHttp2Session | undefined;
}

/** Counts the open requests of connections of HTTP/2, and closes those that have too many; one of HTTP/1.1 has one. */
function countOpen({ isOfUser }: ListenAddress): (request: HttpRequest) => void {
  const open = new OpenRequests<ServerHttp2Session, HttpRequest>({
    maxBytes: Math.min(maxOpenBytes, Math.floor(oldSpaceBytes() * shareOfOpen)),
    windowBytes,
    isOfUser: (session, { headers }) => !session.destroyed && isOfUser(headers, session.socket as TLSSocket),
    close: endExcessiveSession,
  });
  return (request) => {
    const [stream, session] = [streamOf(request), sessionOf(request)];
    if (stream === undefined || session === undefined || stream.destroyed) return;
    stream.once('close', open.begin(session, request, !stream.endAfterHeaders));
  };
}

/** Lets connections take turns, and ends one on which more requests wait than a client may have at once. */
function inTurns(
  { isOfUser }: ListenAddress,
  handle: (request: HttpRequest, response: HttpResponse) => Promise<void>,
): (request: HttpRequest, response: HttpResponse) => void {
  const turns = new RequestTurns();
  return (request, response) => {
    const session = sessionOf(request);
    const answer = (): void => {
      if (!request.destroyed) void handle(request, response);
    };
    const isUser = (): boolean => isOfUser(request.headers, (session ?? request).socket as TLSSocket);
    if (turns.add(session ?? request.socket, answer, isUser)) return;
    if (session === undefined) request.socket.destroy();
    else endExcessiveSession(session);
  };
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether a request may change the protocol of its connection, besides port-forward. */
  readonly mayUpgrade?: (request: HttpRequest) => boolean;
  /** Whether a user makes a request. Where there are too many, connections of anonymous clients are closed first. */
  readonly isOfUser: (headers: IncomingHttpHeaders, socket: TLSSocket) => boolean;
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
    settings: { maxConcurrentStreams: 1000, initialWindowSize: windowBytes },
  });
  server.setTimeout(0);
  // Only HTTP/1.1 connections are parsed by node's http module and know this.
  Object.assign(server, {
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: 120_000,
    // The parser alone knows where a body ends: an upgrade with one is ignored, as RFC 9110 allows, and what follows is never taken for the body.
    shouldUpgradeCallback: (request: HttpRequest) =>
      !hasBody(request) && (isPortForward(request) || address.mayUpgrade?.(request) === true),
  });
  limitConnections(server, connectionLimits);
  const open = trackOpen(server);
  answerUpgrades(server);
  const take = inTurns(address, handle);
  const count = countOpen(address);
  server.on('request', (request, response) => {
    count(request as unknown as HttpRequest);
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
