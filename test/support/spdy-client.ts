import { once } from 'node:events';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { createDeflate } from 'node:zlib';
import { createWebSocketStream, WebSocket } from 'ws';
import {
  controlFrame,
  dataHead,
  frameTypes,
  readFrames,
  words,
} from '../../apiserver/http/port-forward/spdy-frames.ts';
import { spdyDictionary } from '../../apiserver/http/port-forward/spdy-headers.ts';

const tunnelledProtocol = 'SPDY/3.1+portforward.k8s.io';

/** How a client reaches the API server. */
export interface PortForwardTarget {
  /** Of the pod: `https://127.0.0.1:6443/api/v1/namespaces/default/pods/web/portforward` */
  readonly url: string;
  readonly token: string;
  /** Whom the admin of the token impersonates. */
  readonly as?: string;
}

function identityOf({ token, as }: PortForwardTarget): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...(as === undefined ? {} : { 'impersonate-user': as }) };
}

/** One forwarded connection: what came on its two streams. */
export interface Forwarded {
  readonly dataId: number;
  data: Buffer;
  error: string;
  /** Frames that ended streams: `data fin`, `error fin`, `data reset`. */
  readonly ends: string[];
}

/** A client of `portforward.k8s.io` as kubectl is one, with every frame in the test's hand. */
export class SpdyClient implements Disposable {
  readonly transport: Duplex;
  readonly pings: number[] = [];
  readonly refused: number[] = [];
  goAway: number | undefined;
  readonly #deflate = createDeflate({ dictionary: spdyDictionary });
  readonly #streams = new Map<number, { readonly type: 'data' | 'error'; readonly of: Forwarded }>();
  #nextId = 1;
  #mayRead: Promise<void> = Promise.resolve();

  constructor(transport: Duplex) {
    this.transport = transport;
    transport.on('error', () => transport.destroy());
    void this.#read().catch(() => transport.destroy());
  }

  /** Compresses a header block; blocks of a connection must be sent in this order. */
  async compress(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    const text = (value: string): Buffer[] => [words(Buffer.byteLength(value)), Buffer.from(value)];
    const entries = Object.entries(headers).flatMap(([name, value]) => [...text(name), ...text(value)]);
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer): unknown => chunks.push(chunk);
    this.#deflate.on('data', collect);
    this.#deflate.write(Buffer.concat([words(Object.keys(headers).length), ...entries]));
    await new Promise<void>((resolve) => {
      this.#deflate.flush(() => resolve());
    });
    this.#deflate.off('data', collect);
    return Buffer.concat(chunks);
  }

  /** Opens a stream with any headers; its id. */
  async openStream(headers: Readonly<Record<string, string>>): Promise<number> {
    const id = this.#nextId;
    this.#nextId += 2;
    const block = await this.compress(headers);
    this.transport.write(controlFrame(frameTypes.synStream, Buffer.concat([words(id, 0), Buffer.from([0, 0]), block])));
    return id;
  }

  /** Opens the two streams of a connection to a port. */
  async open(port: number): Promise<Forwarded> {
    const headers = { port: String(port), requestid: String(this.#nextId) };
    const errorId = await this.openStream({ ...headers, streamtype: 'error' });
    const of: Forwarded = { dataId: errorId + 2, data: Buffer.alloc(0), error: '', ends: [] };
    this.#streams.set(errorId, { type: 'error', of });
    this.#streams.set(of.dataId, { type: 'data', of });
    this.transport.write(dataHead(errorId, 0, true));
    await this.openStream({ ...headers, streamtype: 'data' });
    return of;
  }

  send({ dataId }: Forwarded, bytes: Buffer, isLast = false): void {
    this.transport.write(Buffer.concat([dataHead(dataId, bytes.length, isLast), bytes]));
  }

  /** From now on nothing that arrives is read. */
  stopReading(): void {
    this.#mayRead = new Promise(() => {});
  }

  ping(id: number): void {
    this.transport.write(controlFrame(frameTypes.ping, words(id)));
  }

  [Symbol.dispose](): void {
    this.transport.destroy();
  }

  async #read(): Promise<void> {
    for await (const frame of readFrames(this.transport)) {
      await this.#mayRead;
      if (frame.kind === 'data') {
        this.#take(frame.streamId, frame.bytes, frame.isLast);
        continue;
      }
      const first = frame.payload.readUInt32BE(0);
      if (frame.type === frameTypes.ping) this.pings.push(first);
      if (frame.type === frameTypes.goAway) this.goAway = frame.payload.readUInt32BE(4);
      if (frame.type === frameTypes.rstStream) this.#takeReset(first);
    }
  }

  #take(streamId: number, bytes: Buffer, isLast: boolean): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    const { type, of } = stream;
    if (type === 'data') of.data = Buffer.concat([of.data, bytes]);
    else of.error += bytes.toString();
    if (isLast) of.ends.push(`${type} fin`);
  }

  #takeReset(streamId: number): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) this.refused.push(streamId);
    else stream.of.ends.push(`${stream.type} reset`);
  }
}

/** As clients before kubectl 1.31 connect.
 *  @throws Error with status and body when the server does not upgrade */
export async function connectSpdy(target: PortForwardTarget, method = 'POST'): Promise<SpdyClient> {
  const headers = {
    ...identityOf(target),
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'portforward.k8s.io',
  };
  const sent = request(target.url, { method, headers, rejectUnauthorized: false, agent: false });
  sent.end();
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  sent.once('upgrade', (_response, socket) => resolve(socket));
  sent.once('error', reject);
  sent.once('response', (response) => {
    void response
      .toArray()
      .then((parts) => reject(new Error(`${response.statusCode} ${Buffer.concat(parts).toString()}`)));
  });
  return new SpdyClient(await promise);
}

/** As kubectl connects from 1.31 on. */
export async function connectWebSocket(target: PortForwardTarget): Promise<SpdyClient> {
  const header = 'sec-websocket-protocol';
  const socket = new WebSocket(target.url.replace(/^https/, 'wss'), {
    headers: { ...identityOf(target), [header]: tunnelledProtocol },
    rejectUnauthorized: false,
    perMessageDeflate: false,
  });
  // The library does not allow the slash in the name.
  let chosen: string | undefined;
  socket.once('upgrade', ({ headers }) => {
    chosen = String(headers[header]);
    delete headers[header];
  });
  await once(socket, 'open');
  if (chosen !== tunnelledProtocol) throw new Error(`the server chose ${chosen}`);
  return new SpdyClient(createWebSocketStream(socket));
}
