import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connectionProblem, StatusError } from '../core/index.ts';
import { type DelegatedRequest, hasBody, PlainError, type Reply, textReply } from '../http/index.ts';
import type { Backend, Backends } from './backends.ts';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { joinConnections } from './upgraded-connection.ts';

/** How long an extension server has for the beginning of its answer. */
const headDeadlineMs = 60_000;
const redirectText = 'the backend attempted to redirect this request, which is not permitted';
const switchText = 'the backend switched to another protocol, which was not requested';
const longSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** What an extension server answers with: a message, or the connection itself. */
type Answer =
  | { readonly kind: 'response'; readonly response: IncomingMessage }
  | { readonly kind: 'upgrade'; readonly response: IncomingMessage; readonly connection: Duplex };

/** Watches and streams last as long as both sides want. */
function isLongRunning({ info, exchange }: DelegatedRequest): boolean {
  if (exchange.isUpgrade) return true;
  if (info.kind === 'path') return false;
  return info.verb === 'watch' || longSubresources.has(info.subresource);
}

function headersOf({ exchange, user }: DelegatedRequest): OutgoingHttpHeaders {
  const { request } = exchange;
  const headers = requestHeaders(request.headers, user);
  headers['audit-id'] = exchange.auditId;
  if (exchange.isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: exchange.header('upgrade') });
  // Without a length Node.js frames the bodies of some methods not at all.
  if (hasBody(request) && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
  return headers;
}

/** One request to an extension server, from its first byte to the last of the answer. */
export class Forwarding {
  readonly #backends: Backends;
  readonly #backend: Backend;
  readonly #request: DelegatedRequest;

  constructor(backends: Backends, backend: Backend, request: DelegatedRequest) {
    this.#backends = backends;
    this.#backend = backend;
    this.#request = request;
  }

  /** Streams the request there and the answer back; a reply is still to be sent.
   *  @throws PlainError 503 when there is no answer · StatusError 504 when it does not begin in time */
  async run(): Promise<Reply | undefined> {
    const late = new AbortController();
    const { timeoutMs, signal } = this.#request;
    const isLong = isLongRunning(this.#request);
    const timer = setTimeout(() => late.abort(), isLong ? headDeadlineMs : timeoutMs);
    const end = AbortSignal.any([signal, late.signal]);
    try {
      const answer = await this.#answer(end, late.signal);
      if (isLong) clearTimeout(timer);
      return await this.#pass(answer, end);
    } finally {
      clearTimeout(timer);
      // Of a body that was not needed the rest may never come: nothing waits for it.
      late.abort();
    }
  }

  async #answer(end: AbortSignal, late: AbortSignal): Promise<Answer> {
    try {
      return await this.#send(end);
    } catch (thrown) {
      if (late.aborted) {
        const message = 'Timeout: request did not complete within the allotted timeout';
        throw new StatusError({ code: 504, reason: 'Timeout', message }, { cause: thrown });
      }
      const problem = connectionProblem(thrown, () => this.#backends.endpointOf(this.#backend));
      throw new PlainError(503, `error trying to reach service: ${problem}\n`);
    }
  }

  /** A connection that the other side closed while it was idle is no failure: a request without a body is repeated on a new one. */
  async #send(signal: AbortSignal): Promise<Answer> {
    const { exchange } = this.#request;
    const isWithBody = hasBody(exchange.request);
    for (let attempt = 0; ; attempt += 1) {
      const path = exchange.request.url ?? exchange.path;
      const head = { method: exchange.method, path, headers: headersOf(this.#request), signal };
      const sent = this.#backends.request(this.#backend, head);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      sent.once('response', (response) => resolve({ kind: 'response', response }));
      sent.once('upgrade', (response, connection, first) => {
        if (first.length > 0) connection.unshift(first);
        if (exchange.isUpgrade) return resolve({ kind: 'upgrade', response, connection });
        connection.destroy();
        reject(new Error(switchText));
      });
      sent.on('error', reject);
      if (isWithBody) exchange.request.pipe(sent);
      else sent.end();
      try {
        return await promise;
      } catch (thrown) {
        const isStale = sent.reusedSocket && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (!isStale || isWithBody || attempt > 0) throw thrown;
      }
    }
  }

  async #pass(answer: Answer, signal: AbortSignal): Promise<Reply | undefined> {
    const { exchange } = this.#request;
    if (answer.kind === 'upgrade') {
      await joinConnections(exchange, answer, this.#request.signal);
      return undefined;
    }
    const { response } = answer;
    const code = response.statusCode ?? 502;
    if (code >= 300 && code <= 399 && response.headers.location !== undefined) {
      response.destroy();
      return textReply(502, redirectText);
    }
    for (const [name, value] of Object.entries(responseHeaders(response.headers))) {
      exchange.response.setHeader(name, value);
    }
    exchange.sendHead(code, {});
    exchange.response.flushHeaders();
    // The client sees an answer that ends early: there is no other way to report it.
    await pipeline(response, exchange.response, { signal }).catch(() => exchange.response.destroy());
    return undefined;
  }
}
