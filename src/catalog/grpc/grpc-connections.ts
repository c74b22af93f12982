import { EventEmitter } from 'node:events';
import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type ConnectionLimits, type LimitedRequest, limitConnections } from '../../base/index.ts';

/** Clients open a connection long before their first call, so there is no deadline for that: where room is needed, connections without a call are
 *  closed first. */
const connectionLimits: ConnectionLimits = { maxConnections: 256, maxPerPeer: 64, slowMs: 60_000 };

/** A call as a request of `node:http2`. */
class CountedCall extends EventEmitter implements LimitedRequest {
  complete = false;
  headersSent = false;
  readonly socket: LimitedRequest['socket'];
  statusCode = 200;

  constructor(peer: string) {
    super();
    const at = peer.lastIndexOf(':');
    this.socket = { remoteAddress: peer.slice(0, at), remotePort: Number(peer.slice(at + 1)) };
  }

  end(code: status | undefined): void {
    this.statusCode = code === status.OK ? 200 : 500;
    if (code !== undefined) this.emit('finish');
    this.emit('close');
  }
}

/** Bounds the connections that `listener` accepts, by its event `connection`, as those of HTTP servers; the interceptor counts their calls. */
export function limitGrpcConnections(listener: EventEmitter): ServerInterceptor {
  limitConnections(listener, connectionLimits);
  return ({ path }, call) => {
    // A watch of health lasts as long as its client likes: it does not keep its connection from being closed for others.
    const isWatch = path === '/grpc.health.v1.Health/Watch';
    const counted = new CountedCall(call.getPeer());
    listener.emit('request', counted, counted);
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveHalfClose: (ended) => {
            counted.complete = !isWatch;
            ended();
          },
          onCancel: () => counted.end(undefined),
        });
      },
      sendMessage: (message, next) => {
        counted.headersSent = true;
        next(message);
      },
      sendStatus: (sent, next) => {
        counted.end(sent.code);
        next(sent);
      },
    });
  };
}
