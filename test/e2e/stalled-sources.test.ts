import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, conditionOf, errorOf, startWorld, type World } from './world.ts';

let world: World;
const servers: { readonly server: Server; readonly sockets: Set<Socket>; readonly host: string }[] = [];

/** Accepts connections and never responds. */
async function startSilentServer(): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({ server, sockets, host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

beforeAll(async () => {
  // No options: as users have it.
  world = await startWorld();
  for (let count = 0; count < 40; count++) await startSilentServer();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  for (const { server, sockets } of servers) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

const sources: readonly ((host: string) => Readonly<Record<string, unknown>>)[] = [
  (host) => ({ type: 'image', image: { ref: `${host}/silent:v1` } }),
  (host) => ({ type: 'git', git: { repository: `http://${host}/silent.git`, ref: { branch: 'main' } } }),
  (host) => ({ type: 'http', http: { url: `http://${host}/silent.tgz` } }),
];

describe('silent servers', { shuffle: false }, () => {
  test('Q22 a Bundle is unpacked at once while 40 servers are silent', async () => {
    for (const [index, { host }] of servers.entries()) {
      const source = sources[index % sources.length]?.(host) ?? {};
      await world.kube.create(bundle(`silent-${index}`, source), { fieldManager: 'test' });
    }
    await eventually(() => {
      expect(servers.filter(({ sockets }) => sockets.size > 0)).toHaveLength(servers.length);
    });
    await world.kube.create(bundle('good', world.imageSource('good:v1', valid)), { fieldManager: 'test' });
    await world.bundleWithPhase('good', 'Unpacked');
    for (const index of servers.keys()) {
      const waiting = await world.bundleWithPhase(`silent-${index}`, 'Unpacking');
      expect(conditionOf(waiting, 'Unpacked')).toMatchObject({ status: 'False', reason: 'Unpacking' });
    }
  });

  test('Q22 a Bundle whose server is silent is deleted at once, and its connection ends', async () => {
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'silent-0' });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', 'silent-0')))).toBe(true);
      expect([...(servers[0]?.sockets ?? [])].every((socket) => socket.destroyed || socket.readableEnded)).toBe(true);
    });
  });
});
