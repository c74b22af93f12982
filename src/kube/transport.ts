import type { AgentOptions, ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { JoinedPieces, nodeHttp, redactUrl, TerminalError, withDeadline } from '../base/index.ts';
import { type ActingUser, actingHeaders } from './acting-user.ts';
import { KubeUnavailable } from './kube-error.ts';
import type { ClusterAccess, ClusterTls } from './kubeconfig.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly accept?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
  /** As whom it is sent, if not as the user of the transport. */
  readonly actingAs?: ActingUser | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of the answer, where it may be less than that of the transport. */
  readonly maxBodyBytes?: number | undefined;
  /** Called with the length of each part of the answer; the answer is given up where it returns false. */
  readonly hasRoomFor?: ((bytes: number) => boolean) | undefined;
  /** Called when a connection is free for it, right before its first byte is sent; what it throws is thrown in its place. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** HTTP to one API server over kept-alive connections. */
export interface Transport {
  /** One exchange, within the transport's deadline and body limit; any HTTP status is an answer.
   *  @throws KubeUnavailable ConnectionFailed · TransientError DeadlineExceeded · TerminalError BodyTooLarge, NoRoomForBody */
  exchange(request: WireRequest): Promise<WireResponse>;
  /** Starts an exchange whose body is read while it arrives; it ends with `signal` only. */
  open(request: WireRequest): Promise<IncomingMessage>;
  /** Ends idle connections. */
  close(): void;
}

interface TransportOptions {
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
}

function connectionFailed(request: WireRequest, cause: unknown, proxy?: string): KubeUnavailable {
  const path = request.path.replace(/\?.*/, '');
  const why = cause instanceof Error ? cause.message : String(cause);
  const way = proxy === undefined ? '' : `through the proxy ${redactUrl(proxy)}: `;
  const message = `${request.method} ${path}: ${way}${why.replace(/\/\/[^/\s@]*@/g, '//redacted@')}`;
  return new KubeUnavailable(
    { status: 0, reason: 'ConnectionFailed', message, causes: [], isStatus: false },
    { cause },
  );
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly hasRoomFor: WireRequest['hasRoomFor'];
}

async function readBody(
  response: IncomingMessage,
  what: string,
  { maxBytes, hasRoomFor }: BodyLimits,
): Promise<string> {
  const chunks = new JoinedPieces();
  for await (const part of response) {
    const chunk = part as Buffer;
    chunks.add(chunk);
    const isTooLarge = chunks.sizeBytes > maxBytes;
    if (isTooLarge || hasRoomFor?.(chunk.length) === false) {
      response.destroy();
      throw isTooLarge
        ? new TerminalError('BodyTooLarge', `${what}: the answer is larger than ${maxBytes} bytes`)
        : new TerminalError('NoRoomForBody', `${what}: there is no room for the answer`);
    }
  }
  return chunks.join().toString('utf8');
}

/** One context for all connections that trust and show the same: each would read the certificates and the key again, and hold them in memory. */
function shareContext(): (tls: ClusterTls) => SecureContext {
  let last: { readonly tls: ClusterTls; readonly context: SecureContext } | undefined;
  return (tls) => {
    const isSame = last?.tls.ca === tls.ca && last?.tls.cert === tls.cert && last?.tls.key === tls.key;
    if (last === undefined || !isSame) last = { tls, context: createSecureContext(tls) };
    return last.context;
  };
}

interface Endpoint {
  readonly url: URL;
  readonly isTls: boolean;
  readonly access: ClusterAccess;
  /** @throws Error when certificate and key do not match */
  readonly contextOf: (tls: ClusterTls) => SecureContext;
}

function requestOptionsOf({ url, isTls }: Endpoint, wire: WireRequest): RequestOptions {
  const defaultPort = isTls ? 443 : 80;
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    method: wire.method,
    path: `${url.pathname.replace(/\/+$/, '')}${wire.path}`,
    ...(wire.signal === undefined ? {} : { signal: wire.signal }),
  };
}

function headersOf(wire: WireRequest, { actingAs }: ClusterAccess): Record<string, string | string[]> {
  const acting = wire.actingAs ?? actingAs;
  return {
    ...(acting === undefined ? {} : actingHeaders(acting)),
    'user-agent': 'longshore',
    accept: wire.accept ?? 'application/json',
    ...(wire.contentType === undefined ? {} : { 'content-type': wire.contentType }),
    ...(wire.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(wire.body)) }),
  };
}

/** Calls `next` once the request has a connection: it waits while all connections of its agent are in use. */
function whenConnected(outgoing: ClientRequest, next: () => void): void {
  outgoing.once('socket', (socket: Socket | TLSSocket) => {
    const isReady = !socket.connecting && !('secureConnecting' in socket && socket.secureConnecting);
    if (isReady) next();
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', next);
  });
}

type AnyAgent = HttpAgent | HttpsAgent;

async function send(endpoint: Endpoint, wire: WireRequest, agent: AnyAgent): Promise<IncomingMessage> {
  const { access, isTls, contextOf } = endpoint;
  const headers = { ...(await access.headers()), ...headersOf(wire, access) };
  // With the request, not with the agent: connections of other authorities or certificates are not used any more then.
  const tls = isTls ? await access.tls() : undefined;
  const start = isTls ? httpsRequest : nodeHttp().request;
  return await new Promise((resolve, reject) => {
    let outgoing: ClientRequest;
    try {
      const secure = tls === undefined ? {} : { ...tls, secureContext: contextOf(tls) };
      outgoing = start({ ...requestOptionsOf(endpoint, wire), ...secure, agent, headers });
    } catch (thrown) {
      // A certificate and a key that do not match, while one of them has been replaced.
      reject(connectionFailed(wire, thrown, access.proxy));
      return;
    }
    outgoing.once('error', (thrown) => {
      reject(wire.signal?.aborted === true ? thrown : connectionFailed(wire, thrown, access.proxy));
    });
    outgoing.once('response', resolve);
    whenConnected(outgoing, () => {
      try {
        wire.beforeSend?.();
        outgoing.end(wire.body);
      } catch (thrown) {
        reject(thrown);
        outgoing.destroy();
      }
    });
  });
}

/** A transport for `access`. */
export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const url = new URL(access.server);
  const endpoint: Endpoint = { url, isTls: url.protocol === 'https:', access, contextOf: shareContext() };
  const createAgent = (agentOptions: AgentOptions): AnyAgent =>
    endpoint.isTls ? new HttpsAgent(agentOptions) : new (nodeHttp().Agent)(agentOptions);
  const { proxy } = access;
  const proxied = proxy === undefined ? {} : { proxyEnv: { http_proxy: proxy, https_proxy: proxy } };
  const agent = createAgent({ keepAlive: true, keepAliveMsecs: 30_000, maxSockets: 32, ...proxied });
  const watchAgent = createAgent({ keepAlive: false, ...proxied });
  return {
    exchange: async (wire) => {
      const what = `${wire.method} ${wire.path.replace(/\?.*/, '')}`;
      return await withDeadline(what, { deadlineMs: options.deadlineMs, signal: wire.signal }, async (signal) => {
        const response = await send(endpoint, { ...wire, signal }, agent);
        try {
          const maxBytes = Math.min(wire.maxBodyBytes ?? Infinity, options.maxBodyBytes);
          const text = await readBody(response, what, { maxBytes, hasRoomFor: wire.hasRoomFor });
          return { status: response.statusCode ?? 0, headers: response.headers, text };
        } catch (thrown) {
          if (signal.aborted || thrown instanceof TerminalError) throw thrown;
          throw connectionFailed(wire, thrown);
        }
      });
    },
    open: (wire) => send(endpoint, wire, watchAgent),
    close: () => {
      agent.destroy();
      watchAgent.destroy();
    },
  };
}
