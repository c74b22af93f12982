import type { Socket } from 'node:net';

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
 *  cost more than a tenth of a millisecond each when the connection is closed. What waits stays with the client, once the buffers of the connection are full. */
export class PipelinedRequests {
  readonly #socket: Socket;
  readonly #openCount: () => number;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #read: (bytes: number) => void;
  #waiting: (Buffer | null)[] = [];
  #left = maxPipelined;
  #isTimed = false;

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

  #take(chunk: Buffer | null): boolean {
    this.#waiting.push(chunk);
    if (this.#waiting.length > 1) return false;
    return this.#pass();
  }

  /** Passes on what may be parsed now; whether there is room for more. */
  #pass(): boolean {
    let hasRoom = true;
    while (this.#waiting.length > 0) {
      const most = Math.min(this.#left, maxPipelined - this.#openCount());
      if (most <= 0) break;
      const chunk = this.#waiting.shift() ?? null;
      if (chunk === null) return this.#push(null);
      const { count, end } = headsIn(chunk, most);
      if (end < chunk.length) this.#waiting.unshift(chunk.subarray(end));
      this.#left -= count;
      hasRoom = this.#push(end < chunk.length ? chunk.subarray(0, end) : chunk);
    }
    if (this.#left < maxPipelined) this.#startTurn();
    return hasRoom && this.#waiting.length === 0;
  }

  #startTurn(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setImmediate(() => {
      this.#isTimed = false;
      this.#left = maxPipelined;
      if (this.#waiting.length === 0 || this.#socket.destroyed) return;
      if (this.#pass()) this.#read(0);
    });
  }
}
