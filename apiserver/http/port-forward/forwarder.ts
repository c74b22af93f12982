import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorMessage } from '../../../src/base/index.ts';
import type { LocalAddress } from './pod-ports.ts';
import type { PortForwardLimits } from './port-forward-limits.ts';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyHeaders } from './spdy-headers.ts';
import type { SpdyStream } from './spdy-stream.ts';

const maxStreams = 256;
/** As long as a kubelet keeps them. */
const idleMs = 4 * 60 * 60_000;
/** From the first stream of a pair until the second. */
const pairMs = 30_000;

/** What a tunnel leads to. */
export interface TunnelTarget {
  readonly pod: { readonly name: string; readonly uid: string };
  /** Where a port of the pod is, as of now.
   *  @throws Error with the reason why nothing listens */
  readonly addressOf: (port: number) => LocalAddress;
  readonly limits: PortForwardLimits;
  /** Ends the tunnel. */
  readonly signal: AbortSignal;
}

/** A client opens two streams for each connection: one for its data, one on which it reads what went wrong. */
interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
  readonly timer: NodeJS.Timeout;
}

function portOf(headers: SpdyHeaders): number {
  const text = headers.get('port') ?? '';
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}

function isPortStream(headers: SpdyHeaders): boolean {
  const port = portOf(headers);
  return port > 0 && port < 65_536 && ['data', 'error'].includes(headers.get('streamtype') ?? '');
}

class Tunnel {
  readonly #target: TunnelTarget;
  readonly #pairs = new Map<string, Pair>();

  constructor(target: TunnelTarget) {
    this.#target = target;
  }

  readonly add = (stream: SpdyStream): void => {
    const type = stream.headers.get('streamtype') === 'data' ? 'data' : 'error';
    // Clients that number no requests open the data stream right after the error stream.
    const request = stream.headers.get('requestid') ?? `stream ${type === 'data' ? stream.id - 2 : stream.id}`;
    const pair = this.#pairs.get(request) ?? this.#begin(request);
    if (pair[type] !== undefined) {
      stream.destroy();
      return;
    }
    pair[type] = stream;
    const { data, error } = pair;
    if (data === undefined || error === undefined) return;
    this.#remove(request, pair);
    this.#forward(data, error);
  };

  end(): void {
    for (const [request, pair] of this.#pairs) this.#remove(request, pair);
  }

  #begin(request: string): Pair {
    const timer = setTimeout(() => {
      this.#pairs.delete(request);
      pair.error?.end(`request ${request}: timed out waiting for its streams`);
      pair.data?.destroy();
    }, pairMs).unref();
    const pair: Pair = { timer };
    this.#pairs.set(request, pair);
    return pair;
  }

  #remove(request: string, { timer }: Pair): void {
    clearTimeout(timer);
    this.#pairs.delete(request);
  }

  #forward(data: SpdyStream, error: SpdyStream): void {
    const { pod, addressOf, limits } = this.#target;
    const port = portOf(data.headers);
    error.resume(); // the client sends nothing on it
    const fail = (thrown: unknown): void => {
      if (error.writable) {
        error.end(`error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${errorMessage(thrown)}`);
      }
      data.destroy();
    };
    try {
      const address = addressOf(port);
      const counted = limits.beginConnection();
      if (counted === undefined) throw new Error('too many connections are forwarded: close some');
      join(data, address, fail).on('close', () => {
        counted[Symbol.dispose]();
        if (error.writable) error.end();
      });
    } catch (thrown) {
      fail(thrown);
    }
  }
}

/** Connects a stream to an address, both ways, until both sides have ended or one fails. */
function join(data: SpdyStream, address: LocalAddress, fail: (thrown: unknown) => void): Duplex {
  const socket = connect({ host: address.host, port: address.port });
  socket.on('error', fail);
  // The bytes that the client has sent before it ended the stream still arrive.
  data.on('close', () => socket.destroySoon());
  data.pipe(socket).pipe(data);
  socket.on('close', () => {
    // A client that goes on sending has a reader, or its connection would be held up.
    data.unpipe(socket);
    data.resume();
    if (data.writable) data.end();
  });
  return socket;
}

/** Serves one client of `portforward.k8s.io` over SPDY/3.1 until its connection ends; never rejects. */
export async function serveTunnel(transport: Duplex, target: TunnelTarget): Promise<void> {
  const tunnel = new Tunnel(target);
  const connection = new SpdyConnection(transport, { maxStreams, idleMs, accepts: isPortStream, onStream: tunnel.add });
  const close = (): void => connection.close();
  target.signal.addEventListener('abort', close, { once: true });
  try {
    await connection.run();
  } finally {
    target.signal.removeEventListener('abort', close);
    tunnel.end();
  }
}
