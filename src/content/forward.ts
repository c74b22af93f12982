import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type RequestOptions, request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Another content server, which has what was asked for. */
export interface ForwardTarget {
  /** `https://host:port` */
  readonly url: string;
  /** PEM of the authority that it is trusted by. */
  readonly caPem: string;
  /** The name in its certificate, where that is not the host of `url`. */
  readonly serverName: string;
  /** How this server proves to the other one who it is, for those who have shown it a certificate, which cannot be passed on. */
  readonly identity: {
    readonly cert: Buffer | undefined;
    readonly key: Buffer | undefined;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** Marks a request that was forwarded once. */
export const forwardedHeader = 'x-longshore-forwarded';
/** Of one connection, not of what it carries. */
const hopHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name)));
}

function optionsOf(request: IncomingMessage, { caPem, serverName, url, identity }: ForwardTarget): RequestOptions {
  const { hostname } = new URL(url);
  const { cert, key, headers } = identity;
  const isOwn = request.headers.authorization === undefined;
  const certificate = isOwn && cert !== undefined && key !== undefined ? { cert, key } : {};
  const name = isIP(serverName) === 0 && serverName !== hostname ? { servername: serverName } : {};
  return {
    method: request.method,
    headers: { ...endToEnd(request.headers), ...(isOwn ? headers : {}), [forwardedHeader]: '1' },
    ca: caPem,
    ...certificate,
    agent: false,
    ...name,
  };
}

/** Forwards a request that was authorized here, with its body and the token in its headers, and returns the response.
 *  @throws Error when the other one does not answer */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, signal }: { readonly target: ForwardTarget; readonly signal: AbortSignal },
): Promise<void> {
  const url = new URL(request.url ?? '/', target.url);
  const sent = requestOverTls(url, { ...optionsOf(request, target), signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  // An answer may come before the body has been read.
  const sending = pipeline(request, sent, { signal }).catch(() => undefined);
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  await pipeline(answer, response, { signal });
  await sending;
}
