import { constants } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Agent } from 'node:https';
import { connect, isIPv6, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connectionTurns, pieceBytes, type WaitingConnection } from './connection-turns.ts';
import { openTunnel, type TunnelProxy } from './proxy-tunnel.ts';
import { makeRecognized } from './recognized-connections.ts';

/** What a client sends until its handshake has ended: its certificates have a few KiB. OpenSSL takes a hundred, and verifies each signature among
 *  them, also of certificates that no authority has issued: a third of a second for one connection. */
export const maxBytesOfClient: number = 16 * 1024;
/** What a server sends: there are certificates for hundreds of names. */
const maxBytesOfServer = 32 * 1024;
/** Starts TLS on a connection. */
type Start = (connection: EventEmitter) => void;

/** Ends the handshake of the connection that gives TLS what it has received. */
let secureCurrent: ((secure: TLSSocket) => void) | undefined;

/** A connection between its socket and TLS, which takes it for a stream: gives TLS what the other side sends in turns. */
class PacedConnection extends EventEmitter implements WaitingConnection {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  #waiting: Buffer | undefined;
  #passedBytes = 0;
  #isRead = false;
  #isEnded = false;
  #isSecure = false;
  lastMs = 0;

  constructor(socket: Socket, maxBytes: number) {
    super();
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    // TLS decides what the end of one direction means.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    socket.pause();
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => {
      this.#isEnded = true;
      this.#end();
    });
    socket.once('close', () => this.emit('close'));
    socket.on('error', (error) => this.emit('error', error));
  }

  /** The least goes first: one with few KiB of a handshake, or whose bytes took little time when they last came. */
  get rank(): number {
    return this.#isSecure ? this.lastMs : (this.#passedBytes + (this.#waiting?.length ?? 0)) / 1024;
  }

  /** Gives TLS a piece of what waits; a client may send a request after the last message of its handshake at once. */
  pass(): void {
    const chunk = this.#waiting;
    this.#waiting = undefined;
    if (chunk === undefined || this.#socket.destroyed) return;
    if (chunk.length > pieceBytes) this.#waiting = chunk.subarray(pieceBytes);
    const piece = chunk.subarray(0, pieceBytes);
    secureCurrent = (secure) => this.secure(secure);
    if (this.#isSecure) this.emit('data', piece);
    else this.#passHandshake(piece);
    secureCurrent = undefined;
    if (this.#waiting !== undefined) connectionTurns.addRest(this);
    this.#flow();
    this.#end();
  }

  /** A socket without anything to read ends while it is paused, too: not before what waits here has been passed on. */
  #end(): void {
    if (!this.#isEnded || this.#waiting !== undefined) return;
    this.#isEnded = false;
    this.emit('end');
  }

  #passHandshake(chunk: Buffer): void {
    const first = chunk.subarray(0, this.#maxBytes - this.#passedBytes);
    this.#passedBytes += first.length;
    this.emit('data', first);
    if (this.#isSecure) {
      if (first.length < chunk.length) this.emit('data', chunk.subarray(first.length));
    } else if (this.#passedBytes >= this.#maxBytes) {
      const text = `the TLS handshake is longer than ${this.#maxBytes / 1024} KiB: the other side shows too many, or too large certificates`;
      this.#socket.destroy(new Error(text));
    }
  }

  pause(): void {
    this.#isRead = false;
    this.#flow();
  }

  resume(): void {
    this.#isRead = true;
    this.#flow();
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  write(chunk: Buffer, done: (error?: Error | null) => void): boolean {
    return this.#socket.write(chunk, done);
  }

  end(done?: () => void): void {
    this.#socket.end(done);
  }

  destroy(error?: Error): void {
    this.#socket.destroy(error);
  }

  /** Its handshake has ended. Shows what TLS does not know of a connection that it takes for a stream. */
  secure(secure: TLSSocket): void {
    this.#isSecure = true;
    const { remoteAddress, remotePort, remoteFamily, localAddress, localPort, localFamily } = this.#socket;
    const shown = { remoteAddress, remotePort, remoteFamily, localAddress, localPort, localFamily };
    for (const [name, value] of Object.entries(shown)) Object.defineProperty(secure, name, { value });
    secure.setKeepAlive = (...options: unknown[]) => {
      this.#socket.setKeepAlive(...(options as [boolean, number]));
      return secure;
    };
  }

  #take(chunk: Buffer): void {
    this.#waiting = chunk;
    connectionTurns.add(this);
    if (this.#waiting !== undefined) this.#flow();
  }

  #flow(): void {
    if (this.#isRead && this.#waiting === undefined) this.#socket.resume();
    else this.#socket.pause();
  }
}

/** Lets what TLS does for a server take turns, and limits what clients send until their handshake has ended. Afterwards a client may have its keys updated
 *  by each 26 bytes, or send frames of ten: node reads two megabytes of a connection at once, and without turns one would take all of the time. Each byte costs
 *  more than where TLS reads the socket itself. */
export function paceConnections(server: EventEmitter): void {
  takeConnections(server, (socket, start) => start(pacedFor(socket)));
}

/** Has `take` decide when TLS starts on a connection of a server, and whether on the socket or on a paced connection. */
export function takeConnections(server: EventEmitter, take: (socket: Socket, start: Start) => void): void {
  const secure = server.listeners('connection') as ((socket: unknown) => void)[];
  server.removeAllListeners('connection');
  const start = (connection: unknown): void => {
    for (const listener of secure) listener.call(server, connection);
  };
  server.on('connection', (socket: Socket) => take(socket, start));
  // While TLS is given the last message of the handshake.
  server.prependListener('secureConnection', (socket: TLSSocket) => secureCurrent?.(socket));
}

/** A connection of a client, paced. */
export function pacedFor(socket: Socket): EventEmitter {
  return new PacedConnection(socket, maxBytesOfClient);
}

/** Of a context of TLS: a server cannot have its certificates verified again and again. */
export const withoutRenegotiation: { readonly secureOptions: number } = {
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** What an agent is asked to connect to. */
type AgentConnection = TcpNetConnectOpts & { readonly host: string; readonly path?: unknown };

/** How an agent makes its connections. */
export interface PacedAgentOptions {
  readonly proxy?: TunnelProxy | undefined;
  /** Whether servers of this process recognize them, and never close one to make room. Default false. */
  readonly isRecognized?: boolean;
}

/** The same for the connections that an agent makes, to servers whose certificates are not known yet. */
export function paceConnectionsOf(agent: Agent, { proxy, isRecognized = false }: PacedAgentOptions = {}): Agent {
  const connectSecurely = agent.createConnection.bind(agent);
  const secure = (socket: Socket, options: AgentConnection): TLSSocket => {
    const connection = new PacedConnection(socket, maxBytesOfServer);
    const made = connectSecurely({ ...options, ...withoutRenegotiation, socket: connection } as object) as TLSSocket;
    made.once('secureConnect', () => connection.secure(made));
    return made;
  };
  agent.createConnection = (given, callback) => {
    const { path: _path, ...options } = given as AgentConnection;
    if (proxy === undefined) {
      const socket = connect(options);
      return secure(isRecognized ? makeRecognized(socket, options.port) : socket, options);
    }
    const done = callback as (error: Error | null, made?: TLSSocket) => void;
    const host = isIPv6(options.host) ? `[${options.host}]` : options.host;
    openTunnel(`${host}:${options.port}`, proxy, options.signal).then(
      (socket) => done(null, secure(socket, options)),
      (thrown: Error) => done(thrown),
    );
    return undefined;
  };
  return agent;
}
