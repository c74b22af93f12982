import type { LookupAddress } from 'node:dns';
import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import {
  errorMessage,
  hasReadableLogin,
  isDiskFull,
  isLinkLocalAddress,
  isLocalAddress,
  JoinedPieces,
  lookupInTurn,
  nodeHttp,
  noProxies,
  type ProxySettings,
  paceConnectionsOf,
  pacePlainConnectionsOf,
  proxyFor,
  redactUrl,
  SharedRoom,
  serverText,
  TerminalError,
  TransientError,
  withoutRenegotiation,
} from '../base/index.ts';
import { authorizationIn, SentCredentials } from './sent-credentials.ts';

const maxRedirects = 10;
/** Then a connection without a request is closed: servers may keep theirs open without end, and others choose how many hosts are asked. */
const idleConnectionMs = 5_000;
/** Of all bodies that a client reads into memory at a time. */
const maxHeldBytes = 64 * 1024 * 1024;
const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface HttpClientOptions {
  /** PEM texts trusted beside the system's authorities. */
  readonly caPem?: readonly string[];
  readonly insecureSkipVerify?: boolean;
  /** By way of which servers are reached; all directly when absent. */
  readonly proxies?: ProxySettings | undefined;
  /** Until the headers arrive, and between two pieces of a body. */
  readonly answerDeadlineMs: number;
}

/** A body that is too large for memory. */
export interface BodyStream {
  readonly sizeBytes: number;
  /** The bytes from their start, as often as asked for. */
  readonly open: () => Readable;
  readonly onSent?: ((sentBytes: number) => void) | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | BodyStream | undefined;
  readonly signal: AbortSignal;
  /** Refuses servers at addresses of this machine too, whatever their names; those of its link are never asked. */
  readonly isRemoteOnly?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** After redirects. */
  readonly url: string;
  readonly body: IncomingMessage;
  /** For what is read of the body into memory. */
  readonly memory: SharedRoom;
}

/** Speaks HTTP and HTTPS: follows at most 10 redirects, never from HTTPS to HTTP, and takes `authorization` to no other origin. Link-local
 *  addresses, at which clouds give credentials to their machines, are refused: others choose what is fetched. */
export interface HttpClient extends Disposable {
  /** Any status is an answer; read the body or destroy it.
   *  @throws TransientError ServerUnavailable, DeadlineExceeded · TerminalError RedirectRefused, InvalidUrl, AddressRefused */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** An error about what was received, without the credentials that this client has sent lately. */
  conceal(thrown: unknown): unknown;
  /** The same connections and limits, for one piece of work: what others send does not make this client forget its credentials. To dispose it does nothing. */
  apart(): HttpClient;
}

/** Codes of errors of servers without TLS. */
const notTlsCodes: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** Whether a request failed because the server answers without TLS. */
export function isNotTls(thrown: unknown): boolean {
  const cause = thrown instanceof TransientError ? thrown.cause : thrown;
  return cause instanceof Error && notTlsCodes.has((cause as NodeJS.ErrnoException).code ?? '');
}

const keptContexts = 8;
const contexts = new Map<string, SecureContext>();

/** Trusts the authorities of the system and these. Node.js would parse all of them, 150 and more, for each connection; the contexts used last are kept. */
function contextTrusting(caPem: readonly string[]): SecureContext {
  const key = caPem.join('\n');
  const context =
    contexts.get(key) ?? createSecureContext({ ca: [...getCACertificates(), ...caPem], ...withoutRenegotiation });
  contexts.delete(key);
  contexts.set(key, context);
  const [oldest] = contexts.keys();
  if (contexts.size > keptContexts && oldest !== undefined) contexts.delete(oldest);
  return context;
}

/** Keeps connections open for a short time after each request, at most until disposed. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { caPem = [] } = options;
  const trust = caPem.length === 0 ? {} : { secureContext: contextTrusting(caPem) };
  const kept = { keepAlive: true, timeout: idleConnectionMs };
  const tls = { ...kept, rejectUnauthorized: options.insecureSkipVerify !== true, ...trust };
  const { answerDeadlineMs, proxies = noProxies } = options;
  const { Agent: PlainAgent } = nodeHttp();
  const direct: Agents = {
    secure: paceConnectionsOf(new HttpsAgent(tls)),
    plain: pacePlainConnectionsOf(new PlainAgent(kept)),
  };
  const tunnels = proxies.https === undefined ? undefined : { url: proxies.https, deadlineMs: answerDeadlineMs };
  const proxied: Agents = {
    secure: paceConnectionsOf(new HttpsAgent(tls), { proxy: tunnels }),
    plain: pacePlainConnectionsOf(new PlainAgent({ ...kept, proxyEnv: { http_proxy: proxies.http } })),
  };
  const memory = new SharedRoom({ maxBytes: maxHeldBytes, endedError: bodyEnded });
  const once = (request: HttpRequest): Promise<HttpResponse> =>
    sendOnce(request, { direct, proxied, proxies, answerDeadlineMs, memory });
  const dispose = (): void => {
    for (const { secure, plain } of [direct, proxied]) {
      secure.destroy();
      plain.destroy();
    }
  };
  return clientOf(once, dispose, proxyAuthorizations(proxies));
}

function bodyEnded(heldBytes: number): TransientError {
  const text = `answers of servers that are read at the same time take more than the limit of ${maxHeldBytes} bytes of memory together: this one, which had ${heldBytes} bytes for the longest time, makes room for others`;
  return new TransientError('AnswersTooLarge', text);
}

function proxyAuthorizations({ http = '', https = '' }: ProxySettings): readonly string[] {
  return [http, https].map(authorizationIn).filter((header) => header !== undefined);
}

function clientOf(
  once: (request: HttpRequest) => Promise<HttpResponse>,
  dispose: () => void,
  ofProxies: readonly string[],
): HttpClient {
  const sent = new SentCredentials(ofProxies);
  return {
    async send(request) {
      sent.note(request);
      try {
        return await following(request, once);
      } catch (thrown) {
        throw sent.conceal(thrown);
      }
    },
    conceal: (thrown) => sent.conceal(thrown),
    apart: () => clientOf(once, () => undefined, ofProxies),
    [Symbol.dispose]: dispose,
  };
}

async function following(
  request: HttpRequest,
  once: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  let current = request;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await once(current);
    const location = response.headers.location;
    if (!redirectCodes.has(response.status) || location === undefined) return response;
    response.body.destroy();
    current = redirected(current, location, response.status);
  }
  throw new TerminalError('RedirectRefused', `${describe(request)}: more than ${maxRedirects} redirects`);
}

function describe(request: HttpRequest): string {
  return `${request.method} ${redactUrl(request.url)}`;
}

function redirectTarget(request: HttpRequest, location: string): URL {
  const from = new URL(request.url);
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to === undefined || !/^https?:$/.test(to.protocol)) {
    throw new TerminalError('RedirectRefused', `${describe(request)}: redirect to an address that is not HTTP`);
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new TerminalError('RedirectRefused', `${describe(request)}: redirect from HTTPS to ${redactUrl(to.href)}`);
  }
  return to;
}

function redirected(request: HttpRequest, location: string, status: number): HttpRequest {
  const to = redirectTarget(request, location);
  const { authorization, ...others } = request.headers ?? {};
  const isSameOrigin = new URL(request.url).origin === to.origin;
  const headers = isSameOrigin && authorization !== undefined ? { ...others, authorization } : others;
  const { body, ...rest } = request;
  if (body !== undefined && (status === 307 || status === 308)) return { ...rest, url: to.href, headers, body };
  return { ...rest, url: to.href, headers, method: request.method === 'HEAD' ? 'HEAD' : 'GET' };
}

interface Agents {
  readonly secure: HttpsAgent;
  readonly plain: HttpAgent;
}

interface Transport {
  readonly direct: Agents;
  readonly proxied: Agents;
  readonly proxies: ProxySettings;
  readonly answerDeadlineMs: number;
  readonly memory: SharedRoom;
}

function addressRefused(host: string, address: string): TerminalError {
  const what = isLinkLocalAddress(address) ? 'link-local or a metadata service' : 'one of this machine';
  return new TerminalError('AddressRefused', `${host}: the address ${address} is ${what}: nothing is sent there`);
}

type Lookup = NonNullable<RequestOptions['lookup']>;

/** Looks a host up as usual, and refuses some addresses. A signal ends what waits for its turn. */
function lookupExcept(isRefused: (address: string) => boolean, signal: AbortSignal): Lookup {
  return (host, options, done) => {
    const use = (found: readonly LookupAddress[]): void => {
      const refused = found.find(({ address }) => isRefused(address));
      const fault = refused === undefined ? null : addressRefused(host, refused.address);
      const [first] = found;
      if (options.all === true) done(fault, [...found]);
      else done(fault, first?.address ?? '', first?.family);
    };
    lookupInTurn(host, signal, options).then(use, (fault: Error) => done(fault, []));
  };
}

function refusedBy({ isRemoteOnly = false }: HttpRequest): (address: string) => boolean {
  return isRemoteOnly ? isLocalAddress : isLinkLocalAddress;
}

interface Way {
  readonly agent: HttpAgent;
  readonly proxy: string | undefined;
  /** Ends with the request. */
  readonly over: AbortSignal;
}

function requestOptions(request: HttpRequest, { agent, proxy, over }: Way): RequestOptions {
  const { method, headers, body, signal } = request;
  const length = body === undefined ? {} : { 'content-length': sizeOf(body) };
  const allHeaders = { 'user-agent': 'longshore', ...headers, ...length };
  // A proxy looks names up itself.
  const looksUp = proxy === undefined ? { lookup: lookupExcept(refusedBy(request), over) } : {};
  return { method, headers: allHeaders, agent, signal, ...looksUp };
}

/** The address of a request, with a name and password in it that can be read.
 *  @throws TerminalError InvalidUrl */
function addressOf({ url: text }: HttpRequest): URL {
  if (!URL.canParse(text)) throw new TerminalError('InvalidUrl', `${redactUrl(text)}: not an address`);
  const url = new URL(text);
  if (hasReadableLogin(url)) return url;
  const message = `${redactUrl(text)}: the username or password in it has a "%" that is not followed by two hexadecimal digits; write "%25" for a percent sign`;
  throw new TerminalError('InvalidUrl', message);
}

async function sendOnce(request: HttpRequest, transport: Transport): Promise<HttpResponse> {
  const url = addressOf(request);
  const isSecure = url.protocol === 'https:';
  if (refusedBy(request)(url.hostname)) throw addressRefused(url.host, url.hostname);
  const proxy = proxyFor(url, transport.proxies);
  const { secure, plain } = proxy === undefined ? transport.direct : transport.proxied;
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const send = isSecure ? httpsRequest : nodeHttp().request;
  const over = new AbortController();
  const sent = send(url, requestOptions(request, { agent: isSecure ? secure : plain, proxy, over: over.signal }));
  sent.once('close', () => over.abort());
  const seconds = transport.answerDeadlineMs / 1000;
  const timer = setTimeout(() => {
    sent.destroy(new TransientError('DeadlineExceeded', `${describe(request)}: no answer within ${seconds} s`));
  }, transport.answerDeadlineMs);
  sent.on('response', (body) => {
    clearTimeout(timer);
    body.setTimeout(transport.answerDeadlineMs, () => {
      body.destroy(new TransientError('DeadlineExceeded', `${describe(request)}: nothing received for ${seconds} s`));
    });
    const { memory } = transport;
    resolve({ status: body.statusCode ?? 0, headers: body.headers, url: request.url, body, memory });
  });
  sent.on('error', (thrown) => {
    clearTimeout(timer);
    reject(failure(request, thrown, proxy));
  });
  if (request.body === undefined || request.body instanceof Uint8Array) sent.end(request.body);
  else void sendStream(sent, request.body, timer);
  return await promise;
}

function sizeOf(body: Uint8Array | BodyStream): number {
  return body instanceof Uint8Array ? body.length : body.sizeBytes;
}

/** Bytes that are read reset the silence timeout. Errors show at the request, unless the stream itself fails: then the request ends with that error. */
async function sendStream(sent: ClientRequest, body: BodyStream, timer: NodeJS.Timeout): Promise<void> {
  const count = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let sentBytes = 0;
    for await (const piece of pieces) {
      yield piece;
      sentBytes += piece.length;
      timer.refresh();
      body.onSent?.(sentBytes);
    }
  };
  try {
    await pipeline(body.open(), count, sent);
  } catch (thrown) {
    sent.destroy(thrown as Error);
  }
}

/** Codes of certificates with an unknown authority; the advice of Node.js for these does not help the user of a program. */
const untrustedCodes: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error ? ((thrown as NodeJS.ErrnoException).code ?? '') : '';
  if (!untrustedCodes.has(code)) return errorMessage(thrown);
  const [reason] = errorMessage(thrown).split('; ');
  return `${reason}: the server's certificate is not signed by a trusted authority; to trust your own, set --registry-ca FILE`;
}

/** What a broken connection means to the caller. A full disk, where what came was to be written, is no fault of the server. */
export function failure(
  request: Pick<HttpRequest, 'method' | 'url' | 'signal'>,
  thrown: unknown,
  proxy?: string,
): unknown {
  if (request.signal.aborted) return request.signal.reason;
  if (thrown instanceof TransientError || thrown instanceof TerminalError || isDiskFull(thrown)) return thrown;
  const way = proxy === undefined ? '' : `through the proxy ${redactUrl(proxy)}: `;
  const text = `${request.method} ${redactUrl(request.url)}: ${way}${serverText(reasonOf(thrown).replace(/\/\/[^/\s@]*@/g, '//redacted@'))}`;
  return new TransientError('ServerUnavailable', text, { cause: thrown });
}

/** The whole body, at most `maxBytes`.
 *  @throws TerminalError BodyTooLarge · TransientError ServerUnavailable, AnswersTooLarge */
export async function readBody(request: HttpRequest, response: HttpResponse, maxBytes: number): Promise<Buffer> {
  const pieces = new JoinedPieces();
  using share = response.memory.share((error) => response.body.destroy(error));
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      pieces.add(piece);
      if (pieces.sizeBytes > maxBytes) {
        throw new TerminalError('BodyTooLarge', `${describe(request)}: larger than the limit of ${maxBytes} bytes`);
      }
      share.take(piece.length);
    }
  } catch (thrown) {
    throw failure(request, thrown);
  }
  return pieces.join();
}
