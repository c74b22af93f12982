import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '../core/index.ts';

/** Headers of one connection, not of the message. */
const hopByHop = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** What a client proves its identity with stays here. */
const credentials = new Set(['authorization', 'cookie', 'host']);
const withheld = /^(?::|x-remote-(?:user|uid|group|extra-)|impersonate-)/;
/** A WebSocket client may send its bearer token as a protocol. */
const tokenProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./;

/** Names that a `Connection` header lists belong to the connection too. */
function listed(value: string | undefined): Set<string> {
  return new Set((value ?? '').split(',').map((name) => name.trim().toLowerCase()));
}

function withoutToken(protocols: string): string {
  const names = protocols.split(',').map((name) => name.trim());
  return names.filter((name) => !tokenProtocol.test(name)).join(', ');
}

/** Characters that a header name may not hold, and `%`, are escaped as in a URL. */
function extraHeader(key: string): string {
  const escaped = [...Buffer.from(key.toLowerCase())].map((byte) => {
    const character = String.fromCodePoint(byte);
    const isPlain = /[\w!#$&'*+.^`|~-]/.test(character);
    return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `X-Remote-Extra-${escaped.join('')}`;
}

/** A header value is bytes: text outside of latin-1 is sent as UTF-8. */
function headerValue(text: string): string {
  return Buffer.from(text.replaceAll(/[\r\n\0]/g, ' ')).toString('latin1');
}

/** The headers by which an extension server knows the user. */
export function userHeaders({ username, uid = '', groups, extra = {} }: UserInfo): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'X-Remote-User': headerValue(username) };
  if (uid !== '') headers['X-Remote-Uid'] = headerValue(uid);
  if (groups.length > 0) headers['X-Remote-Group'] = groups.map(headerValue);
  for (const [key, values] of Object.entries(extra)) headers[extraHeader(key)] = values.map(headerValue);
  return headers;
}

/** The headers of a client's request as an extension server gets them: the user in them, no credential. */
export function requestHeaders(received: IncomingHttpHeaders, user: UserInfo): OutgoingHttpHeaders {
  const own = listed(received.connection);
  const kept = Object.entries(received).filter(
    ([name]) => !hopByHop.has(name) && !credentials.has(name) && !withheld.test(name) && !own.has(name),
  );
  const headers: OutgoingHttpHeaders = { ...Object.fromEntries(kept), ...userHeaders(user) };
  const protocols = received['sec-websocket-protocol'];
  if (protocols !== undefined) headers['sec-websocket-protocol'] = withoutToken(protocols);
  return headers;
}

/** The headers of an answer without those of the connection that it came over. */
export function responseHeaders(received: IncomingHttpHeaders): Record<string, string | string[]> {
  const own = listed(received.connection);
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined && !hopByHop.has(name) && !own.has(name)) headers[name] = value;
  }
  return headers;
}
