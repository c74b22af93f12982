import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { OneTimeLink } from './link.ts';
import { isOwnConnection, userOfPeer } from './own-connection.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0
`;

test('the user of a connection is that of its other end, while it is open', () => {
  expect(userOfPeer(table, { localPort: 8080, remotePort: 40_000 })).toBe(1001);
  expect(userOfPeer(table, { localPort: 8080, remotePort: 40_001 })).toBeUndefined();
  expect(userOfPeer(table, { localPort: 8081, remotePort: 40_000 })).toBeUndefined();
});

test('a connection of this process is its own', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [typeof client];
  expect(isOwnConnection(accepted)).toBe(true);
  // None has these ports: whose it is, is not known.
  if (process.platform === 'linux') expect(isOwnConnection({ localPort: 1, remotePort: 1 })).toBe(false);
  client.destroy();
  accepted.destroy();
  server.close();
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
