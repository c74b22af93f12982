import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';
import { groupsOfAddress } from '../../../src/base/index.ts';

/** Both ends of a connection on this machine, as the server sees them. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Reads one of the tables in which Linux shows all connections of IPv4 and of IPv6; empty where there is none. */
export type ReadTable = (path: '/proc/net/tcp' | '/proc/net/tcp6') => string;

const mappedPrefix = '::ffff:';
/** A table is read in parts, between which connections come and go. */
const maxReads = 3;

/** Four bytes as the kernel writes them: one number in the order of the machine. */
function wordOf(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? bytes.toReversed() : bytes;
  return ordered.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function addressInTable(address: string, isIPv6: boolean): string {
  if (!isIPv6) return wordOf(address.split('.').map(Number));
  const groups = groupsOfAddress(isIPv4(address) ? `${mappedPrefix}${address}` : address);
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return [0, 4, 8, 12].map((start) => wordOf(bytes.slice(start, start + 4))).join('');
}

function endInTable(address: string, port: number, isIPv6: boolean): string {
  return `${addressInTable(address, isIPv6)}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** The user whose socket has both ends; one that its program has closed belongs to no one. */
function userInTable(table: string, ends: string): number | undefined {
  for (let at = table.indexOf(ends); at !== -1; at = table.indexOf(ends, at + ends.length)) {
    const [line = ''] = table.slice(at + ends.length, at + ends.length + 256).split('\n', 1);
    const [, , , , user, , inode] = line.split(/\s+/);
    if (inode !== '0') return Number(user);
  }
  return undefined;
}

/** The user of the other end of a connection on this machine; undefined if the tables do not have it. Ports alone do not distinguish connections: a
 *  client may choose that of another one, at another address of the machine. */
export function userOfPeer(read: ReadTable, ends: ConnectionEnds): number | undefined {
  const { localPort, remotePort } = ends;
  const [local, remote] = [ends.localAddress, ends.remoteAddress].map((text) =>
    (text?.startsWith(mappedPrefix) ? text.slice(mappedPrefix.length) : text)?.replace(/%.*$/, ''),
  );
  if (local === undefined || remote === undefined || localPort === undefined || remotePort === undefined)
    return undefined;
  const find = (isIPv6: boolean): number | undefined =>
    userInTable(
      read(isIPv6 ? '/proc/net/tcp6' : '/proc/net/tcp'),
      ` ${endInTable(remote, remotePort, isIPv6)} ${endInTable(local, localPort, isIPv6)} `,
    );
  // A program may use a socket of IPv6 for addresses of IPv4.
  return (isIPv4(remote) ? find(false) : undefined) ?? find(true);
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const isShown = (): boolean => readTable('/proc/net/tcp') !== '';
const users = new WeakMap<ConnectionEnds, number>();

/** The user of the other end of a connection on this machine, who stays the same; undefined where the system does not show it. */
export function userOfConnection(connection: ConnectionEnds): number | undefined {
  const known = users.get(connection);
  if (known !== undefined) return known;
  for (let reads = 0; reads < maxReads; reads += 1) {
    const user = userOfPeer(readTable, connection);
    if (user === undefined) continue;
    users.set(connection, user);
    return user;
  }
  return undefined;
}

/** Whether a connection is one of the user who runs this process, or of root, who may do everything here. Where the system does not show whose
 *  connections are, all count. */
export function isOwnConnection(connection: ConnectionEnds): boolean {
  const own = process.getuid?.();
  if (own === undefined || !isShown()) return true;
  const user = userOfConnection(connection);
  return user === 0 || user === own;
}
