import { EventEmitter } from 'node:events';
import type { Http2Server, Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import {
  type ConnectionLimits,
  endExcessiveSession,
  type LimitedRequest,
  limitConnections,
  limitSmallFrames,
  OpenRequests,
} from '../../base/index.ts';
import type { GrpcCall } from './grpc-call.ts';

/** Clients open a connection long before their first call, so there is no deadline for that: where room is needed, connections without a call are
 *  closed first. */
const connectionLimits: ConnectionLimits = { maxConnections: 256, maxPerPeer: 64, slowMs: 60_000 };
const keepaliveMs = 60_000;
const keepaliveTimeoutMs = 20_000;
/** Of all open calls: more than a thousand. */
const maxOpenBytes = 128 * 1024 * 1024;
/** Of a request that has not arrived in full. */
const windowBytes = 65_535;
const noPeer: LimitedRequest['socket'] = { remoteAddress: undefined, remotePort: undefined };

interface OpenCall {
  readonly call: GrpcCall;
  readonly rawHeaders: readonly string[];
}

/** Closes the session when its client does not respond to a ping. */
function keepAlive(session: ServerHttp2Session): void {
  let late: NodeJS.Timeout | undefined;
  const ping = (): void => {
    late = setTimeout(() => session.destroy(), keepaliveTimeoutMs);
    if (!session.destroyed) session.ping(() => clearTimeout(late));
  };
  const timer = setInterval(ping, keepaliveMs);
  session.once('close', () => {
    clearInterval(timer);
    clearTimeout(late);
  });
}

/** The connections of a server: bounded as those of HTTP servers, kept alive, closed together. */
export class GrpcConnections {
  readonly #peers = new Map<Http2Session, LimitedRequest['socket']>();
  /** Apart from the server: a listener for `request` on it would make node:http2 build a request object for each call. */
  readonly #events = new EventEmitter();
  readonly #open = new OpenRequests<Http2Session, OpenCall>({
    maxBytes: maxOpenBytes,
    windowBytes,
    isOfUser: () => false,
    close: (session, calls) => {
      // The timer of a stream that was destroyed with its session would keep its headers.
      for (const { call } of calls) call.stream.setTimeout(0);
      endExcessiveSession(session);
    },
  });

  constructor(server: Http2Server) {
    limitConnections(this.#events, connectionLimits);
    server.prependListener('connection', (socket: Socket) => {
      socket.setNoDelay(true);
      this.#events.emit('connection', socket);
    });
    server.on('session', (session) => {
      limitSmallFrames(session);
      this.#add(session);
    });
  }

  /** The address of the client of a session. */
  peerOf(session: Http2Session | undefined): LimitedRequest['socket'] {
    return (session === undefined ? undefined : this.#peers.get(session)) ?? noPeer;
  }

  /** Counts a call as a request of its connection, which is closed when all calls are too many, and most of them its own. */
  count(call: GrpcCall, rawHeaders: readonly string[]): void {
    this.#events.emit('request', call, call);
    const { session, endAfterHeaders } = call.stream;
    if (session !== undefined) call.once('close', this.#open.begin(session, { call, rawHeaders }, !endAfterHeaders));
  }

  /** Lets calls end for up to `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    const sessions = [...this.#peers.keys()];
    const late = setTimeout(() => {
      for (const session of sessions) session.destroy();
    }, deadlineMs);
    await Promise.all(
      sessions.map((session) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        session.once('close', resolve);
        session.close();
        return promise;
      }),
    );
    clearTimeout(late);
    this.#events.emit('close');
  }

  #add(session: ServerHttp2Session): void {
    const { remoteAddress, remotePort } = session.socket;
    this.#peers.set(session, { remoteAddress, remotePort });
    session.once('close', () => this.#peers.delete(session));
    keepAlive(session);
  }
}
