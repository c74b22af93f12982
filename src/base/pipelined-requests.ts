import type { Socket } from 'node:net';
import { connectionTurns, type WaitingConnection } from './connection-turns.ts';

const headEnd = '\r\n\r\n';
/** Requests of one connection that are parsed in a turn of the event loop, and that may be open. Clients in use send one after the other. */
const maxPipelined = 4;

/** Where the last of so many heads ends, and how many there are. */
function headsIn(chunk: Buffer, most: number): { readonly count: number; readonly end: number } {
  let [count, end] = [0, 0];
  while (count < most) {
    const at = chunk.indexOf(headEnd, end);
    if (at === -1) return { count, end: chunk.length };
    count += 1;
    end = at + headEnd.length;
  }
  return { count, end };
}

/** Gives the parser of `node:http` what a client sends request by request: all that is read at once would become requests at once, thousands of them, which
 *  cost more than a tenth of a millisecond each when the connection is closed. Connections take turns, as a body may have a chunk in each six bytes, which
 *  costs a microsecond and hundreds of bytes. What waits stays with the client, once the buffers of the connection are full. */
export class PipelinedRequests implements WaitingConnection {
  readonly #socket: Socket;
  readonly #openCount: () => number;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #read: (bytes: number) => void;
  #waiting: (Buffer | null)[] = [];
  #left = maxPipelined;
  #isTimed = false;
  #hasRoom = true;
  lastMs = 0;

  /** For a connection that a server has just taken; `openCount` is how many of its requests are not answered yet. */
  constructor(socket: Socket, openCount: () => number) {
    this.#socket = socket;
    this.#openCount = openCount;
    this.#push = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#take(chunk);
    socket._read = (bytes) => {
      if (this.#waiting.length === 0) this.#read(bytes);
    };
    // Until anyone else listens, the parser reads past the socket.
    const listener = (): void => {};
    socket.on('data', listener).off('data', listener);
  }

  /** Is called when a request has been answered. */
  goOn(): void {
    if (this.#waiting.length > 0) this.#startTurn();
  }

  /** One whose bytes took little time when they last came. */
  get rank(): number {
    return this.lastMs;
  }

  /** Passes on what may be parsed now, and reads more if there is room for it. */
  pass(): void {
    if (this.#socket.destroyed) return;
    this.#passWaiting();
    if (this.#left < maxPipelined) this.#startTurn();
    if (this.#mayRead()) this.#read(0);
  }

  #take(chunk: Buffer | null): boolean {
    this.#waiting.push(chunk);
    if (this.#waiting.length === 1) connectionTurns.add(this);
    return this.#mayRead();
  }

  #mayRead(): boolean {
    return this.#hasRoom && this.#waiting.length === 0;
  }

  #passWaiting(): void {
    while (this.#waiting.length > 0) {
      const most = Math.min(this.#left, maxPipelined - this.#openCount());
      if (most <= 0) return;
      const chunk = this.#waiting.shift() ?? null;
      const { count, end } = chunk === null ? { count: 0, end: 0 } : headsIn(chunk, most);
      if (chunk !== null && end < chunk.length) this.#waiting.unshift(chunk.subarray(end));
      this.#left -= count;
      this.#hasRoom = this.#push(chunk?.subarray(0, end) ?? null);
    }
  }

  #startTurn(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setImmediate(() => {
      this.#isTimed = false;
      this.#left = maxPipelined;
      if (this.#waiting.length > 0) connectionTurns.add(this);
    });
  }
}
