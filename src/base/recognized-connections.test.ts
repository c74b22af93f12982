import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createServingCertificate, limitConnections, paceConnectionsOf, systemClock } from './index.ts';

async function statusOf(agent: Agent, port: number): Promise<number | undefined> {
  const call = request({ host: '127.0.0.1', port, agent }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

test('a connection that a process makes to its own server stays, however many others on the machine have successful requests', async () => {
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'recognized' });
  const { certificatePem: cert, privateKeyPem: key, caBundlePem: ca } = serving.current();
  const server = createServer({ cert, key }, (_request, response) => response.end());
  limitConnections(server, { maxConnections: 2, maxPerPeer: 2 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = paceConnectionsOf(new Agent({ ca, keepAlive: true }), { isRecognized: true });
  const others = Array.from({ length: 4 }, () => new Agent({ ca, keepAlive: true }));
  try {
    expect(await statusOf(agent, port)).toBe(200);
    const [own] = Object.values(agent.freeSockets)[0] ?? [];
    for (const other of others) expect(await statusOf(other, port)).toBe(200);
    expect(own?.destroyed).toBe(false);
    expect(await statusOf(agent, port)).toBe(200);
    expect(Object.values(agent.freeSockets)[0]).toEqual([own]);
  } finally {
    for (const one of [agent, ...others]) one.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
