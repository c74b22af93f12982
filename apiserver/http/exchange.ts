import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { formatPrettyJson, hasMoreValues, JoinedPieces, type JsonValue } from '../../src/base/index.ts';
import type { StatusError } from '../core/index.ts';
import { maxBodyBytes, maxBodyValues, tooManyBytes, tooManyValues } from './body-limits.ts';
import { compressed, type ReplyBody, wholeOrChunks } from './reply-body.ts';
import type { TransferLimits } from './transfer-limits.ts';

/** Of HTTP/1.1; node's HTTP/2 requests and responses stand in for them. */
export type HttpRequest = IncomingMessage;
export type HttpResponse = ServerResponse;

const gzipThresholdBytes = 128 * 1024;
/** What is larger is sent while it is made, as far as it can be. */
const maxWholeBytes = 256 * 1024;
/** What a response costs that is sent while it is made: its chunks on their way, an object, and gzip. */
const streamBytes = 2 * 1024 * 1024;
/** Smaller responses are not counted: connections cost more. */
const smallBytes = 16 * 1024;
/** Below the high-water mark of a socket, with the headers. */
const lastPartBytes = 32 * 1024;
const maxWarningCharacters = 4096;
/** What a request does in one turn, unless a step of it takes longer. */
const sliceMs = 10;
const compress = promisify(gzip);

/** A whole answer. `undefined` body with a code sends headers alone. */
export interface Reply {
  readonly code: number;
  readonly contentType?: string;
  readonly body?: ReplyBody;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonReply(code: number, value: JsonValue, isPretty = false): Reply {
  const text = isPretty ? formatPrettyJson(value) : JSON.stringify(value);
  return { code, contentType: 'application/json', body: `${text}\n` };
}

export function textReply(code: number, body: string): Reply {
  return { code, contentType: 'text/plain; charset=utf-8', body, headers: { 'x-content-type-options': 'nosniff' } };
}

/** The plain response for an unknown path; clients turn it into their own NotFound. */
export function unknownPath(): Reply {
  return textReply(404, '404 page not found\n');
}

/** Refuses JSON of very many small values before it is parsed: each takes twenty times its text, and is visited many times.
 *  @throws StatusError 413 */
function assertFewBodyValues(body: Buffer): void {
  // Quotes mean something else in YAML, whose nodes are counted while they are read.
  const isJson = body.length > maxBodyValues && /^\s*[[{]/.test(body.toString('latin1', 0, 1024));
  if (isJson && hasMoreValues(body.toString('latin1'), maxBodyValues)) throw tooManyValues();
}

/** The text as it may stand between quotes in a Warning header: no control characters, latin-1 only. */
function quoteWarning(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, (character) => `\\${character}`);
  return `299 - "${printable}"`;
}

/** Values of the `Warning` headers: each text once, cut when they are too long together. */
function warningHeaders(texts: readonly string[]): string[] {
  const unique = [...new Set(texts)];
  const total = unique.reduce((sum, text) => sum + text.length, 0);
  let count = 0;
  const kept: string[] = [];
  for (const text of unique) {
    const cut = total > maxWarningCharacters ? text.slice(0, 256) : text;
    // The one that passes the limit still goes out.
    if (count >= maxWarningCharacters) break;
    count += cut.length;
    kept.push(quoteWarning(cut));
  }
  return kept;
}

function markCompressed(headers: Record<string, string>): void {
  headers['content-encoding'] = 'gzip';
  headers['vary'] = headers['vary'] === undefined ? 'Accept-Encoding' : `${headers['vary']}, Accept-Encoding`;
}

/** Resolves when the socket has taken the bytes, or is closed. */
function written(response: HttpResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.on('close', done);
    response.write(bytes, done);
  });
}

/** One request and its answer: what every step of the pipeline shares. */
export class Exchange implements Disposable {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly #transfers: TransferLimits;
  readonly #warnings: string[] = [];
  #takeTurn: (() => Promise<void>) | undefined;
  #findRoom: ((bytes: number) => Promise<Disposable>) | undefined;
  #room: Disposable | undefined;
  #turnMs = 0;
  #interruption: { readonly error: StatusError | undefined } | undefined;
  #onInterrupt: ((error: StatusError | undefined) => void) | undefined;

  constructor(request: HttpRequest, response: HttpResponse, transfers: TransferLimits) {
    this.request = request;
    this.response = response;
    this.#transfers = transfers;
    const url = request.url ?? '/';
    const at = url.indexOf('?');
    this.path = at < 0 ? url : url.slice(0, at);
    this.query = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
    const asked = request.headers['audit-id'];
    this.auditId = typeof asked === 'string' && /^[\x21-\x7e]{1,256}$/.test(asked) ? asked : randomUUID();
    response.setHeader('audit-id', this.auditId);
    response.setHeader('cache-control', 'no-cache, private');
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  /** What this request waits for before it takes long: others have turns. */
  set takeTurn(take: () => Promise<void>) {
    this.#takeTurn = take;
  }

  /** What finds room for so many bytes of documents, and for the object that the request changes. */
  set findRoom(find: (bytes: number) => Promise<Disposable>) {
    this.#findRoom = find;
  }

  /** Waits for room for documents, such as those of a list, unless the request has some. It is given up when the answer is sent, or begins to be.
   *  @throws StatusError 504 */
  async haveRoom(bytes: number): Promise<void> {
    this.#room ??= await this.#findRoom?.(bytes);
  }

  /** Gives up the room. */
  [Symbol.dispose](): void {
    this.#room?.[Symbol.dispose]();
    this.#room = undefined;
  }

  /** Reads the body, at most 3 MiB.
   *  @throws StatusError 413, 429, 504 */
  async readBody(): Promise<Buffer> {
    if (Number(this.request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooManyBytes();
    using held = this.#transfers.begin(() => this.request.destroy());
    const chunks = new JoinedPieces();
    for await (const chunk of this.request as AsyncIterable<Buffer>) {
      chunks.add(chunk);
      if (chunks.sizeBytes > maxBodyBytes) throw tooManyBytes();
      held.grow(chunk.length);
    }
    await this.haveRoom(chunks.sizeBytes);
    await this.beginTurn();
    const body = chunks.join();
    assertFewBodyValues(body);
    return body;
  }

  /** Waits for a turn: of a request with a body once that has been received.
   *  @throws StatusError 504 */
  async beginTurn(): Promise<void> {
    await this.#takeTurn?.();
    this.#turnMs = performance.now();
  }

  /** Call it between steps that may take long, and await what it answers: others have a turn when this request has taken ten milliseconds.
   *  @throws StatusError 504 */
  nextTurn(): Promise<void> | undefined {
    return performance.now() - this.#turnMs < sliceMs ? undefined : this.beginTurn();
  }

  /** Whether the client wants another protocol on the connection, and may have it. */
  get isUpgrade(): boolean {
    return (this.request as HttpRequest & { readonly upgrade?: boolean }).upgrade === true;
  }

  /** The same object for all requests of a connection. */
  get connection(): object {
    const { stream, socket } = this.request as HttpRequest & { readonly stream?: { readonly session?: object } };
    return stream?.session ?? socket;
  }

  /** The connection of an upgrade; no answer is sent on it any more. */
  takeOver(): Socket {
    const { socket } = this.request;
    this.response.detachSocket(socket);
    return socket;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  warn(text: string): void {
    this.#warnings.push(text);
  }

  /** Ends a stream now or as soon as it starts, with `error` as its last event. */
  interrupt(error: StatusError | undefined): void {
    this.#interruption = { error };
    this.#onInterrupt?.(error);
  }

  /** For streams: how to end early. Called at once when the end has come already. */
  onInterrupt(listener: (error: StatusError | undefined) => void): void {
    this.#onInterrupt = listener;
    if (this.#interruption !== undefined) listener(this.#interruption.error);
  }

  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  /** Sends headers: for streams, and as the first part of `send`. */
  sendHead(code: number, headers: Readonly<Record<string, string>>): void {
    const warnings = warningHeaders(this.#warnings);
    if (warnings.length > 0) this.response.setHeader('warning', warnings);
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
    this.response.statusCode = code;
  }

  /** Sends the headers of a stream at once, before there is anything to stream. */
  startStream(headers: Readonly<Record<string, string>>): void {
    this.sendHead(200, headers);
    this.response.flushHeaders();
  }

  async send(reply: Reply): Promise<void> {
    const headers: Record<string, string> = { ...reply.headers };
    if (reply.contentType !== undefined) headers['content-type'] = reply.contentType;
    const made = await this.#bodyOf(reply);
    if (made !== undefined && typeof made !== 'string' && !Buffer.isBuffer(made)) {
      await this.#sendChunks(reply.code, made, headers);
      return;
    }
    await this.#sendWhole(reply.code, await this.#encodeBody(made, headers), headers);
  }

  async #sendWhole(code: number, body: Buffer | undefined, headers: Record<string, string>): Promise<void> {
    const { response } = this;
    if (response.destroyed || response.writableEnded) return;
    if (body !== undefined) this.#hold(body);
    if (body !== undefined) headers['content-length'] = String(body.length);
    this.sendHead(code, headers);
    if (this.method === 'HEAD' || body === undefined) response.end();
    else await this.#endWith(body);
  }

  async #bodyOf({ body }: Reply): Promise<string | Buffer | AsyncGenerator<Buffer> | undefined> {
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
    return await wholeOrChunks(body, maxWholeBytes, () => this.nextTurn());
  }

  /** Sends chunks as they are made, no faster than they are read. */
  async #sendChunks(code: number, chunks: AsyncGenerator<Buffer>, headers: Record<string, string>): Promise<void> {
    const { response } = this;
    using held = this.#transfers.begin(() => response.destroy());
    const timer = setTimeout(() => response.destroy(), this.#transfers.maxResponseMs);
    try {
      held.grow(streamBytes);
      if (response.destroyed || response.writableEnded) return;
      const isCompressed = this.#acceptsGzip();
      if (isCompressed) markCompressed(headers);
      this.sendHead(code, headers);
      response.flushHeaders();
      this[Symbol.dispose]();
      let most = streamBytes;
      for await (const chunk of isCompressed ? compressed(chunks) : chunks) {
        if (response.destroyed) return;
        held.grow(Math.max(0, chunk.length - most));
        most = Math.max(most, chunk.length);
        await written(response, chunk);
      }
      response.end();
    } finally {
      clearTimeout(timer);
      await chunks.return(undefined);
    }
  }

  /** A client that does not read its response, or not in time, is cut off. */
  #hold(body: Buffer): void {
    const { response } = this;
    if (body.length < smallBytes) return;
    const held = this.#transfers.begin(() => response.destroy());
    held.grow(body.length);
    const timer = setTimeout(() => response.destroy(), this.#transfers.maxResponseMs);
    timer.unref();
    response.once('close', () => {
      clearTimeout(timer);
      held[Symbol.dispose]();
    });
  }

  /** Over HTTP/1.1 a large body in two parts, the second of which a socket takes at once: Node's parser gives up a connection whose next request
   *  comes while more than the socket's high-water mark of the last answer waits (`HPE_PAUSED`). */
  async #endWith(body: Buffer): Promise<void> {
    const { response } = this;
    const split = this.request.httpVersionMajor < 2 ? Math.max(0, body.length - lastPartBytes) : 0;
    if (split > 0) await written(response, body.subarray(0, split));
    response.end(body.subarray(split));
  }

  async #encodeBody(body: string | Buffer | undefined, headers: Record<string, string>): Promise<Buffer | undefined> {
    if (body === undefined) return undefined;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (bytes.length <= gzipThresholdBytes || !this.#acceptsGzip()) return bytes;
    using held = this.#transfers.begin();
    held.grow(bytes.length);
    markCompressed(headers);
    return await compress(bytes, { level: constants.Z_BEST_SPEED });
  }

  #acceptsGzip(): boolean {
    return /\bgzip\b/.test(this.header('accept-encoding') ?? '');
  }
}
