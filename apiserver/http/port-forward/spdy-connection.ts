import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { SpdyError } from './spdy-error.ts';
import {
  type ControlFrame,
  controlFrame,
  type DataPart,
  finFlag,
  frameTypes,
  readFrames,
  resetStatus,
  words,
} from './spdy-frames.ts';
import { emptyHeaderBlock, HeaderReader, type SpdyHeaders } from './spdy-headers.ts';
import { SpdyStream } from './spdy-stream.ts';

const goAwayProtocolError = 1;

export interface SpdyOptions {
  /** Open at a time; further ones are refused. */
  readonly maxStreams: number;
  /** Without data for so long, the connection ends. */
  readonly idleMs: number;
  /** Whether to open a stream with these headers. */
  readonly accepts: (headers: SpdyHeaders) => boolean;
  /** Called with each stream once the client has been answered: it ignores data that come before. */
  readonly onStream: (stream: SpdyStream) => void;
}

/** The server's side of a SPDY/3.1 connection, as Kubernetes uses it: the client opens streams, which have no flow control. What a stream's reader does
 *  not take holds the whole connection up, so that no more than one chunk waits.
 *  @see https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/ */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #options: SpdyOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #idle: NodeJS.Timeout;
  #lastStreamId = 0;
  #hasReplied = false;

  constructor(transport: Duplex, options: SpdyOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#idle = setTimeout(() => this.close(), options.idleMs).unref();
    transport.on('error', () => transport.destroy());
    transport.on('close', () => this.#end());
  }

  /** Serves the client until the connection ends; never rejects. */
  async run(): Promise<void> {
    using headers = new HeaderReader();
    try {
      for await (const frame of readFrames(this.#transport)) await this.#receive(frame, headers);
    } catch (thrown) {
      if (thrown instanceof SpdyError) this.#goAway(goAwayProtocolError);
    } finally {
      this.#transport.destroy();
      this.#end();
    }
  }

  /** Ends the connection after what is already sent. */
  close(): void {
    this.#goAway(0);
    this.#transport.end(() => this.#transport.destroy());
  }

  send(frame: Buffer, done?: () => void): void {
    this.#idle.refresh();
    if (this.#transport.writable) this.#transport.write(frame, () => done?.());
    else done?.();
  }

  remove(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
  }

  #end(): void {
    clearTimeout(this.#idle);
    for (const stream of this.#streams.values()) stream.deliverReset();
  }

  /** Resolves when there is room for more: a client that reads nothing of what it causes, by pings or by opening streams, causes no more. */
  async #room(): Promise<void> {
    if (!this.#transport.writableNeedDrain) return;
    const end = new AbortController();
    const { signal } = end;
    const changes = [once(this.#transport, 'drain', { signal }), once(this.#transport, 'close', { signal })];
    try {
      await Promise.race(changes);
    } finally {
      end.abort();
      await Promise.allSettled(changes);
    }
  }

  #goAway(status: number): void {
    this.send(controlFrame(frameTypes.goAway, words(this.#lastStreamId, status)));
  }

  async #receive(frame: DataPart | ControlFrame, headers: HeaderReader): Promise<void> {
    if (frame.kind === 'control') return await this.#receiveControl(frame, headers);
    this.#idle.refresh();
    const stream = this.#streams.get(frame.streamId);
    if (frame.bytes.length > 0) await stream?.deliver(frame.bytes);
    if (frame.isLast) stream?.deliverEnd();
  }

  async #receiveControl({ type, flags, payload }: ControlFrame, headers: HeaderReader): Promise<void> {
    switch (type) {
      case frameTypes.synStream:
        return await this.#open(flags, payload, headers);
      case frameTypes.rstStream:
        return this.#streams.get(idIn(payload))?.deliverReset();
      case frameTypes.ping:
        // Pings keep the connection of the client, and are no use of it.
        if (idIn(payload) % 2 === 1) this.#transport.write(controlFrame(type, payload.subarray(0, 4)));
        return await this.#room();
      case frameTypes.headers:
        // The blocks of a connection are one zlib stream: none may be left out.
        await headers.read(payload.subarray(4));
        return;
      case frameTypes.goAway:
        return this.close();
      case frameTypes.synReply:
        throw new SpdyError('a reply came for a stream that the server has not opened');
      default:
    }
  }

  async #open(flags: number, payload: Buffer, reader: HeaderReader): Promise<void> {
    const id = idIn(payload);
    const headers = await reader.read(payload.subarray(10));
    if (id % 2 === 0 || id <= this.#lastStreamId) throw new SpdyError(`stream ${id} is out of order`);
    this.#lastStreamId = id;
    this.#idle.refresh();
    if (this.#streams.size >= this.#options.maxStreams || !this.#options.accepts(headers)) {
      this.send(controlFrame(frameTypes.rstStream, words(id, resetStatus.refusedStream)));
      return await this.#room();
    }
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    this.send(controlFrame(frameTypes.synReply, Buffer.concat([words(id), emptyHeaderBlock(!this.#hasReplied)])));
    this.#hasReplied = true;
    this.#options.onStream(stream);
    if ((flags & finFlag) !== 0) stream.deliverEnd();
    return await this.#room();
  }
}

/** The first word of a payload: a stream or a ping.
 *  @throws SpdyError */
function idIn(payload: Buffer): number {
  if (payload.length < 4) throw new SpdyError('a control frame is cut off');
  return payload.readUInt32BE(0) & 0x7fffffff;
}
