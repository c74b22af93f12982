import { readFileSync } from 'node:fs';

/** The ports of a connection on loopback, as the server sees them. */
export interface ConnectionPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

const established = '01';
const portIn = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16);

/** The user of the other end of a connection on this machine, by the table of connections that Linux shows in /proc/net/tcp; undefined if it is not there. */
export function userOfPeer(table: string, { localPort, remotePort }: ConnectionPorts): number | undefined {
  for (const line of table.split('\n').slice(1)) {
    const [, local, remote, state, , , , user = ''] = line.trim().split(/\s+/);
    if (state === established && portIn(local) === remotePort && portIn(remote) === localPort) return Number(user);
  }
  return undefined;
}

function readTable(): string | undefined {
  try {
    return readFileSync('/proc/net/tcp', 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether a connection is one of the user who runs this process, or of root, who may do everything here. Where the system does not show whose
 *  connections are, all count. */
export function isOwnConnection(ports: ConnectionPorts): boolean {
  const table = readTable();
  const own = process.getuid?.();
  if (table === undefined || own === undefined) return true;
  const user = userOfPeer(table, ports);
  return user === 0 || user === own;
}
