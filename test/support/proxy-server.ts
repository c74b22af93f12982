import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback, as companies have one: tunnels for HTTPS, whole addresses for HTTP. */
export interface ProxyServer extends AsyncDisposable {
  readonly url: string;
  /** Targets in the order in which they were asked for: `HOST:PORT` of tunnels, whole addresses otherwise. */
  readonly targets: readonly string[];
}

export interface ProxyServerOptions {
  /** Who may use it, as `user:password`. Default: everybody. */
  readonly login?: string;
  /** Where a host that only the proxy knows really is. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** Starts one on a free port. */
export async function startProxyServer(options: ProxyServerOptions = {}): Promise<ProxyServer> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const expected = options.login === undefined ? undefined : `Basic ${Buffer.from(options.login).toString('base64')}`;
  const isDenied = (request: IncomingMessage): boolean =>
    expected !== undefined && request.headers['proxy-authorization'] !== expected;
  const placeOf = (host: string): string => options.hosts?.[host] ?? host;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (isDenied(request)) {
      response.writeHead(407).end();
      return;
    }
    const url = new URL(request.url ?? '');
    targets.push(url.href);
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const target = new URL(url.pathname + url.search, `http://${placeOf(url.host)}`);
    const forwarded = sendRequest(target, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    request.pipe(forwarded);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    if (isDenied(request)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = request.url ?? '';
    targets.push(target);
    const [host = '', port = '443'] = placeOf(target).split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
