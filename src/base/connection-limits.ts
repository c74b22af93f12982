import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { paceLongHandshakes } from './handshake-gate.ts';
import { nodeHttp } from './node-http.ts';
import { openFileLimit } from './open-files.ts';
import { paceConnections } from './paced-connections.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import { isRecognized } from './recognized-connections.ts';

/** How many connections a server keeps open, and for how long it waits for a request on a new one. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one address (IPv6: one /64 network). */
  readonly maxPerPeer: number;
  /** From accept, TLS handshake included, until the headers of the first request have arrived; absent: no limit. */
  readonly firstRequestMs?: number;
  /** From the headers of any request, its body included, until the end of its response; absent: no limit. */
  readonly requestMs?: number;
  /** In which a response that waits for its client has to get on; where there is no room, one that does not is closed for a new connection. Absent: responses never are. */
  readonly slowMs?: number;
  /** Whether its clients are programs of this machine, for which speed counts more. Default false. */
  readonly isLocal?: boolean;
}

/** Of a limit: more idle connections with a successful request make room before new ones. Otherwise one client could hold all places with these. */
const provenShare = 3 / 4;
/** Less than this in a second does not count as getting on. */
const slowBytesPerSecond = 16 * 1024;

/** What is read of a request: one of `node:http` or of `node:http2`. */
export interface LimitedRequest extends EventEmitter {
  readonly complete: boolean;
  readonly socket: Pick<Socket, 'remoteAddress' | 'remotePort'>;
  /** Of HTTP/2. */
  readonly stream?: { readonly endAfterHeaders: boolean };
}

interface Response extends EventEmitter {
  readonly statusCode: number;
  /** What waits for the client, in bytes. */
  readonly writableLength: number;
}

interface Answer {
  readonly response: Response;
  /** Whether any of it waited for the client when the connection was last measured. */
  wasUnread: boolean;
  isSlow: boolean;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  readonly requests: Map<LimitedRequest, Answer>;
  /** Of HTTP/1.1. */
  pipelined?: PipelinedRequests;
  /** Bytes that it had transferred when it was last measured. */
  transferred: number;
  /** Whether a request on it has succeeded: it was not opened only to occupy a slot. */
  isProven: boolean;
  hasRequested: boolean;
  /** Grows with every use: the least is the oldest. */
  usedAt: number;
}

/** An IPv4 address, or the /64 network of an IPv6 address, which is how many one client may have. */
export function peerOf(address: string): string {
  const v4 = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (!v4.includes(':')) return v4;
  const [head = '', tail] = v4.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
}

function keyOf({ remoteAddress = '', remotePort = 0 }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}

/** For node:http2 a request is complete once its body was read, also where it has none. */
function hasArrived({ complete, stream }: LimitedRequest): boolean {
  return complete || stream?.endAfterHeaders === true;
}

/** A request that has arrived in full is answered, whatever else comes, unless its client does not read. */
function isAnswering({ requests }: Connection): boolean {
  for (const [request, { isSlow }] of requests) if (hasArrived(request) && !isSlow) return true;
  return false;
}

/** Notes which responses wait for their client, and have not got on since they were last measured; a watch without events waits for the server. */
function measure(connection: Connection, leastBytes: number): void {
  const { bytesRead, bytesWritten } = connection.socket;
  const isSlow = bytesRead + bytesWritten - connection.transferred < leastBytes;
  connection.transferred = bytesRead + bytesWritten;
  for (const answer of connection.requests.values()) {
    const isUnread = answer.response.writableLength > 0;
    answer.isSlow = isSlow && isUnread && answer.wasUnread;
    answer.wasUnread = isUnread;
  }
}

class ConnectionTable {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, Connection>();
  readonly #perPeer = new Map<string, number>();
  #uses = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  admit(socket: Socket): void {
    if (isRecognized(socket)) return;
    const key = keyOf(socket);
    const peer = peerOf(socket.remoteAddress ?? '');
    if (!this.#hasRoomFor(peer)) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      peer,
      requests: new Map(),
      transferred: 0,
      isProven: false,
      hasRequested: false,
      usedAt: this.#nextUse(),
    };
    this.#open.set(key, connection);
    this.#perPeer.set(peer, this.#countOf(peer) + 1);
    const { firstRequestMs } = this.#limits;
    const end = (): void => {
      if (!connection.hasRequested) socket.destroy();
    };
    const timer = firstRequestMs === undefined ? undefined : setTimeout(end, firstRequestMs);
    timer?.unref();
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#open.get(key) === connection) this.#remove(key, connection);
    });
  }

  /** For connections of HTTP/1.1, over TLS once they are secure. */
  pipeline(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection === undefined) return;
    connection.pipelined = new PipelinedRequests(socket, () => connection.requests.size);
  }

  begin(request: LimitedRequest, response: Response): void {
    const connection = this.#open.get(keyOf(request.socket));
    if (connection === undefined) return;
    connection.requests.set(request, { response, wasUnread: false, isSlow: false });
    connection.hasRequested = true;
    const { requestMs } = this.#limits;
    const timer = requestMs === undefined ? undefined : setTimeout(() => connection.socket.destroy(), requestMs);
    timer?.unref();
    response.once('finish', () => {
      if (response.statusCode < 400) connection.isProven = true;
    });
    response.once('close', () => {
      clearTimeout(timer);
      connection.requests.delete(request);
      connection.usedAt = this.#nextUse();
      connection.pipelined?.goOn();
    });
  }

  measure(): void {
    const { slowMs = 0 } = this.#limits;
    for (const connection of this.#open.values()) measure(connection, (slowBytesPerSecond * slowMs) / 1000);
  }

  #nextUse(): number {
    this.#uses += 1;
    return this.#uses;
  }

  /** Makes room when there is none. */
  #hasRoomFor(peer: string): boolean {
    const { maxConnections, maxPerPeer } = this.#limits;
    if (this.#countOf(peer) >= maxPerPeer) return this.#evict(maxPerPeer, (connection) => connection.peer === peer);
    return this.#open.size < maxConnections || this.#evict(maxConnections, () => true);
  }

  /** Closes a connection without a successful request first, unless too many others are idle; of the peer with the most. */
  #evict(limit: number, isCandidate: (connection: Connection) => boolean): boolean {
    const waiting = [...this.#open].filter(([, one]) => isCandidate(one) && !isAnswering(one));
    const proven = waiting.filter(([, { isProven }]) => isProven);
    const isProvenNext = proven.length > limit * provenShare || proven.length === waiting.length;
    const [first, ...others] = isProvenNext ? proven : waiting.filter(([, { isProven }]) => !isProven);
    if (first === undefined) return false;
    const chosen = others.reduce((least, entry) => (this.#goesBefore(entry[1], least[1]) ? entry : least), first);
    this.#remove(...chosen);
    chosen[1].socket.destroy();
    return true;
  }

  #goesBefore(one: Connection, other: Connection): boolean {
    const more = this.#countOf(one.peer) - this.#countOf(other.peer);
    return more === 0 ? one.usedAt < other.usedAt : more > 0;
  }

  #remove(key: string, { peer }: Connection): void {
    this.#open.delete(key);
    const left = this.#countOf(peer) - 1;
    if (left > 0) this.#perPeer.set(peer, left);
    else this.#perPeer.delete(peer);
  }

  #countOf(peer: string): number {
    return this.#perPeer.get(peer) ?? 0;
  }
}

/** A process has up to five servers, and connections and files of its own. */
const shareOfFiles = 1 / 6;

/** Where all files that a process may open are connections, not even the table can make room: they are refused before it sees them. */
function within(limits: ConnectionLimits, openFiles: number): ConnectionLimits {
  const most = Math.max(1, Math.floor(openFiles * shareOfFiles));
  if (limits.maxConnections <= most) return limits;
  const perPeer = Math.ceil((limits.maxPerPeer / limits.maxConnections) * most);
  return { ...limits, maxConnections: most, maxPerPeer: perPeer };
}

/** How many connections a server with these limits takes. */
export function placesOf(limits: ConnectionLimits): number {
  return within(limits, openFileLimit()).maxConnections;
}

/** Bounds the connections of a server of `node:http`, `node:https` or `node:http2`, or of another one that emits `connection` and `request` as these do. Where a limit is reached, a new connection takes the place of one
 *  that waits: first of those on which no request has succeeded yet, then of idle ones, which go first where they have more than three quarters of the places;
 *  of the peer with the most the oldest. A connection on which a
 *  request is being answered is never closed for another, unless its client reads too slowly; when there are no others, the new one is.
 *  Connections that this process makes to its own servers are not counted. No server takes more than a sixth of the files that the process may open. Of HTTP/1.1, requests are parsed as they are answered. What TLS and the
 *  parser of HTTP/1.1 do with what clients send takes turns. */
export function limitConnections(
  server: EventEmitter,
  limits: ConnectionLimits,
  openFiles: number = openFileLimit(),
): void {
  const table = new ConnectionTable(within(limits, openFiles));
  // Those of TLS alone have it.
  if ('requestCert' in server) (limits.isLocal === true ? paceLongHandshakes : paceConnections)(server);
  if (limits.slowMs !== undefined) {
    const timer = setInterval(() => table.measure(), limits.slowMs);
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }
  server.prependListener('connection', (socket: Socket) => table.admit(socket));
  if (server instanceof nodeHttp().Server) server.on('connection', (socket: Socket) => table.pipeline(socket));
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') table.pipeline(socket);
  });
  server.on('request', (request: LimitedRequest, response: Response) => table.begin(request, response));
}
