import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Exchange } from '../http/index.ts';

/** The head of the answer as it was received; Node.js has checked its characters. */
function headOf({ rawHeaders, statusMessage = '' }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Joins the connection of a client to the one of an extension server that has changed its protocol, until one of them ends. */
export async function joinConnections(
  exchange: Exchange,
  upgraded: { readonly response: IncomingMessage; readonly connection: Duplex },
  signal: AbortSignal,
): Promise<void> {
  const { response, connection } = upgraded;
  const client = exchange.takeOver();
  const end = (): void => {
    client.destroy();
    connection.destroy();
  };
  client.on('error', end).on('close', end);
  connection.on('error', end).on('close', end);
  signal.addEventListener('abort', end, { once: true });
  client.write(headOf(response));
  connection.pipe(client);
  client.pipe(connection);
  await finished(client).catch(() => {}); // one side left
  signal.removeEventListener('abort', end);
}
