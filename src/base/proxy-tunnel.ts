import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { nodeHttp } from './node-http.ts';

/** A proxy for servers with TLS. */
export interface TunnelProxy {
  /** `http://` or `https://`, perhaps with a user and password. */
  readonly url: string;
  /** Until it has connected to the server. */
  readonly deadlineMs: number;
}

/** A connection to a server, as `HOST:PORT`, through a proxy.
 *  @throws Error of the connection to the proxy, or with its answer */
export async function openTunnel(
  target: string,
  { url, deadlineMs }: TunnelProxy,
  signal?: AbortSignal,
): Promise<Socket> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization =
    login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  const send = protocol === 'https:' ? secureRequest : nodeHttp().request;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asked = send({
    method: 'CONNECT',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : port,
    path: target,
    headers: { host: target, ...authorization },
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  });
  const timer = setTimeout(() => asked.destroy(new Error(`no tunnel to ${target} in time`)), deadlineMs);
  asked.once('close', () => clearTimeout(timer));
  asked.once('error', reject);
  asked.once('connect', ({ statusCode, statusMessage }, socket, head) => {
    clearTimeout(timer);
    if (head.length > 0) socket.unshift(head);
    if (statusCode === 200) return resolve(socket);
    socket.destroy();
    reject(new Error(`no tunnel to ${target}: the answer was ${statusCode} ${statusMessage}`));
  });
  asked.end();
  return await promise;
}
