import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { endianness } from 'node:os';
import { describe, expect, test } from 'vitest';
import { OneTimeLink } from './link.ts';
import { isOwnConnection, userOfConnection, userOfPeer } from './own-connection.ts';

const server = { localAddress: '127.0.0.1', localPort: 8080 };

/** Addresses of these tables are in the order of bytes of most machines. */
describe.runIf(endianness() === 'LE')('in the tables of connections', () => {
  const tables = {
    '/proc/net/tcp': `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0
   4: 0200007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 4 1 0 20 4 30 10 -1
   5: 0100007F:9C42 0100007F:1F90 05 00000000:00000000 00:00000000 00000000  1003        0 5 1 0 20 4 30 10 -1
`,
    '/proc/net/tcp6': `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:9C40 00000000000000000000000001000000:1F90 01 00000000:00000000 00:00000000 00000000  1004        0 6 1 0 20 4 30 10 -1
   1: 0000000000000000FFFF00000100007F:9C43 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1005        0 7 1 0 20 4 30 10 -1
`,
  };
  const userOf = (remoteAddress: string, remotePort: number, ends: object = server): number | undefined =>
    userOfPeer((path) => tables[path], { ...ends, remoteAddress, remotePort });

  test('the user of a connection is that of its other end', () => {
    expect(userOf('127.0.0.1', 40_000)).toBe(1001);
    expect(userOf('127.0.0.1', 50_000)).toBeUndefined();
    expect(userOf('127.0.0.1', 40_000, { ...server, localPort: 8081 })).toBeUndefined();
    expect(userOf('127.0.0.1', 40_000, {})).toBeUndefined();
  });

  test('a client that takes the port of another one, at another address of the machine, is not taken for it', () => {
    expect(userOf('127.0.0.2', 40_000)).toBe(1002);
    expect(userOf('127.0.0.3', 40_000)).toBeUndefined();
  });

  test('a client is known that waits for the answer alone, and none whose program has closed the connection', () => {
    expect(userOf('127.0.0.1', 40_002)).toBe(1003);
    expect(userOf('127.0.0.1', 40_001)).toBeUndefined();
  });

  test('a client of IPv6 is known, and one that has a socket of IPv6 for an address of IPv4', () => {
    expect(userOf('::1', 40_000, { localAddress: '::1', localPort: 8080 })).toBe(1004);
    expect(userOf('fe80::1%lo', 40_000, { localAddress: '::1', localPort: 8080 })).toBeUndefined();
    expect(userOf('127.0.0.1', 40_003)).toBe(1005);
    expect(userOf('::ffff:127.0.0.1', 40_000, { localAddress: '::ffff:127.0.0.1', localPort: 8080 })).toBe(1001);
  });
});

test.each(['127.0.0.1', '::1'])('a connection of this process to %s is its own', async (host) => {
  const listening = createServer().listen(0, host);
  await once(listening, 'listening');
  const client = connect((listening.address() as AddressInfo).port, host);
  const [accepted] = (await once(listening, 'connection')) as [typeof client];
  expect(isOwnConnection(accepted)).toBe(true);
  if (process.platform === 'linux') {
    expect(userOfConnection(accepted)).toBe(process.getuid?.());
    // No connection has these ends: whose it is, is not known.
    expect(isOwnConnection({ ...server, remoteAddress: host, remotePort: 1 })).toBe(false);
  }
  client.destroy();
  accepted.destroy();
  listening.close();
});

test('a link that others may have seen signs in only the user who runs the console', () => {
  const secrets: string[] = [];
  const link = new OneTimeLink((secret) => secrets.push(secret), true);
  link.renew();
  expect(link.use(secrets[0] ?? '', () => false)).toBe(false);
  // It is used up, and the terminal shows the next one, which no one else has seen.
  expect(link.use(secrets[0] ?? '', () => true)).toBe(false);
  expect(secrets).toHaveLength(2);
  expect(link.use(secrets[1] ?? '', () => false)).toBe(true);
});
