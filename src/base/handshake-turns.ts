import { constants } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Agent } from 'node:https';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** What a client sends until its handshake has ended: its certificates have a few KiB. OpenSSL takes a hundred, and verifies each signature among
 *  them, also of certificates that no authority has issued: a third of a second for one connection. */
const maxBytesOfClient = 16 * 1024;
/** What a server sends: there are certificates for hundreds of names. */
const maxBytesOfServer = 32 * 1024;
/** So many handshakes of a server TLS does by itself at a time. */
const maxDirect = 4;
/** How long one waits for its turn among these. */
const patienceMs = 200;
/** How long all connections are paced after a handshake that was too long. */
const cautiousMs = 60_000;
/** How long handshakes may go on before others have a turn. */
const sliceMs = 10;

/** Handshakes of this process take turns: in each turn of the event loop they go on for ten milliseconds together, first the one with the least bytes. */
class HandshakeTurns {
  readonly #waiting = new Set<PacedConnection>();
  #leftMs = sliceMs;
  #isTimed = false;
  /** The one that gives TLS what it has received. */
  current: PacedConnection | undefined;

  add(connection: PacedConnection): void {
    this.#waiting.add(connection);
    this.#goOn();
  }

  #goOn(): void {
    this.#startTurn();
    while (this.#leftMs > 0) {
      const next = this.#least();
      if (next === undefined) return;
      this.#waiting.delete(next);
      const begunMs = performance.now();
      this.current = next;
      next.pass();
      this.current = undefined;
      this.#leftMs -= performance.now() - begunMs;
    }
  }

  #least(): PacedConnection | undefined {
    let least: PacedConnection | undefined;
    for (const one of this.#waiting) if (least === undefined || one.receivedBytes < least.receivedBytes) least = one;
    return least;
  }

  #startTurn(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setImmediate(() => {
      this.#isTimed = false;
      this.#leftMs = sliceMs;
      if (this.#waiting.size > 0) this.#goOn();
    });
  }
}

const turns = new HandshakeTurns();
const ignore = (): void => undefined;

/** A connection between its socket and TLS, which takes it for a stream: gives TLS what the other side sends in turns, until the handshake has ended. */
class PacedConnection extends EventEmitter {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  #waiting: Buffer | undefined;
  #passedBytes = 0;
  #isRead = false;
  #isSecure = false;

  constructor(socket: Socket, maxBytes: number) {
    super();
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    // TLS decides what the end of one direction means.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    socket.pause();
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => this.emit('end'));
    socket.once('close', () => this.emit('close'));
    socket.on('error', (error) => this.emit('error', error));
  }

  get receivedBytes(): number {
    return this.#passedBytes + (this.#waiting?.length ?? 0);
  }

  /** Gives TLS what waits; a client may send a request after the last message of its handshake at once. */
  pass(): void {
    const chunk = this.#waiting;
    this.#waiting = undefined;
    if (chunk === undefined || this.#socket.destroyed) return;
    const first = chunk.subarray(0, this.#maxBytes - this.#passedBytes);
    this.#passedBytes += first.length;
    this.emit('data', first);
    if (this.#isSecure) {
      if (first.length < chunk.length) this.emit('data', chunk.subarray(first.length));
    } else if (this.#passedBytes >= this.#maxBytes) this.#socket.destroy(new Error('the TLS handshake is too long'));
    this.#flow();
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
    if (this.#isSecure) {
      this.emit('data', chunk);
      return;
    }
    this.#waiting = chunk;
    this.#flow();
    turns.add(this);
  }

  #flow(): void {
    if (this.#isRead && this.#waiting === undefined) this.#socket.resume();
    else this.#socket.pause();
  }
}

function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Which connections of a server TLS takes as they are, and which are paced: each byte of these costs more. Where all clients are ordinary, the first are all
 *  there are. What clients without end may cost is what a few handshakes do: after one that is too long, all connections are paced. */
class HandshakeGate {
  readonly #start: (connection: unknown) => void;
  /** Handshakes that TLS does by itself, by address and port of the client. */
  readonly #direct = new Map<string, Socket>();
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();
  #cautiousUntilMs = Number.NEGATIVE_INFINITY;

  constructor(start: (connection: unknown) => void) {
    this.#start = start;
  }

  take(socket: Socket): void {
    if (performance.now() < this.#cautiousUntilMs) this.#pace(socket);
    else if (this.#direct.size < maxDirect) this.#let(socket);
    else this.#keep(socket);
  }

  /** The handshake of a connection has ended. */
  secured(secure: TLSSocket): void {
    const place = placeOf(secure);
    const socket = this.#direct.get(place);
    if (socket === undefined) return;
    // Some of the bytes may be a request: who has shown no certificate took no time.
    const isLong = socket.bytesRead > maxBytesOfClient && secure.getPeerX509Certificate() !== undefined;
    this.#end(place, isLong);
  }

  #keep(socket: Socket): void {
    const timer = setTimeout(() => this.#leave(socket, () => this.#pace(socket)), patienceMs);
    this.#waiting.set(socket, timer);
    socket.once('error', ignore);
    socket.once('close', () => this.#leave(socket, ignore));
  }

  #leave(socket: Socket, then: () => void): void {
    const timer = this.#waiting.get(socket);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#waiting.delete(socket);
    then();
  }

  #let(socket: Socket): void {
    const place = placeOf(socket);
    this.#direct.set(place, socket);
    socket.once('close', () => {
      if (this.#direct.get(place) === socket) this.#end(place, socket.bytesRead > maxBytesOfClient);
    });
    this.#start(socket);
  }

  #pace(socket: Socket): void {
    this.#start(new PacedConnection(socket, maxBytesOfClient));
  }

  #end(place: string, isLong: boolean): void {
    this.#direct.delete(place);
    if (isLong) {
      this.#cautiousUntilMs = performance.now() + cautiousMs;
      for (const socket of this.#waiting.keys()) this.#leave(socket, () => this.#pace(socket));
    }
    const [next] = this.#waiting.keys();
    if (next !== undefined) this.#leave(next, () => this.#let(next));
  }
}

/** Lets the handshakes of a server of TLS take turns, and limits what clients send until theirs has ended, once one has sent too much: for servers that ask
 *  for certificates, as verifying those is what takes long. */
export function paceHandshakes(server: EventEmitter): void {
  const secure = server.listeners('connection') as ((socket: unknown) => void)[];
  server.removeAllListeners('connection');
  const gate = new HandshakeGate((connection) => {
    for (const listener of secure) listener.call(server, connection);
  });
  server.on('connection', (socket: Socket) => gate.take(socket));
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    // While TLS is given the last message of a paced handshake.
    turns.current?.secure(socket);
    gate.secured(socket);
  });
}

/** Of a context of TLS: a server cannot have its certificates verified again and again. */
export const withoutRenegotiation: { readonly secureOptions: number } = {
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** The same for the connections that an agent makes, to servers whose certificates are not known yet. */
export function paceHandshakesOf(agent: Agent): Agent {
  const connectSecurely = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const { path: _path, ...address } = options as TcpNetConnectOpts & { readonly path?: unknown };
    const connection = new PacedConnection(connect(address), maxBytesOfServer);
    const made = connectSecurely(
      { ...options, ...withoutRenegotiation, socket: connection } as unknown as typeof options,
      callback,
    );
    const secure = made as TLSSocket;
    secure.once('secureConnect', () => connection.secure(secure));
    return made;
  };
  return agent;
}
