import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { maxBytesOfClient, pacedFor, takeConnections } from './paced-connections.ts';

/** So many handshakes of a server TLS does by itself at a time. */
const maxDirect = 4;
/** How long one waits for its turn among these. */
const patienceMs = 200;
/** How long all connections are paced after a handshake that was too long. */
const cautiousMs = 60_000;
const ignore = (): void => undefined;

function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Which connections of a server TLS takes as they are, and which are paced: each byte of these costs more. Where all clients are ordinary, the first are all
 *  there are. What clients without end may cost is what a few handshakes do: after one that is too long, all connections are paced. */
class HandshakeGate {
  readonly #start: (connection: EventEmitter) => void;
  /** Handshakes that TLS does by itself, by address and port of the client. */
  readonly #direct = new Map<string, Socket>();
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();
  #cautiousUntilMs = Number.NEGATIVE_INFINITY;

  constructor(start: (connection: EventEmitter) => void) {
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
    this.#start(pacedFor(socket));
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

/** Has TLS read the sockets of a server itself, which takes half of the time, as long as no client sends too much until its handshake has ended. For servers
 *  that programs of this machine use: one that has its keys updated without end takes the time of others, as it may in other ways. */
export function paceLongHandshakes(server: EventEmitter): void {
  let gate: HandshakeGate | undefined;
  takeConnections(server, (socket, start) => {
    gate ??= new HandshakeGate(start);
    gate.take(socket);
  });
  server.prependListener('secureConnection', (socket: TLSSocket) => gate?.secured(socket));
}
