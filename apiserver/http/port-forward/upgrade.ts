import type { Duplex } from 'node:stream';
import { badRequest, StatusError } from '../../core/index.ts';
import type { Exchange } from '../exchange.ts';

const protocol = 'portforward.k8s.io';
/** SPDY in the messages of a WebSocket. */
const tunnelledProtocol = `SPDY/3.1+${protocol}`;
const maxMessageBytes = 1024 * 1024;

function listed(value: string | undefined): string[] {
  return (value ?? '').split(',').map((part) => part.trim());
}

function refusedProtocol(offered: string | undefined, accepted: string): StatusError {
  const message = `unable to upgrade: unable to negotiate protocol: client supports [${listed(offered).join(' ')}], server accepts [${accepted}]`;
  return new StatusError({ code: 403, reason: 'Forbidden', message });
}

function upgradeToSpdy(exchange: Exchange): Duplex {
  const header = 'x-stream-protocol-version';
  const offered = exchange.header(header);
  if (offered === undefined) throw badRequest(`unable to upgrade: ${header} is required`);
  if (!listed(offered).includes(protocol)) throw refusedProtocol(offered, protocol);
  const socket = exchange.takeOver();
  const head = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    `${header}: ${protocol}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

async function upgradeToWebSocket(exchange: Exchange): Promise<Duplex> {
  const offered = exchange.header('sec-websocket-protocol');
  if (!listed(offered).includes(tunnelledProtocol)) throw refusedProtocol(offered, tunnelledProtocol);
  // Only servers that forward ports need it.
  const { createWebSocketStream, WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  });
  // The name has a slash, which RFC 6455 does not allow in it: the library would refuse the request.
  delete exchange.request.headers['sec-websocket-protocol'];
  server.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${tunnelledProtocol}`));
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const socket = exchange.takeOver();
  socket.once('close', () => reject(badRequest('unable to upgrade: the WebSocket handshake failed')));
  server.handleUpgrade(exchange.request, socket, Buffer.alloc(0), (webSocket) => {
    resolve(createWebSocketStream(webSocket));
  });
  return await promise;
}

/** Upgrades a request to a connection that carries SPDY/3.1 frames of `portforward.k8s.io`, as SPDY or within a WebSocket.
 *  @throws StatusError 400 for a request that asks for neither, 403 for another protocol */
export async function upgradeToTunnel(exchange: Exchange): Promise<Duplex> {
  const upgrades = listed(exchange.isUpgrade ? exchange.header('upgrade')?.toLowerCase() : undefined);
  if (upgrades.includes('spdy/3.1')) return upgradeToSpdy(exchange);
  if (upgrades.includes('websocket') && exchange.method === 'GET') return await upgradeToWebSocket(exchange);
  throw badRequest('Upgrade request required');
}
