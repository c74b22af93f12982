import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { connectionTurns, pieceBytes, type WaitingConnection } from './connection-turns.ts';

/** Gives the parser of `node:http` what a server sends in turns: node reads up to two megabytes of a connection at once, in which there may be hundreds of
 *  thousands of chunks, or of answers before the answer. */
class PacedAnswers implements WaitingConnection {
  readonly #socket: Socket;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #read: (bytes: number) => void;
  #waiting: (Buffer | null)[] = [];
  lastMs = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#push = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#take(chunk);
    socket._read = (bytes) => {
      if (this.#waiting.length === 0) this.#read(bytes);
    };
  }

  /** One whose bytes took little time when they last came. */
  get rank(): number {
    return this.lastMs;
  }

  /** Passes on a piece, and reads more when there is room for it. */
  pass(): void {
    const chunk = this.#waiting.shift();
    if (chunk === undefined || this.#socket.destroyed) return;
    if (chunk !== null && chunk.length > pieceBytes) this.#waiting.unshift(chunk.subarray(pieceBytes));
    const hasRoom = this.#push(chunk?.subarray(0, pieceBytes) ?? null);
    if (this.#waiting.length > 0) connectionTurns.addRest(this);
    else if (hasRoom && chunk !== null) this.#read(0);
  }

  /** False: nothing more is read before this has had its turn. */
  #take(chunk: Buffer | null): boolean {
    this.#waiting.push(chunk);
    if (this.#waiting.length === 1) connectionTurns.add(this);
    return false;
  }
}

/** Lets the connections without TLS that an agent makes take turns, as `paceConnectionsOf` does for those with it. */
export function pacePlainConnectionsOf(agent: Agent): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const made = connect(options, callback);
    if (made !== undefined && made !== null) new PacedAnswers(made as Socket);
    return made;
  };
  return agent;
}
